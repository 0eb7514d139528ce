import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { inject } from 'vitest';
import { asActivities } from '../../../activities/effects-as-activities.js';
import { admissionActivities } from '../../../activities/external/check-activity-allowed.js';
import { pipelineActivities } from '../../../activities/pipeline/await-child-and-revive-activities.js';
import { scheduleEffect, unscheduleEffect } from '../../../activities/schedule/schedule-effects.js';
import { scheduleActivities } from '../../../activities/schedule/scheduled-run-and-maintenance.js';
import { signalEffect } from '../../../activities/signal/signal-effect.js';
import type { JsonObject } from '../../../src/base/json/value.js';
import type { Config } from '../../../src/config/config-types.js';
import { loadConfig } from '../../../src/config/load-config.js';
import type { Definition } from '../../../src/engine/definition/definition.js';
import { interpreterVersion } from '../../../src/engine/interpreter-version.js';
import { load } from '../../../src/language/load-journey.js';
import { type Library, libraryOf } from '../../../src/service/library-interface.js';
import type { RunView, StartRun } from '../../../src/service/runs-interface.js';
import { connect } from '../../../src/temporal/connection.js';
import { childRuns } from '../../../src/temporal/runs/prepare-child-run.js';
import { TemporalRuns } from '../../../src/temporal/runs/temporal-runs.js';
import { FairWorker } from '../../../src/temporal/worker/create-worker.js';
import { keys } from '../../../workflows/shared/run-search-attributes.js';
import { prepared } from '../../support/prepared.js';
import { bundled } from './encryption.js';
import { useTestSecret } from './secret.js';

Runtime.install({ logger: new DefaultLogger('ERROR') });

/** A worker and a client on the shared server, with their own task queue. */
export interface Rig {
  config: Config;
  client: Client;
  runs: TemporalRuns;
  start(journey: string, body?: JsonObject, more?: Partial<StartRun>): Promise<RunView>;
  /** Stops the worker as a deployment would, and starts another if requested. */
  restartWorker(options?: Pick<RigOptions, 'failing' | 'worker'>): Promise<void>;
  stop(): Promise<void>;
}

export interface RigOptions {
  activities?: object;
  maxCachedWorkflows?: number;
  /** False: no worker in this process. */
  worker?: boolean;
  env?: Record<string, string>;
  /** All its workflow tasks fail: a worker with the wrong key, or a bug of ours. */
  failing?: boolean;
  /** Journeys that runs can start. */
  library?: Library;
  /** A server other than the shared one. */
  address?: string;
}

/** Reads a journey from YAML text; throws all findings if there are errors. */
export function journeyOf(text: string): Definition {
  const { definition, findings } = load({ text }, { minScheduleIntervalSec: 1 });
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (!definition || errors.length > 0) throw new Error(JSON.stringify(errors, null, 2));
  return definition;
}

/** Starts a run whose workflow tasks fail. No caller can start such a run; it represents a bug of ours. */
export async function startBroken({ client, config }: Rig, memo: object = {}): Promise<WorkflowHandle> {
  return await client.workflow.start('journey', {
    workflowId: `broken-${randomUUID()}`,
    taskQueue: config.temporal.taskQueue,
    args: [{}, { interpreter: interpreterVersion, definition: {} }],
    typedSearchAttributes: [{ key: keys.JourneyName, value: 'journey' }],
    memo: { journey: { links: true, cancellable: true, tags: [], definition: 'broken', ...memo } },
  });
}

/** Starts a rig; `stop` it in `afterAll`. */
export async function rig(options: RigOptions = {}): Promise<Rig> {
  const address = options.address ?? inject('temporalAddress');
  const taskQueue = `test-${randomUUID()}`;
  const config = loadConfig({
    env: {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_TASK_QUEUE: taskQueue,
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue,
      JOURNEYMAN_LIMITS_SCHEDULE_INTERVAL_SEC: '1',
      ...options.env,
    },
  });
  const { client, close } = await connect(config);
  await useTestSecret(client);
  const native = await NativeConnection.connect({ address });
  const runs = new TemporalRuns(client, config);
  let running = await runWorker(native, client, config, options);
  return {
    config,
    client,
    runs,
    start: (journey, body = {}, more = {}) => {
      const definition = journeyOf(journey);
      return runs.start({
        ...prepared(definition, body),
        mode: definition.lifecycle.startMode,
        caller: 'test',
        ...more,
      });
    },
    restartWorker: async (more = {}) => {
      await running.stop();
      running = await runWorker(native, client, config, { ...options, ...more });
    },
    stop: async () => {
      await running.stop();
      await native.close();
      await close();
    },
  };
}

async function runWorker(connection: NativeConnection, client: Client, config: Config, options: RigOptions) {
  if (options.worker === false) return { stop: async () => undefined };
  const { activities = {}, maxCachedWorkflows = process.env.MAX_CACHED_WORKFLOWS } = options;
  const { dataConverter, ...bundle } = bundled(config);
  const payloadCodecs = options.failing ? [unreadable] : dataConverter?.payloadCodecs;
  const worker = await FairWorker.create({
    connection,
    taskQueue: config.temporal.taskQueue,
    ...bundle,
    dataConverter: { ...dataConverter, ...(payloadCodecs && { payloadCodecs }) },
    activities: {
      ...asActivities({
        schedule: scheduleEffect(client),
        unschedule: unscheduleEffect(client),
        signal: signalEffect(client, new TemporalRuns(client, config)),
      }),
      ...scheduleActivities(client),
      ...pipelineActivities(client),
      ...admissionActivities(config, childRuns({ client, config, library: options.library ?? libraryOf([]) })),
      ...activities,
    },
    ...(maxCachedWorkflows !== undefined && { maxCachedWorkflows: Number(maxCachedWorkflows) }),
  });
  const done = worker.run();
  return {
    stop: async () => {
      worker.shutdown();
      await done;
    },
  };
}

const unreadable: PayloadCodec = {
  encode: async (payloads) => payloads,
  decode: async () => Promise.reject(new Error('It has another key.')),
};
