import { request } from 'undici';

export interface CallResult {
  ok: boolean;
  status: number;
  headers: Record<string, unknown>;
  body: unknown;
}

/** One HTTP call, as a team would write it. */
export async function call(method: string, url: string, body?: string): Promise<CallResult> {
  const response = await request(url, {
    method: method as 'GET',
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body ?? null,
  });
  const ok = response.statusCode < 300;
  return { ok, status: response.statusCode, headers: { ...response.headers }, body: await response.body.json() };
}
