import type { Client } from '@temporalio/client';
import type { Effects, Perform } from '../src/tasks/effects.js';
import type { JarKeeper } from '../src/tasks/http-call/jar.js';
import { asActivities } from './activity.js';
import type { Connections } from './connections.js';
import { historyActivities } from './history/activities.js';
import { httpEffect } from './http-call/effect.js';
import type { HttpActivity } from './http-call/http.js';
import { pipelineActivities } from './pipeline/activities.js';
import { scheduleActivities } from './schedule/activities.js';
import { scheduleEffect } from './schedule/effect.js';

/** What the effects of a process need. */
export interface EffectParts {
  http: HttpActivity;
  /** Opens the cookie jars of runs. */
  jars: JarKeeper;
  /** What checks the credentials of requests; absent where no requests come in. */
  auth?: Effects;
  /** Absent where there is no server to schedule on. */
  client?: Client;
  connections: Connections;
  /** What runs the tasks of plugins. */
  plugin: Perform;
}

/** The one table of effects: what tasks can ask for, by name, wherever they run. */
export function createEffects({ http, auth, jars, client, connections, plugin }: EffectParts): Effects {
  return {
    http: httpEffect(http, jars),
    cache: connections.cache,
    kafka: connections.kafka,
    plugin,
    ...auth,
    ...(client && { schedule: scheduleEffect(client) }),
  };
}

/** Every activity a worker offers: the effects of tasks, and what scheduled runs and pipelines need around them. */
export function createActivities(parts: Required<Omit<EffectParts, 'auth'>>) {
  return {
    ...asActivities(createEffects(parts)),
    ...scheduleActivities(parts.client),
    ...historyActivities(parts.client),
    ...pipelineActivities(parts.client),
  };
}
