import type { Client } from '@temporalio/client';
import type { NativeConnection, Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { dispatchActivities } from '../../activities/dispatch/activities.js';
import type { HttpActivity } from '../../activities/http-call/http.js';
import type { Config } from '../config/config.js';
import type { Library } from '../service/library.js';
import { targetsOf } from '../service/targets.js';
import { queueOf } from '../temporal/jobs/action.js';
import { createDispatchWorker } from '../temporal/worker.js';
import { automationOf, portsOn } from './automation.js';
import { connectChannels } from './channels.js';
import { Mirror } from './mirror.js';

export interface DispatchingGround {
  readonly config: Config;
  readonly log: Logger;
  readonly client: Client;
  readonly connection: NativeConnection;
  readonly library: Library | Promise<Library>;
  /** How channels are reached. */
  readonly http: HttpActivity;
}

/** The workers of all orchestrators of this process. */
export interface Dispatching {
  /** Rejects when one ends without being asked to. */
  readonly running: Promise<unknown>;
  isRunning(): boolean;
  shutdown(): void;
  /** Once all have stopped. */
  close(): Promise<void>;
}

/** Starts a worker for the queue of each orchestrator. */
export async function startDispatching(ground: DispatchingGround): Promise<Dispatching> {
  const { config, log, client, connection, http } = ground;
  const ports = portsOn(client, config);
  const automation = automationOf(config, await ground.library, log, ports);
  const { orchestrators, audit } = automation;
  const mirror = isMirrored(config) ? new Mirror(orchestrators, ports.jobs, log) : undefined;
  const targets = targetsOf(automation);
  const activities = dispatchActivities({
    client,
    config,
    targets,
    channels: connectChannels(config, http, automation),
    audit,
    ...(mirror && { ended: mirror.ended }),
  });
  const workers = await Promise.all(
    orchestrators.all.map(({ id }) =>
      createDispatchWorker({ config, connection, activities }, queueOf(config.temporal.taskQueue, id)),
    ),
  );
  const ended = workers.map((worker) => worker.run());
  mirror?.start();
  const tell = (event: 'scheduler.started' | 'scheduler.stopped') =>
    Promise.all(orchestrators.all.map(({ id }) => audit.record({ event, orchestratorId: id })));
  await tell('scheduler.started');
  return {
    running: Promise.all(ended),
    isRunning: () => workers.every(isRunning),
    shutdown: () => {
      for (const worker of workers) if (isRunning(worker)) worker.shutdown();
    },
    close: async () => {
      await Promise.allSettled(ended);
      await mirror?.stop();
      await tell('scheduler.stopped');
    },
  };
}

function isRunning(worker: Worker): boolean {
  return worker.getState() === 'RUNNING';
}

/** With a server elsewhere several workers run, perhaps without a disk that lasts: there somebody has to ask for it. */
function isMirrored({ schedules, temporal }: Config): boolean {
  return schedules.mirror ?? temporal.address === undefined;
}
