import type { JsonObject } from '../../../src/base/json/value.js';
import type { Definition } from '../../../src/engine/definition/definition.js';
import { load } from '../../../src/language/load-journey.js';
import type { TaskReader } from '../../../src/language/read/document-reading-state.js';
import { vocabulary } from '../../../src/language/state-types-and-task-kinds.js';
import { pluginReader } from '../../../src/language/tasks/plugin/plugin-task.js';
import { taskKinds } from '../../../src/language/tasks/registry.js';
import { Random } from '../dataweave/random.js';
import type { Fact, Undo } from './facts.js';
import { JourneyBuilder } from './journey-builder.js';
import { graph } from './pieces.js';
import { declaredPolicies } from './task-pieces.js';

/** A generated journey with the meaning of its states. */
export interface WorldJourney {
  document: JsonObject;
  definition: Definition;
  facts: ReadonlyMap<string, Fact>;
  /** The calls that its compensation undoes, in the required order. */
  undos: readonly Undo[];
  compensation?: { mode: 'sync' | 'async'; alsoFor: 'never' | 'always' | 'above' };
  deadlineMs?: number;
  cancellable: boolean;
  /** Used features that not every host supports. */
  features: ReadonlySet<string>;
}

/** The code that ends a run at its deadline. */
export const deadlineCode = 'OUT_OF_TIME';

const stamp = pluginReader({
  kind: 'stamp:v1',
  description: 'A task kind of a plugin.',
  fields: { text: { type: 'template', description: 'Any text.', required: true } },
  run: (input) => input,
});
const words = {
  states: vocabulary.states,
  tasks: new Map<string, TaskReader>([...taskKinds, [stamp.kind, stamp]]),
};

/** The journey of this seed. It always ends by itself, except at a step without a timeout. */
export function worldJourney(seed: number): WorldJourney {
  const random = new Random(seed);
  const lang = random.chance(0.75) ? 'dataweave' : 'jsonata';
  const compensates = random.chance(0.6);
  const builder = new JourneyBuilder(random, lang, compensates, 6 + random.below(24));
  const top = { graph: '', depth: 0, inItem: false, inLoop: false, atTop: true };
  const main = graph(builder, { ...top, ...(compensates && { seenAs: 'context' }) }, random.chance(0.25));
  if (builder.schedules) addScheduled(builder, main.states);
  const deadlineMs = random.chance(0.35) ? 1_000 * (3 + random.below(40)) : undefined;
  const cancellable = random.chance(0.9);
  const mode = random.pick(['sync', 'async'] as const);
  const alsoFor = random.weighted([
    [3, 'never'],
    [1, 'always'],
    [1, 'above'],
  ] as const);
  const spec: JsonObject = {
    ...(main as unknown as JsonObject),
    policies: declaredPolicies,
    lifecycle: { cancellable },
    ...(Object.keys(builder.subjourneys).length > 0 && { subjourneys: builder.subjourneys }),
    ...(deadlineMs !== undefined && {
      execution: { maxDurationSec: deadlineMs / 1_000, onTimeout: { errorCode: deadlineCode, reason: 'slow' } },
    }),
    ...(compensates && { compensation: compensation(builder, mode, alsoFor) }),
  };
  const document: JsonObject = {
    apiVersion: 'v1',
    kind: 'Journey',
    metadata: { name: 'world', version: '1.0.0' },
    spec,
  };
  return {
    document,
    definition: loaded(document),
    facts: builder.facts,
    undos: builder.undos.map(({ undo }) => undo),
    ...(compensates && { compensation: { mode, alsoFor } }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    cancellable,
    features: builder.features,
  };
}

function loaded(document: JsonObject): Definition {
  const { definition, findings } = load({ text: JSON.stringify(document), path: 'world.journey.json' }, { words });
  if (definition) return definition;
  const errors = findings.filter(({ severity }) => severity === 'error');
  throw new Error(`The generator made a journey that is not valid: ${JSON.stringify(errors, null, 1)}`);
}

/** The state at which schedules start their runs. */
function addScheduled(builder: JourneyBuilder, states: JsonObject): void {
  builder.add(states, 'scheduled', { type: 'succeed', outputVar: 'a' }, { is: 'succeed', outputVar: 'a' });
}

/** The threshold of `a` above which a success is compensated too. */
export const compensatedAbove = 6;

/** Undoes all calls in reverse order. */
function compensation(
  builder: JourneyBuilder,
  mode: 'sync' | 'async',
  alsoFor: 'never' | 'always' | 'above',
): JsonObject {
  const states: JsonObject = {};
  let next = builder.add(states, 'undone', { type: 'succeed' }, { is: 'succeed' });
  if (builder.random.chance(0.3)) {
    const ms = builder.ms(builder.random.below(9));
    next = builder.add(
      states,
      'pause',
      { type: 'timer', timer: { duration: `PT${ms / 1_000}S` }, next },
      { is: 'timer', next, ms },
    );
  }
  // Pieces are built from the end of a graph to its start: the first undo is that of the last call, and is made first.
  for (const { undo, condition, items } of [...builder.undos].reverse()) {
    const { call } = undo;
    const id = items ? undoItems(builder, states, call, items, next) : undoCall(builder, states, call, '', next);
    next = undoIf(builder, states, `if_${call}`, condition, id, next);
  }
  const when = { predicate: builder.expression(`context.a > ${compensatedAbove}`) };
  return {
    mode,
    start: next,
    states,
    ...(alsoFor === 'always' && { alsoFor: [{}] }),
    ...(alsoFor === 'above' && { alsoFor: [{ when }] }),
  };
}

function undoCall(builder: JourneyBuilder, states: JsonObject, call: string, below: string, next: string): string {
  const id = `undo_${call}`;
  const task = {
    kind: 'httpCall:v1',
    method: 'POST',
    url: `https://undo.test/${id}${below}`,
    timeoutMs: 3_100,
    resiliencePolicyRef: 'twice',
    resultVar: id,
  };
  return builder.add(
    states,
    id,
    { type: 'task', task, next },
    {
      is: 'http',
      next,
      unsafe: true,
      timeoutMs: 3_100,
      notify: false,
      resultVar: id,
      retry: { attempts: 2, on: ['NETWORK_ERROR', 'HTTP_5XX'], delayMs: 331 },
      once: false,
    },
  );
}

function undoIf(
  builder: JourneyBuilder,
  states: JsonObject,
  id: string,
  condition: string,
  next: string,
  otherwise: string,
): string {
  const when = { predicate: builder.expression(condition) };
  return builder.add(
    states,
    id,
    { type: 'choice', choices: [{ when, next }], default: otherwise },
    { is: 'undo-choice' },
  );
}

function undoItems(
  builder: JourneyBuilder,
  states: JsonObject,
  call: string,
  { list, calls }: { list: string; calls: string[] },
  next: string,
): string {
  const own: JsonObject = {};
  let start = builder.add(own, `undone_${call}`, { type: 'succeed' }, { is: 'succeed' });
  for (const each of calls) {
    const id = undoCall(builder, own, each, '/${index}', start);
    start = undoIf(builder, own, `if_${each}`, `item != null and item.${each} != null`, id, start);
  }
  const id = `undo_${call}`;
  const map = {
    items: builder.mapper(list),
    maxConcurrency: 1,
    errorPolicy: 'all',
    start,
    states: own,
    resultVar: id,
  };
  return builder.add(
    states,
    id,
    { type: 'map', map, next },
    {
      is: 'map',
      next,
      resultVar: id,
      detailed: false,
      items: [],
      list: list.split('.').slice(1),
      keys: false,
      maxConcurrency: 1,
      tolerated: Number.POSITIVE_INFINITY,
    },
  );
}
