import type { JsonObject } from '../../../src/base/json/value.js';
import { formatInstant } from '../../../src/base/time/instant.js';
import { duration, graphEnd, type Piece, setState, variables, worldStart } from './journey-builder.js';

/** Adds to a variable. */
const set: Piece = (builder, states, next) => {
  const { random } = builder;
  const [variable, from, add] = [random.pick(variables), random.pick(variables), random.below(10)];
  const state = setState(builder, `context.${from} + ${add}`, variable, next);
  return builder.add(states, builder.id('set'), state, { is: 'set', next, variable, from, add });
};

/** Writes to a path, to attributes or to the whole context. */
const write: Piece = (builder, states, next, where) => {
  const { random } = builder;
  const id = builder.id('write');
  const from = random.pick(variables);
  const kind = random.below(3);
  const transform = (mapper: string, target: JsonObject) => ({
    type: 'transform',
    transform: { ...builder.mapper(mapper), target },
    next,
  });
  // An attribute can be set once, and swapping drops data that the compensation needs.
  if (kind === 0 && !where.inLoop && !where.inItem) {
    const state = transform(`{"${id}": context.${from}}`, { kind: 'attributes' });
    return builder.add(states, id, state, { is: 'attribute', next, name: id, from });
  }
  if (kind === 1 && !builder.compensates && !where.inLoop) {
    const mapper = '{"a": context.b, "b": context.c, "c": context.a, "x": context.x}';
    const state = transform(mapper, { kind: 'context' });
    return builder.add(states, id, state, { is: 'swap', next });
  }
  const state = transform(`{"n": context.${from}}`, { kind: 'context', path: `${id}.inner` });
  return builder.add(states, id, state, { is: 'path', next, path: [id, 'inner'], from });
};

const timer: Piece = (builder, states, next) => {
  const { random } = builder;
  const id = builder.id('sleep');
  const ms = builder.ms(random.below(20));
  if (random.chance(0.15)) {
    const until = worldStart + ms;
    const state = { type: 'timer', timer: { until: formatInstant(until) }, next };
    builder.feature('until');
    return builder.add(states, id, state, { is: 'timer', next, until });
  }
  const state = { type: 'timer', timer: { duration: duration(ms) }, next };
  return builder.add(states, id, state, { is: 'timer', next, ms });
};

/** A step whose submission, a number, is added to a variable. */
const ask: Piece = (builder, states, next, where) => {
  const { random } = builder;
  const [id, taken] = [builder.id('ask'), builder.id('take')];
  const variable = random.pick(variables);
  const take = setState(builder, `context.${variable} + payload`, variable, next);
  builder.add(states, taken, take, { is: 'take', next, variable });
  const type = random.pick(['wait', 'webhook']);
  const seconds = random.chance(0.9) ? 1 + random.below(15) : undefined;
  const onTimeout = random.chance(0.85) || where.atTop ? next : graphEnd(builder, states, { fails: true });
  const block = {
    ...(type === 'wait' && { channel: 'manual' }),
    input: { schema: { type: 'integer' } },
    ...(seconds !== undefined && { timeoutSec: seconds, onTimeout }),
  };
  return builder.add(
    states,
    id,
    { type, [type]: block, next: taken },
    { is: 'step', next: taken, ...(seconds !== undefined && { timeoutMs: seconds * 1_000, onTimeout }) },
  );
};

/** Ends the graph as a failure if a variable is large. */
const check: Piece = (builder, states, next) => {
  const { random } = builder;
  const id = builder.id('check');
  const over = random.pick(variables);
  const above = 5 + random.below(20);
  const no = graphEnd(builder, states, { fails: true });
  const state = {
    type: 'choice',
    choices: [{ when: { predicate: builder.expression(`context.${over} > ${above}`) }, next: no }],
    default: next,
  };
  return builder.add(states, id, state, { is: 'choice', over, above: [{ above, next: no }], otherwise: next });
};

/** Pieces of one or two states that compute or wait, by weight. */
export const plainPieces: readonly (readonly [number, Piece])[] = [
  [2, set],
  [1, write],
  [2, timer],
  [2, ask],
  [0.7, check],
];
