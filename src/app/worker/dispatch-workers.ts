import type { Client } from '@temporalio/client';
import type { NativeConnection, Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { dispatchActivities } from '../../../activities/dispatch/dispatch-activities.js';
import type { HttpClient } from '../../../activities/http-call/http-client.js';
import type { Config } from '../../config/config-types.js';
import { createTargets } from '../../service/check-and-invoke-job-targets.js';
import type { Library } from '../../service/library-interface.js';
import { queueOf } from '../../temporal/schedules/jobs/dispatch-action.js';
import { createDispatchWorker, type WorkerParts } from '../../temporal/worker/create-worker.js';
import { connectChannels } from '../create-channels-and-job-functions.js';
import { automationFor, temporalJobPorts } from '../job-automation-on-temporal.js';
import { JobMirror } from './mirror-jobs-to-files.js';

export interface DispatchWorkerDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly client: Client;
  readonly connection: NativeConnection;
  readonly library: Promise<Library>;
  /** Makes the HTTP calls to channels. */
  readonly http: HttpClient;
  /** Called by the worker for journeys; decides which bundle both load. */
  readonly spanEnded?: WorkerParts['spanEnded'];
}

/** The workers of all orchestrators of this process. */
export interface DispatchWorkers {
  /** Rejects if a worker ends unexpectedly. */
  readonly running: Promise<unknown>;
  isRunning(): boolean;
  shutdown(): void;
  /** Resolves once all have stopped. */
  close(): Promise<void>;
}

/** Starts a worker for the queue of each orchestrator. */
export async function startDispatchWorkers(ground: DispatchWorkerDeps): Promise<DispatchWorkers> {
  const { config, log, client, connection, http, spanEnded } = ground;
  const ports = temporalJobPorts(client, config);
  const automation = automationFor(config, await ground.library, log, ports);
  const { orchestrators, audit } = automation;
  const mirror = isMirrored(config) ? new JobMirror(orchestrators, ports.jobs, log, audit) : undefined;
  const targets = createTargets(automation);
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
      createDispatchWorker({ config, connection, activities, spanEnded }, queueOf(config.temporal.taskQueue, id)),
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

/** With an external server several workers may run, perhaps without a persistent disk: there the mirror must be enabled. */
function isMirrored({ schedules, temporal }: Config): boolean {
  return schedules.mirror ?? temporal.address === undefined;
}
