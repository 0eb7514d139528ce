import type { Client } from '@temporalio/client';
import type { Config } from '../src/config/config-types.js';
import type { Effects, Perform } from '../src/language/tasks/effect-interface.js';
import type { JarOpener } from '../src/language/tasks/http-call/call-with-cookies.js';
import type { Runs } from '../src/service/runs-interface.js';
import type { ChildRuns } from '../src/temporal/runs/prepare-child-run.js';
import { type CacheLog, cacheEffect, createCache } from './cache/redis-or-memory-cache.js';
import { asActivities } from './effects-as-activities.js';
import { admissionActivities, type TaskRoute } from './external/check-activity-allowed.js';
import type { HttpClient } from './http-call/http-client.js';
import { httpEffect } from './http-call/http-effect.js';
import type { ReadSecret } from './http-call/outbound-auth-and-signing.js';
import { kafkaEffect, Publisher } from './kafka-publish/publisher.js';
import { type ConnectionOf, kafkaConnections } from './kafka-publish/read-kafka-connection-settings.js';
import { pipelineActivities } from './pipeline/await-child-and-revive-activities.js';
import { scheduleEffect, unscheduleEffect } from './schedule/schedule-effects.js';
import { scheduleActivities } from './schedule/scheduled-run-and-maintenance.js';
import { signalEffect } from './signal/signal-effect.js';

/** Dependencies of the effects of a process. */
export interface EffectDeps {
  http: HttpClient;
  /** Opens the cookie jars of runs. */
  jars: JarOpener;
  /** Effects that check the credentials of requests; absent in a process that receives none. */
  auth?: Effects;
  /** Absent in a process without a server to schedule on. */
  client?: Client;
  /** Runs that tasks can signal; goes with `client`. */
  runs?: Runs;
  connections: Connections;
  /** Runs the tasks of plugins. */
  plugin: Perform;
}

/** The one table of effects: everything that tasks can ask for, by name, on a worker and in the gateway alike. */
export function createEffects({ http, auth, jars, client, runs, connections, plugin }: EffectDeps): Effects {
  return {
    http: httpEffect(http, jars),
    ...connections.effects,
    plugin,
    ...auth,
    ...(client && { schedule: scheduleEffect(client), unschedule: unscheduleEffect(client) }),
    ...(client && runs && { signal: signalEffect(client, runs) }),
  };
}

/** Every activity of a worker: the effects of tasks, and those that scheduled runs, pipelines and calls of other workers need around them. */
export function createActivities(
  deps: Required<Omit<EffectDeps, 'auth'>> & {
    config: Pick<Config, 'tasks'>;
    childRuns: ChildRuns;
    taskRoute?: TaskRoute;
  },
) {
  return {
    ...asActivities(createEffects(deps)),
    ...admissionActivities(deps.config, deps.childRuns, deps.taskRoute),
    ...scheduleActivities(deps.client),
    ...pipelineActivities(deps.client),
  };
}

/** Connections that stay open between effects, and the effects that use them. */
export interface Connections {
  readonly effects: Effects;
  readonly kafka: ConnectionOf;
  /** Empties a cache in memory. */
  forget(): void;
  close(): Promise<void>;
}

/** Secrets of the configuration itself, read when they are needed. */
interface ConnectionSecrets {
  readonly redisPassword?: () => string;
  readonly kafkaConnection?: () => string;
  /** By reference, for tasks that name one. */
  readonly secret: ReadSecret;
}

/** Creates the connections of a process; each one opens when it is first used. */
export function createConnections(
  config: Pick<Config, 'cache' | 'kafka'>,
  log: CacheLog,
  secrets: ConnectionSecrets,
): Connections {
  const cache = createCache(config.cache, log, secrets.redisPassword);
  const kafka = kafkaConnections(config.kafka, (ref) =>
    ref === undefined ? secrets.kafkaConnection?.() : secrets.secret(ref).reveal(),
  );
  const publisher = new Publisher(config.kafka, kafka, log);
  return {
    effects: { cache: cacheEffect(cache, config.cache.ttlSeconds, log), kafka: kafkaEffect(publisher) },
    kafka,
    forget: () => cache.forget?.(),
    close: async () => {
      await Promise.all([cache.close(), publisher.close()]);
    },
  };
}
