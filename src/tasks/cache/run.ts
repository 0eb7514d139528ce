import type { TaskEffect, TaskHost } from '../../engine/task-host.js';
import type { TaskRunner } from '../../engine/vocabulary.js';
import { canonical, type Json } from '../../json/value.js';
import type { CacheTask } from './read.js';

/** What the effect `cache` gets. */
export type CacheRequest = { get: string } | { put: string; value: Json; ttlSeconds?: number };

/** A cache that takes longer than this is of no use. */
const budgetMs = 5_000;

/** Reads and writes the cache. What goes wrong with it never ends a run: then nothing is found, and nothing is kept. */
export const run: TaskRunner<CacheTask> = {
  async ask(task, host) {
    const key = await keyOf(task, host);
    if (task.operation === 'get') return effect({ get: key }, key, { safe: true });
    const value = await host.evaluate(task.value, 'mapper');
    const { ttlSeconds } = task;
    const request = { put: key, value, ...(ttlSeconds !== undefined && { ttlSeconds }) };
    return effect(request, key, { safe: false, repeatable: true });
  },
  take(task, answer, host) {
    if (task.operation === 'get') host.setVar(task.resultVar, answer);
    return undefined;
  },
};

/** A key is a text; whatever else an expression gives is written as JSON, always in the same way. */
async function keyOf({ key }: CacheTask, host: TaskHost): Promise<string> {
  const value = await host.evaluate(key, 'key');
  return typeof value === 'string' ? value : canonical(value);
}

function effect(request: CacheRequest, key: string, how: Pick<TaskEffect, 'safe' | 'repeatable'>): TaskEffect {
  const word = 'get' in request ? 'get' : 'put';
  return { name: 'cache', input: request, about: `${word} ${shortened(key)}`, budgetMs, ...how };
}

function shortened(key: string): string {
  return key.length > 80 ? `${key.slice(0, 80)}…` : key;
}
