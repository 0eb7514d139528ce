import { createHttpActivity, type HttpActivity, type HttpLog } from '../../activities/http-call/http.js';
import type { Config } from '../config/config.js';
import { isLoopback } from '../config/rules.js';
import { secretReader } from '../config/secret.js';
import type { Tracer } from '../service/tracing.js';
import { temporalAddress } from '../temporal/connection.js';

/** Calls as the configuration allows them. `together`: server, worker and gateway are one process on one machine. */
export function httpOf(config: Config, log: HttpLog, together = false, tracer?: Tracer): HttpActivity {
  return createHttpActivity({
    http: config.http,
    log,
    loopbackAllowed: mayCallLoopback(config, together),
    secret: secretReader(config.secrets),
    ...(tracer && { tracer }),
  });
}

/**
 * Whether journeys may call this machine's own addresses. On a developer's machine they may: nobody else can reach anything there, and what
 * they call is a backend under development. A standalone worker or gateway runs among services that trust their loopback, and cannot know
 * who starts journeys: there somebody has to allow it.
 */
export function mayCallLoopback(config: Config, together: boolean): boolean {
  const { http, gateway } = config;
  const temporal = temporalAddress(config).replace(/:\d+$/, '');
  return http.egress.allowLoopback ?? (together && isLoopback(gateway.host) && isLoopback(temporal));
}
