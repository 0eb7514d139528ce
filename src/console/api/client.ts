import type { Json } from '../../base/json/value.js';
import type { ProblemBody } from './problem-types.js';
import { session } from './session-credential.js';

/** A request that the gateway rejected, or could not be sent. */
export class RequestFailed extends Error {
  constructor(readonly problem: ProblemBody) {
    super(problem.detail ?? problem.title);
  }
}

/** Options of a request. */
export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** Makes a repetition of the request the same request. */
  readonly requestId?: string;
  readonly signal?: AbortSignal;
}

/** Sends a request to the HTTP API and returns the body of its response. Rejects with RequestFailed. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const { method = 'GET', body, requestId, signal } = options;
  const credential = session.credential();
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(requestId !== undefined && { 'idempotency-key': requestId }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    credentials: 'omit',
    redirect: 'error',
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new RequestFailed({ code: 'UNREACHABLE', title: 'The gateway does not answer', status: 0 });
  });
  const text = await response.text();
  const value = parse(text);
  if (response.ok) return value as T;
  if (response.status === 401) session.refuse();
  throw new RequestFailed(
    isProblem(value) ? value : { code: String(response.status), title: text, status: response.status },
  );
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is ProblemBody {
  return typeof value === 'object' && value !== null && 'code' in value && 'title' in value;
}

/** A path below `/api/v1` with encoded segments. */
export function apiUrl(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return `/api/v1${String.raw({ raw: strings }, ...values.map(encodeURIComponent))}`;
}

/** Adds the parameters that have a value. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    for (const each of typeof value === 'object' ? value : [value]) search.append(name, String(each));
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A random id that makes repetitions of a request recognisable. */
export function newRequestId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((it) => it.toString(16).padStart(2, '0')).join('');
}
