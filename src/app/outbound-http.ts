import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEgress, hostOf, portOf } from '../../activities/http-call/egress-policy.js';
import { createHttpClient, type HttpClient, type HttpLog } from '../../activities/http-call/http-client.js';
import type { Config } from '../config/config-types.js';
import { isLoopback } from '../config/is-loopback.js';
import { secretReader } from '../config/read-secret.js';
import type { Tracer } from '../service/tracer-interface.js';
import { temporalAddress } from '../temporal/connection.js';

export interface OutboundOptions {
  /** True when server, worker and gateway are one process on one machine. */
  readonly together?: boolean | undefined;
  /** The embedded server's address, if it was just started. */
  readonly address?: string | undefined;
  readonly tracer?: Tracer | undefined;
}

/** HTTP calls under the configured egress rules. */
export function outboundHttp(config: Config, log: HttpLog, options: OutboundOptions = {}): HttpClient {
  const { together = false, address = temporalAddress(config), tracer } = options;
  const { gateway, server } = config;
  const configured = [gateway.port, server.uiPort, Number(/:(\d+)$/.exec(address)?.[1] ?? 0)];
  return createHttpClient({
    http: config.http,
    log,
    loopbackAllowed: mayCallLoopback(config, together),
    ownPorts: () => [...configured, ...claimed],
    secret: secretReader(config.secrets),
    ...(tracer && { tracer }),
  });
}

/** Ports that gateways of this process were given by the system. */
const claimed = new Set<number>();

/** Excludes a port of this process from the calls of journeys. */
export function claimPort(port: number): void {
  claimed.add(port);
}

/**
 * True if journeys may call loopback addresses. On a developer's machine they may: it is not reachable by others, and the target is a backend
 * under development. A standalone worker or gateway may run beside services that trust loopback, and cannot know who starts journeys, so it
 * requires a setting.
 */
export function mayCallLoopback(config: Config, together: boolean): boolean {
  const { http, gateway } = config;
  const temporal = temporalAddress(config).replace(/:\d+$/, '');
  return http.egress.allowLoopback ?? (together && isLoopback(gateway.host) && isLoopback(temporal));
}

/** The reason why this configuration blocks calls to an origin; undefined if it allows them, or if the name cannot be resolved here. */
export async function egressRefusal(config: Config, origin: string): Promise<string | undefined> {
  const egress = createEgress(config.http, mayCallLoopback(config, config.temporal.address === undefined));
  const [asked, target] = [new URL(origin), new URL(config.http.rewrite[origin] ?? origin)];
  const refused = egress.refusesUrl(asked, target);
  if (refused !== undefined) return refused;
  const resolved = lookup(hostOf(target), { all: true }).catch(() => []);
  const addresses = await Promise.race([resolved, sleep(lookupMs, [], { ref: false })]);
  const reasons = addresses.map(({ address }) => egress.refusesAddress(hostOf(target), portOf(target), address));
  return reasons.every((it) => it !== undefined) ? reasons[0] : undefined;
}

/** The time for resolving a name. */
const lookupMs = 2_000;
