import { request } from 'undici';
import { isObject, type Json, type JsonObject, own } from '../../json/value.js';
import { type Finding, type Problem, problem } from '../../problems/problem.js';
import type { Phase, Scenario } from '../scenario.js';

/** What the gateway answered. */
export interface GatewayAnswer {
  status: number;
  /** The body as an object, for the gateway's own shapes. */
  body: JsonObject;
  /** The body as it came: an Api answers with any JSON. */
  json: Json;
}

/** A run as its status shows it. */
export interface SeenStatus {
  phase: Phase;
  currentState: string;
  activeSteps: string[];
  activeStates: string[];
}

/** Where a scenario's gateway takes a caller's certificate, as behind a proxy. */
export const certificateHeader = 'x-client-certificate';

/** What a scenario sends besides a body. */
export type SentAlong = Partial<Pick<Scenario, 'headers' | 'query' | 'certificate'>>;

/** Talks to a gateway as any client does. */
export class GatewayClient {
  constructor(private readonly url: string) {}

  async post(path: string, body: Json, along: SentAlong = {}): Promise<GatewayAnswer> {
    return await this.send(withQuery(path, along), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headersOf(along) },
      body: JSON.stringify(body),
    });
  }

  async get(path: string, along: SentAlong = {}): Promise<GatewayAnswer> {
    return await this.send(withQuery(path, along), { headers: headersOf(along) });
  }

  /** Sends the headers it is given and no others; `fetch` would add `accept-language` and more. */
  private async send(path: string, options: Parameters<typeof request>[1]): Promise<GatewayAnswer> {
    const response = await request(this.url + path, options);
    const json = (await response.body.json()) as Json;
    return { status: response.statusCode, body: isObject(json) ? json : {}, json };
  }
}

function withQuery(path: string, { query = {} }: SentAlong): string {
  const search = new URLSearchParams(query).toString();
  return `${path}${search === '' ? '' : `?${search}`}`;
}

function headersOf({ headers = {}, certificate }: SentAlong): Record<string, string> {
  return {
    ...headers,
    ...(certificate !== undefined && { [certificateHeader]: encodeURIComponent(certificate) }),
  };
}

/** Reads a JourneyStatus, or a JourneyOutcome where the run has ended. */
export function readStatus(body: JsonObject): SeenStatus {
  const active = body.activeStates;
  const states = Array.isArray(active) ? active.filter(isObject) : [];
  return {
    phase: (body.phase ?? 'RUNNING') as Phase,
    currentState: String(body.currentState ?? ''),
    activeStates: states.map((it) => String(it.state)),
    activeSteps: states.filter((it) => /^(wait|webhook)$/.test(String(own(it, 'type')))).map((it) => String(it.state)),
  };
}

/** A problem as the gateway answered it. */
export function refusal(body: JsonObject): Problem {
  const detail = own(body, 'detail');
  const errors = own(body, 'errors');
  return {
    ...problem('INTERNAL'),
    code: String(own(body, 'code')),
    ...(typeof detail === 'string' && { detail }),
    ...(Array.isArray(errors) && { errors: errors as unknown as Finding[] }),
  };
}
