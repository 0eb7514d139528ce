import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Member } from './member.js';

const main = fileURLToPath(new URL('../../../src/cli/main.js', import.meta.url));

/** The common configuration of the cluster's gateways and workers. */
export interface OurSettings {
  readonly folder: string;
  readonly specs: string;
  readonly namespace: string;
  /** Addresses of the frontends, over which processes are distributed. */
  readonly frontends: readonly string[];
}

/** Gateways as users run them, one on each port. */
export function gateways(settings: OurSettings, ports: readonly number[]): Member[] {
  return ports.map((port, i) =>
    ourProcess(settings, 'gateway', i, port, {
      JOURNEYMAN_GATEWAY_PORT: String(port),
      JOURNEYMAN_GATEWAY_SHUTDOWN_DELAY_MS: '0',
    }),
  );
}

/** Workers as users run them, with a health port each. */
export function workers(settings: OurSettings, ports: readonly number[]): Member[] {
  return ports.map((port, i) =>
    ourProcess(settings, 'worker', i, port, { JOURNEYMAN_WORKER_HEALTH_PORT: String(port) }),
  );
}

function ourProcess(
  { folder, specs, namespace, frontends }: OurSettings,
  role: 'gateway' | 'worker',
  index: number,
  port: number,
  more: Record<string, string>,
): Member {
  const name = `${role}-${index + 1}`;
  return new Member({
    name,
    role,
    command: process.execPath,
    args: [main, role],
    env: {
      TEMPORAL_ADDRESS: frontends[index % frontends.length]!,
      TEMPORAL_NAMESPACE: namespace,
      JOURNEYMAN_SPECS: specs,
      JOURNEYMAN_LOG_FORMAT: 'json',
      JOURNEYMAN_LOG_LEVEL: 'warn',
      // The ledger runs on this machine.
      JOURNEYMAN_HTTP_EGRESS_ALLOW_LOOPBACK: 'true',
      // Schedules of journeys must run several times within minutes.
      JOURNEYMAN_LIMITS_SCHEDULE_INTERVAL_SEC: '5',
      // The audit log is a file of the process.
      JOURNEYMAN_SERVER_DATA_DIR: join(folder, 'ours', name),
      ...more,
    },
    log: join(folder, 'logs', `${name}.log`),
    metrics: `http://127.0.0.1:${port}/metrics`,
    ready: async () => (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok,
  });
}
