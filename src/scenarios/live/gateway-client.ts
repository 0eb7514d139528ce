import { request } from 'undici';
import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { type Finding, type Problem, problem } from '../../base/problems/problem.js';
import type { RunPhase, Scenario } from '../scenario.js';

/** A response of the gateway. */
export interface GatewayAnswer {
  status: number;
  /** The body as an object, for the gateway's own shapes. */
  body: JsonObject;
  /** The body as received: an Api returns any JSON. */
  json: Json;
}

/** A run as its status shows it. */
export interface SeenStatus {
  phase: RunPhase;
  currentState: string;
  activeSteps: string[];
  activeStates: string[];
}

/** The header in which a scenario's gateway accepts a client certificate, as behind a proxy. */
export const certificateHeader = 'x-client-certificate';

/** The parts of a scenario's request besides its body. */
export type SentAlong = Partial<Pick<Scenario, 'headers' | 'query' | 'certificate'>>;

/** An HTTP client of a gateway. */
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

  /** Sends only the given headers; `fetch` would add `accept-language` and others. */
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

/** Reads a JourneyStatus, or a JourneyOutcome if the run has ended. */
export function readStatus(body: JsonObject): SeenStatus {
  const active = body.activeStates;
  const states = Array.isArray(active) ? active.filter(isObject) : [];
  return {
    phase: (body.phase ?? 'RUNNING') as RunPhase,
    currentState: String(body.currentState ?? ''),
    activeStates: states.map((it) => String(it.state)),
    activeSteps: states
      .filter((it) => /^(wait|webhook)$/.test(String(own(it, 'type'))))
      .map((it) => String(own(it, 'step') ?? it.state)),
  };
}

/** Reads the problem in a response of the gateway. */
export function problemFrom(body: JsonObject): Problem {
  const detail = own(body, 'detail');
  const errors = own(body, 'errors');
  return {
    ...problem('INTERNAL'),
    code: String(own(body, 'code')),
    ...(typeof detail === 'string' && { detail }),
    ...(Array.isArray(errors) && { errors: errors as unknown as Finding[] }),
  };
}
