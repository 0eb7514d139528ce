import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { asRequestActivities } from '../../activities/activity.js';
import type { Config } from '../config/config.js';
import type { KeptRequests } from '../service/requests.js';
import type { Effects } from '../tasks/effects.js';
import { connectWorker } from '../temporal/connection.js';
import { RequestVault } from '../temporal/request-vault.js';
import { createGatewayWorker } from '../temporal/worker.js';
import { installRuntime } from './log.js';
import { processMetrics } from './metrics.js';

export interface RequestParts {
  readonly config: Config;
  readonly log: Logger;
  /** What runs may have done with a request. */
  readonly effects: Effects;
  /** The embedded server's address, if it was just started. */
  readonly address?: string | undefined;
}

/** How often requests that nobody asked about are looked through. */
const expiryMs = 10_000;

/** The requests of a gateway that runs look at; it answers for them on a task queue of its own. */
export interface GatewayRequests extends KeptRequests {
  close(): Promise<void>;
}

/**
 * Keeps requests in this process, and does what runs ask to have done with them. The worker is there from the first request that a
 * journey looks at: most gateways never need one.
 */
export function openRequests({ config, log, effects, address }: RequestParts): GatewayRequests {
  const queue = `gateway-${randomUUID()}`;
  const vault = new RequestVault(config.gateway.requests);
  let working: Promise<{ stop(): Promise<void> }> | undefined;

  async function begin() {
    installRuntime(log, await processMetrics().addressForSdk());
    const connection = await connectWorker(config, address === undefined ? {} : { address });
    const activities = asRequestActivities(effects, (id, run) => vault.find(id, run));
    const worker = await createGatewayWorker({ config, connection, activities }, queue).catch(async (error) => {
      await connection.close();
      throw error;
    });
    const expiry = setInterval(() => vault.expire(), expiryMs).unref();
    const running = worker.run().catch((error) => {
      log.error({ err: error }, 'What answers for requests has failed; the next request starts it again');
      working = undefined;
      clearInterval(expiry);
    });
    return {
      stop: async () => {
        clearInterval(expiry);
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await running;
        await connection.close();
      },
    };
  }

  return {
    keep: async (run, caller, kept) => {
      const id = vault.keep(run, caller, kept);
      working ??= begin().catch((error) => {
        working = undefined;
        throw error;
      });
      await working.catch((error) => {
        vault.forget(id);
        throw error;
      });
      return { queue, id, ...(Object.keys(kept.passed).length > 0 && { passes: true }) };
    },
    forget: ({ id }) => vault.forget(id),
    close: async () => {
      await (await working?.catch(() => undefined))?.stop();
    },
  };
}
