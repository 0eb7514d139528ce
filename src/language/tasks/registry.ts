import type { Task } from '../../engine/definition/definition.js';
import { apiKeyValidate } from './auth/api-key-validate.js';
import { jwtValidate } from './auth/jwt-validate.js';
import { mtlsValidate } from './auth/mtls-validate.js';
import { cache } from './cache.js';
import { activity } from './external/activity.js';
import { workflow } from './external/workflow.js';
import { httpCall } from './http-call/http-call.js';
import { kafkaPublish } from './kafka-publish.js';
import { pluginKind, pluginTasks } from './plugin/plugin-task.js';
import { schedule } from './schedule/schedule.js';
import { unschedule } from './schedule/unschedule.js';
import { signal } from './signal.js';
import type { TaskBehaviour, TaskEffectForm, TaskKind } from './task-kind.js';
import { xmlDecode } from './xml-decode.js';

const all = [
  httpCall,
  schedule,
  unschedule,
  signal,
  activity,
  workflow,
  cache,
  kafkaPublish,
  xmlDecode,
  jwtValidate,
  mtlsValidate,
  apiKeyValidate,
];

/** Every task kind that documents can name without plugins, by its name. */
export const taskKinds: ReadonlyMap<string, TaskKind> = new Map(
  (all as readonly TaskKind[]).map((it) => [it.kind, it]),
);

/** The behaviour of tasks, by the `kind` of their normal form; the tasks of all plugins share one. */
export const taskBehaviours: ReadonlyMap<string, TaskBehaviour> = new Map<string, TaskBehaviour>([
  ...taskKinds,
  [pluginKind, pluginTasks as TaskBehaviour],
]);

/** The behaviour of a task. */
export function behaviourOf(task: Task): TaskBehaviour {
  return taskBehaviours.get(task.kind)!;
}

/** The effects that tasks ask for. */
export function effectForms(): TaskEffectForm[] {
  return [...taskBehaviours.values()].flatMap(({ effect }) => effect ?? []);
}

/** The effect of this name, if a task kind asks for it. */
export function effectForm(name: string): TaskEffectForm | undefined {
  return effectForms().find((effect) => effect.name === name);
}
