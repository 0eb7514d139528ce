import type { Place } from '../../base/document/placed-value.js';
import { asExpression, describeType, identifier, ifDefined, integer, oneOf } from '../../base/document/read-fields.js';
import { fixed, part, shape, wholeOf, wordOf } from '../../base/document/schema-builders.js';
import { canonical, copy, type Json } from '../../base/json/value.js';
import { timeless } from '../../base/time/time-scale.js';
import type { Expression } from '../../engine/definition/definition.js';
import type { TaskRunner } from '../../engine/runner-interfaces.js';
import type { TaskEffect, TaskHost } from '../../engine/task-host.js';
import { localActivity, ordinaryActivity, orElse } from '../analysis/cost/cost-counters.js';
import type { GraphReading } from '../read/document-reading-state.js';
import { hasMapper, mapper, siteIn } from '../read/read-expressions-and-mappers.js';
import { variable, writing } from '../states/context-reads-and-writes.js';
import { none, type TaskKind, type VirtualEffect } from './task-kind.js';

/** A cache task, normalised. */
export type CacheTask =
  | { kind: 'cache:v1'; operation: 'get'; key: Expression; resultVar: string }
  | { kind: 'cache:v1'; operation: 'put'; key: Expression; value: Expression; ttlSeconds?: number };

/** The input of the effect `cache`. */
export type CacheRequest = { get: string } | { put: string; value: Json; ttlSeconds?: number };

/** JSON Schema of `cache:v1`. */
const schema = {
  ...shape(
    'Reads or writes the cache that all journeys share.',
    {
      kind: fixed('cache:v1', 'The kind of task.'),
      operation: wordOf('get writes the value, or null, to resultVar; put stores value.', 'get', 'put'),
      key: part('mapperHolder', 'Computes the key; it becomes a text.'),
      value: part('mapperHolder', 'Computes what put stores.'),
      ttlSeconds: wholeOf('How long the value stays.'),
      resultVar: part('identifier', 'The context variable that takes what get found.'),
    },
    ['kind', 'operation', 'key'],
  ),
  examples: [
    {
      kind: 'cache:v1',
      operation: 'get',
      key: { mapper: { lang: 'dataweave', expr: '"price/" ++ context.sku' } },
      resultVar: 'price',
    },
    {
      kind: 'cache:v1',
      operation: 'put',
      key: { mapper: { lang: 'dataweave', expr: '"price/" ++ context.sku' } },
      value: { mapper: { lang: 'dataweave', expr: 'context.price' } },
      ttlSeconds: 600,
    },
  ],
};

/** Time limit of one cache operation. */
const budgetMs = 5_000;

/** Default of the real cache. */
const defaultTtlSeconds = 3_600;

/** Reads and writes the cache. A failure of the cache never ends a run: nothing is found, or nothing is stored. */
const run: TaskRunner<CacheTask> = {
  async buildRequest(task, host) {
    const key = await keyOf(task, host);
    if (task.operation === 'get') return effect({ get: key }, key, { safe: true });
    const value = await host.evaluate(task.value, 'mapper');
    const { ttlSeconds } = task;
    const request = { put: key, value, ...(ttlSeconds !== undefined && { ttlSeconds }) };
    return effect(request, key, { safe: false, repeatable: true });
  },
  handleResult(task, answer, host) {
    if (task.operation === 'get') host.setVar(task.resultVar, answer);
    return undefined;
  },
};

/** Reads or writes the shared cache. */
export const cache: TaskKind<CacheTask> = {
  kind: 'cache:v1',
  isExtension: false,
  schema,
  read,
  run,
  effect: {
    name: 'cache',
    virtual: virtualCache,
    recorded: { refusal: 'It used a cache, whose initial content a scenario cannot define.' },
    summary: none,
  },
  cost: ({ operation }) => (operation === 'get' ? localActivity : orElse(localActivity, ordinaryActivity)),
  caption: ({ operation, key }) => `cache ${operation} ${key.expr}`,
  data: writing((task) => (task.operation === 'get' ? variable(task.resultVar) : [])),
  call: none,
  credential: none,
  scheduledStart: none,
  stops: none,
  failures: none,
  scale: timeless,
};

/** Reads the task block. */
function read(block: Place, within: GraphReading): CacheTask | undefined {
  const operation = oneOf(block.at('operation'), ['get', 'put'], 'CACHE_OP', 'operation');
  const key = readComputed(block.at('key'), within, 'key', 'CACHE_KEY');
  if (operation === 'get') {
    const resultVar = block.has('resultVar') ? identifier(block.at('resultVar'), 'resultVar') : undefined;
    if (!block.has('resultVar')) block.error('CACHE_RESULTVAR', 'get has no resultVar to write to.', undefined, 'key');
    return key && resultVar !== undefined ? { kind: 'cache:v1', operation, key, resultVar } : undefined;
  }
  if (operation !== 'put') return undefined;
  if (block.has('resultVar'))
    block.at('resultVar').error('CACHE_RESULTVAR', 'put has no result.', 'Remove resultVar.', 'key');
  const value = readComputed(block.at('value'), within, 'mapper', 'CACHE_VALUE');
  const ttlSeconds = block.has('ttlSeconds') ? integer(block.at('ttlSeconds'), 'CACHE_TTL', 'ttlSeconds') : undefined;
  return key && value && { kind: 'cache:v1', operation, key, value, ...ifDefined('ttlSeconds', ttlSeconds) };
}

function readComputed(
  place: Place,
  within: GraphReading,
  site: 'key' | 'mapper',
  code: 'CACHE_KEY' | 'CACHE_VALUE',
): Expression | undefined {
  if (hasMapper(place)) return mapper(place, siteIn(within, site));
  place.error(code, `An expression is expected, not ${describeType(place.value)}.`, asExpression);
  return undefined;
}

/** A key is a text; any other value is written as canonical JSON. */
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

/** Creates a cache for one run: empty at its start, on the virtual clock. */
function virtualCache(): VirtualEffect {
  const entries = new Map<string, { value: Json; until: number }>();
  return async (input, _budgetMs, world) => {
    const request = input as CacheRequest;
    if ('get' in request) {
      const found = entries.get(request.get);
      return found && world.now() < found.until ? copy(found.value) : null;
    }
    const until = world.now() + (request.ttlSeconds ?? defaultTtlSeconds) * 1_000;
    entries.set(request.put, { value: copy(request.value), until });
    return null;
  };
}
