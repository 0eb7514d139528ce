import type { Json, JsonObject } from '../../../src/base/json/value.js';
import {
  type Built,
  duration,
  graphEnd,
  type JourneyBuilder,
  type Piece,
  setState,
  variables,
  type Where,
} from './journey-builder.js';
import { plainPieces } from './plain-pieces.js';
import { anyTask } from './task-pieces.js';

const choice: Piece = (builder, states, next, where) => {
  const { random } = builder;
  const id = builder.id('choice');
  const over = random.pick(variables);
  const low = random.below(6);
  const above = [
    { above: low + 5, next: sequence(builder, states, next, where) },
    { above: low, next: random.chance(0.5) ? next : sequence(builder, states, next, where) },
  ];
  const otherwise = random.chance(0.97) ? next : undefined;
  const state = {
    type: 'choice',
    choices: above.map((it) => ({
      when: { predicate: builder.expression(`context.${over} > ${it.above}`) },
      next: it.next,
    })),
    ...(otherwise !== undefined && { default: otherwise }),
  };
  return builder.add(states, id, state, {
    is: 'choice',
    over,
    above,
    ...(otherwise !== undefined && { otherwise }),
  });
};

/** Runs a sequence a few times. */
const loop: Piece = (builder, states, next, where) => {
  const { random } = builder;
  const [reset, count, test] = [builder.id('reset'), builder.id('count'), builder.id('again')];
  const body = sequence(builder, states, count, { ...where, inLoop: true });
  const times = 1 + random.below(3);
  builder.feature('loop');
  const counter = `n${test}`;
  const zero = {
    type: 'transform',
    transform: { ...builder.mapper('0'), target: { kind: 'var' }, resultVar: counter },
  };
  builder.add(states, reset, { ...zero, next: body }, { is: 'set', next: body, variable: counter, from: '', add: 0 });
  builder.add(states, count, setState(builder, `context.${counter} + 1`, counter, test), {
    is: 'set',
    next: test,
    variable: counter,
    from: counter,
    add: 1,
  });
  const done = { when: { predicate: builder.expression(`context.${counter} > ${times - 1}`) }, next };
  builder.add(
    states,
    test,
    { type: 'choice', choices: [done], default: body },
    {
      is: 'choice',
      over: counter,
      above: [{ above: times - 1, next }],
      otherwise: body,
    },
  );
  return reset;
};

const parallel: Piece = (builder, states, next, where) => {
  const { random } = builder;
  const id = builder.id('parallel');
  const strategy = random.weighted([
    [3, 'allOf'],
    [2, 'anyOf'],
    [1, 'firstCompleted'],
  ] as const);
  const errorPolicy = random.pick(['collectAll', 'failFast', 'ignoreErrors'] as const);
  const resultVar = random.chance(0.25) ? id : undefined;
  const names = Array.from({ length: 1 + random.below(3) }, (_, i) => `b${i}`);
  // A join with a mapper keeps only its result, so the compensation does not see the branches.
  const { seenAs: before, ...rest } = where;
  const inner = {
    ...rest,
    depth: where.depth + 1,
    atTop: false,
    ...(before !== undefined && resultVar === undefined && { seenAs: before }),
    ...(resultVar !== undefined && where.itemCalls && { itemCalls: [] }),
  };
  const branches = names.map((name) => ({ name, ...graph(builder, inner, random.chance(0.2)) }));
  const join = {
    strategy,
    errorPolicy,
    ...(resultVar !== undefined && {
      ...builder.mapper('{"contexts": branches, "outcomes": branchOutcomes}'),
      resultVar,
    }),
  };
  return builder.add(
    states,
    id,
    { type: 'parallel', parallel: { branches, join }, next },
    {
      is: 'parallel',
      next,
      branches: names,
      strategy,
      errorPolicy,
      ...(resultVar !== undefined && { resultVar }),
    },
  );
};

const subjourney: Piece = (builder, states, next, where) => {
  const { random } = builder;
  const [id, ref] = [builder.id('sub'), builder.id('ref')];
  const wholeOutcome = random.chance(0.5);
  const captures = random.chance(0.7);
  const { seenAs: before, itemCalls: _, ...rest } = where;
  // A second call replaces the result of the first.
  const seenAs =
    before === undefined || where.inLoop || where.inItem
      ? undefined
      : `${before}.${id}${wholeOutcome ? '.output' : ''}`;
  const inner = { ...rest, depth: where.depth + 1, atTop: false, ...(seenAs !== undefined && { seenAs }) };
  builder.subjourneys[ref] = graph(builder, inner, random.chance(0.25));
  const state = {
    type: 'subjourney',
    subjourney: {
      ref,
      input: builder.mapper('{"a": context.a, "b": context.b, "c": context.c, "x": context.x}'),
      resultVar: id,
      resultKind: wholeOutcome ? 'outcome' : 'output',
      onFailure: { behavior: captures ? 'capture' : 'propagate' },
    },
    next,
  };
  return builder.add(states, id, state, { is: 'subjourney', next, ref, resultVar: id, wholeOutcome, captures });
};

const map: Piece = (builder, states, next, where) => {
  const { random } = builder;
  const [id, nap] = [builder.id('map'), builder.id('nap')];
  const items = Array.from({ length: random.below(6) }, (_, i) => {
    const ms = builder.ms(random.below(6));
    return { n: random.below(10), k: `key${i}`, nap: duration(ms), ms };
  });
  const keys = random.chance(0.5);
  const detailed = random.chance(0.5);
  const enough = random.chance(0.2) ? 1 + random.below(2) : undefined;
  const maxConcurrency = 1 + random.below(4);
  const tolerated = random.pick([0, 1, Number.POSITIVE_INFINITY]);
  const itemCalls: string[] = [];
  const { seenAs, ...rest } = where;
  const inner: Where = { ...rest, depth: where.depth + 1, atTop: false, inItem: true, itemCalls };
  const { start, states: own } = graph(builder, inner, false);
  const state = { type: 'timer', timer: { duration: builder.mapper('item.nap') }, next: start };
  builder.add(own, nap, state, { is: 'timer', next: start, perItem: true });
  builder.feature('map');
  const found = builder.lang === 'jsonata' ? '$count(results[$ != null])' : 'sizeOf(results filter $ != null)';
  const block: JsonObject = {
    items: builder.mapper(JSON.stringify(items)),
    input: builder.mapper('{"a": context.a + index, "b": context.b, "c": item.n, "x": context.x}'),
    ...(keys && { key: builder.mapper('item.k') }),
    maxConcurrency,
    errorPolicy: tolerated === 0 ? 'first' : tolerated === 1 ? { tolerate: 1 } : 'all',
    ...(enough !== undefined && { until: { lang: builder.lang, expr: `${found} >= ${enough}` } }),
    start: nap,
    states: own,
    ...(detailed && builder.mapper('{"results": results, "failures": failures}')),
    resultVar: id,
  };
  // Items closed by `until` are not among the results, and a second round replaces those of the first.
  if (seenAs !== undefined && enough === undefined && !where.inLoop && itemCalls.length > 0) {
    const list = `${seenAs}.${id}${detailed ? '.results' : ''}`;
    builder.undos.push({
      undo: { call: id, map: id },
      condition: `${list} != null`,
      items: { list, calls: itemCalls },
    });
  }
  return builder.add(
    states,
    id,
    { type: 'map', map: block, next },
    {
      is: 'map',
      next,
      resultVar: id,
      detailed,
      items: items as unknown as Json[],
      keys,
      maxConcurrency,
      tolerated,
      ...(enough !== undefined && { enough }),
    },
  );
};

/** A few pieces in sequence. */
export function sequence(builder: JourneyBuilder, states: JsonObject, next: string, where: Where): string {
  const { random } = builder;
  let start = next;
  for (let i = 1 + random.below(where.depth === 0 ? 4 : 3); i > 0; i--)
    start = piece(builder, where)(builder, states, start, where);
  return start;
}

function piece({ random, isLarge }: JourneyBuilder, where: Where): Piece {
  const nested = isLarge || where.depth >= 3 ? 0 : where.inItem ? 0.4 : 1;
  const compound: (readonly [number, Piece])[] = [
    [nested, choice],
    [where.inItem ? 0 : nested * 0.8, loop],
    [nested * 2, parallel],
    [where.inItem ? 0 : nested * 1.2, subjourney],
    // A map inside a map is invalid.
    [where.inItem ? 0 : nested * 1.5, map],
  ];
  return random.weighted([...plainPieces, [5, anyTask], ...compound]);
}

/** A separate graph. */
export function graph(builder: JourneyBuilder, where: Where, fails: boolean): Built {
  const states: JsonObject = {};
  // The compensation finds the variables of an inner graph in its output.
  const isSeen = where.seenAs !== undefined || (where.itemCalls !== undefined && builder.compensates);
  const end = graphEnd(builder, states, { fails, named: !isSeen && builder.random.chance(0.3) });
  return { start: sequence(builder, states, end, { ...where, graph: end }), states };
}
