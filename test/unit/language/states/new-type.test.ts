import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../../../../src/base/document/placed-value.js';
import { integer } from '../../../../src/base/document/read-fields.js';
import { part, shape, wholeOf } from '../../../../src/base/document/schema-builders.js';
import { timeless } from '../../../../src/base/time/time-scale.js';
import { workCosts } from '../../../../src/engine/budgets.js';
import type { Expression, Graph } from '../../../../src/engine/definition/definition.js';
import { executeGraph } from '../../../../src/engine/execute-graph.js';
import { childId, type Frame, newFrame, type Progress, progressOf, setRequest } from '../../../../src/engine/frame.js';
import { Interrupted, type Scope } from '../../../../src/engine/host.js';
import type { Run } from '../../../../src/engine/run.js';
import type { Step } from '../../../../src/engine/runner-interfaces.js';
import { journeyDiagram } from '../../../../src/graph/journey-diagram.js';
import { costOf } from '../../../../src/language/analysis/cost/estimate-cost.js';
import { load } from '../../../../src/language/load-journey.js';
import type { GraphReading } from '../../../../src/language/read/document-reading-state.js';
import { conditionKeys, predicateIn, siteIn } from '../../../../src/language/read/read-expressions-and-mappers.js';
import { graphReading, readGraph } from '../../../../src/language/read/read-graph.js';
import { nextOf } from '../../../../src/language/read/read-state-references.js';
import { vocabulary } from '../../../../src/language/state-types-and-task-kinds.js';
import { isTrue } from '../../../../src/language/states/check-predicate-result.js';
import { noData } from '../../../../src/language/states/context-reads-and-writes.js';
import { type State, stateTypes } from '../../../../src/language/states/registry.js';
import {
  awaitsNothing,
  blockOf,
  next,
  noDifferences,
  noGraphs,
  type StateType,
  stateSchema,
  toNext,
} from '../../../../src/language/states/state-type.js';
import { ScriptedBackend } from '../../../../src/scenarios/scripted-backend.js';
import { Timeline } from '../../../../src/scenarios/simulate/timeline.js';
import { Simulation } from '../../../../src/scenarios/virtual/simulation.js';
import { withListener } from '../../../../src/scenarios/virtual/state-listener.js';
import { VirtualClock } from '../../../../src/scenarios/virtual/virtual-clock.js';
import { VirtualEffects } from '../../../../src/scenarios/virtual/virtual-effects.js';
import { checkInnerGraphs } from './check-inner-graphs.js';

/** A state type unknown to the product, which runs a graph in rounds: written as CONTRIBUTING describes, registered only here. */
interface RepeatState {
  type: 'repeat';
  until: Expression;
  rounds: number;
  graph: Graph;
  next: string;
}

const schema = stateSchema(
  'repeat',
  'Runs states in rounds.',
  {
    repeat: shape(
      'The rounds.',
      {
        until: part('condition', 'Evaluated after each round.'),
        rounds: wholeOf('The most rounds.'),
        start: part('stateId'),
        states: part('states'),
      },
      ['until', 'rounds', 'start', 'states'],
    ),
    next,
  },
  ['repeat', 'next'],
  [],
);

const repeat: StateType<RepeatState> = {
  type: 'repeat',
  isExtension: true,
  impliedBy: ['repeat'],
  schema,
  read,
  execute,
  instant: false,
  exits: toNext,
  awaits: awaitsNothing,
  caption: ({ until }) => `until ${until.expr}`,
  inner: {
    ...noGraphs,
    map: (state, change) => ({ ...state, graph: change(state.graph, ['repeat']) }),
    runs: ({ rounds }) => ({ roundsAtMost: rounds }),
  },
  data: {
    ...noData,
    after({ graph }, context, flow) {
      const ended = flow.walk(graph, ['repeat'], context);
      flow.result('repeat/until', ended);
      return ended;
    },
  },
  scale: timeless,
  compare: noDifferences,
  migrate(before, after, frame, migration) {
    const progress = progressOf<RepeatProgress>(frame, 'repeat');
    return progress && migration.inner(before.graph, after.graph, progress.frame, ['repeat']);
  },
};

function read(state: Place, within: GraphReading, id: string): RepeatState | undefined {
  const next = nextOf(state, within);
  const block = blockOf(state, repeat);
  if (!block) return undefined;
  const condition = block.at('until');
  if (condition.object) condition.only(conditionKeys);
  const until = predicateIn(condition, siteIn(within, 'predicate'));
  const rounds = integer(block.at('rounds'), 'FIELD_TYPE', 'rounds');
  const inner = graphReading(within.reading, 'branch', `the repeat "${id}"`, block, within.bindings, within);
  const graph = readGraph(block, inner, { empty: 'STATES_EMPTY', start: 'START_UNKNOWN' });
  if (inner.broken) within.broken = true;
  return until && rounds !== undefined ? { type: 'repeat', until, rounds, graph, next } : undefined;
}

interface RepeatProgress extends Progress {
  kind: 'repeat';
  round: { number: number; max: number };
  frame: Frame;
}

async function execute(
  { graph, until, rounds, next }: RepeatState,
  frame: Frame,
  scope: Scope,
  run: Run,
): Promise<Step> {
  const begin = (number: number): RepeatProgress => {
    const child = newFrame(childId(frame, String(number)), graph.start, frame.context, frame);
    return { kind: 'repeat', round: { number, max: rounds }, frame: child };
  };
  let progress = progressOf<RepeatProgress>(frame, 'repeat') ?? begin(1);
  for (;;) {
    frame.progress = progress;
    const child = progress.frame;
    setRequest(frame, undefined);
    run.turn.spend(workCosts.subjourney);
    run.parking.working.add(child);
    run.parking.leave(frame);
    try {
      const end = await executeGraph(graph, child, scope, run, () => run.parking.working.add(frame));
      frame.context = end.context;
      if (end.phase === 'FAILED') return { end };
    } catch (error) {
      if (error instanceof Interrupted && child.acted) frame.context = child.context;
      throw error;
    } finally {
      if (child.acted) frame.acted = true;
      setRequest(frame, child.request);
    }
    if (isTrue(await run.evaluate(until, 'predicate', frame))) return { next };
    const { number } = progress.round;
    if (number >= rounds) return { next };
    progress = begin(number + 1);
  }
}

// Its line in the registry, for the duration of these tests.
const registry = stateTypes as Map<string, StateType<State>>;
beforeAll(() => void registry.set(repeat.type, repeat as unknown as StateType<State>));
afterAll(() => void registry.delete(repeat.type));

const end = { type: 'succeed' };
const lang = 'dataweave';
const call = (url: string, resultVar: string, next: string) => ({
  type: 'task',
  task: { kind: 'httpCall:v1', method: 'POST', url, resultVar },
  next,
});
const nap = { type: 'timer', timer: { duration: 'PT1S' }, next: 'count' };
const count = { mapper: { lang, expr: 'context.n + 1' }, target: { kind: 'var' }, resultVar: 'n' };

/** A journey that repeats a call and counts, up to five times, until `n` is 3. */
const repeating = (url: string) => ({
  lifecycle: { startMode: 'async' },
  start: 'again',
  states: {
    again: {
      type: 'repeat',
      repeat: {
        until: { predicate: { lang, expr: 'context.n >= 3' } },
        rounds: 5,
        start: 'ask',
        states: {
          ask: call(url, 'answer', 'nap'),
          nap,
          count: { type: 'transform', transform: count, next: 'end' },
          end,
        },
      },
      next: 'end',
    },
    end,
  },
});
const text = (spec: object) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Journey', metadata: { name: 'rounds', version: '1.0.0' }, spec });
const url = 'https://service.test/${context.n}';

describe('a new state type that runs a graph in rounds', () => {
  it('satisfies the rules of types with inner graphs', async () => {
    await checkInnerGraphs({ spec: repeating(url), input: { n: 0 } });
  });

  it('has the cost of all its rounds and of each', () => {
    const { definition } = load({ text: text(repeating(url)) });
    const { paths, loops } = costOf(definition!);
    expect(loops).toMatchObject([{ states: ['again'], perRound: { least: { calls: 1 }, most: { calls: 1 } } }]);
    expect(paths).toMatchObject([{ cost: { least: { calls: 1 }, most: { calls: 5 } } }]);
  });

  it('is drawn with a graph that repeats', () => {
    const { definition } = load({ text: text(repeating(url)) });
    const [, again] = journeyDiagram(definition!).graphs[0]!.nodes;
    expect(again).toMatchObject({ label: 'again', inner: [{ title: 'each round', repeats: true }] });
  });

  it('is not described as branches by simulate', async () => {
    const { definition } = load({ text: text(repeating(url)) });
    const clock = new VirtualClock(0);
    const timeline = new Timeline(0);
    const effects = new VirtualEffects(clock, new ScriptedBackend([]));
    const run = new Simulation(
      definition!,
      { n: 0 },
      { clock, effects, vocabulary: withListener(vocabulary, timeline) },
    );
    await run.toEnd();
    expect(timeline.events.filter(({ state }) => state === 'again').map(({ what }) => what)).toEqual(['repeat → end']);
    expect(timeline.events.filter(({ state }) => state === 'count').map(({ within }) => within)).toEqual([
      'again#1.1',
      'again#1.2',
      'again#1.3',
    ]);
  });

  it('has findings about calls repeated by each round, and about data that no round writes', () => {
    const codes = (spec: object) => load({ text: text(spec) }).findings.map(({ code }) => code);
    expect(codes(repeating(url))).toEqual([]);
    expect(codes(repeating('https://service.test/order'))).toEqual(['CALL_REPEATED']);
    const input = { schema: { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false } };
    expect(codes({ input, ...repeating('https://service.test/${context.answer.body.id}') })).toEqual([]);
    expect(codes({ input, ...repeating('https://service.test/${context.n}/${context.nobody}') })).not.toEqual([]);
  });
});
