import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/base/json/value.js';

/** A part of a graph: given the id of the next state, returns its states and the first of them. */
type Piece = (names: Names, next: string) => { start: string; states: JsonObject };

/** Creates unique ids for the states of one journey. */
class Names {
  private count = 0;
  readonly subjourneys: JsonObject = {};
  /**
   * A duration that differs from any other timer of the journey and from the sum of two others, so that no result depends on the order of events
   * at one instant.
   */
  duration(seconds: number): string {
    this.count += 1;
    return `PT${seconds}.${String((this.count ** 3 * 37 + 11) % 997).padStart(3, '0')}S`;
  }
  fresh(kind: string): string {
    this.count += 1;
    return `${kind}${this.count}`;
  }
}

const seconds = fc.integer({ min: 0, max: 20 });
const small = fc.integer({ min: 0, max: 9 });
const variable = fc.constantFrom('a', 'b', 'c');

/** Adds to a variable. */
const add: fc.Arbitrary<Piece> = fc.tuple(variable, small).map(([name, n]) => (names, next) => {
  const id = names.fresh('add');
  const transform = { mapper: `context.${name} + ${n}`, target: { kind: 'var' }, resultVar: name };
  return { start: id, states: { [id]: { type: 'transform', transform, next } } };
});

const sleep: fc.Arbitrary<Piece> = seconds.map((n) => (names, next) => {
  const id = names.fresh('sleep');
  return { start: id, states: { [id]: { type: 'timer', timer: { duration: names.duration(n) }, next } } };
});

/** A wait with a timeout, which random submissions may or may not meet. */
const ask: fc.Arbitrary<Piece> = fc
  .tuple(fc.integer({ min: 1, max: 15 }), variable)
  .map(([n, name]) => (names, next) => {
    const [id, keep] = [names.fresh('ask'), names.fresh('keep')];
    const wait = { channel: 'manual', input: { schema: { type: 'integer' } }, timeoutSec: n, onTimeout: next };
    const transform = { mapper: `context.${name} + payload`, target: { kind: 'var' }, resultVar: name };
    return {
      start: id,
      states: { [id]: { type: 'wait', wait, next: keep }, [keep]: { type: 'transform', transform, next } },
    };
  });

const call: fc.Arbitrary<Piece> = variable.map((name) => (names, next) => {
  const id = names.fresh('call');
  const task = {
    kind: 'httpCall:v1',
    method: 'POST',
    url: `https://service.test/${id}`,
    body: { mapper: `context.${name}` },
  };
  return { start: id, states: { [id]: { type: 'task', task, next } } };
});

/** Fails in some items of a map. */
const failing: fc.Arbitrary<Piece> = small.map((n) => (names, next) => {
  const [id, no] = [names.fresh('check'), names.fresh('no')];
  return {
    start: id,
    states: {
      [id]: { type: 'choice', choices: [{ when: `context.a > ${n}`, next: no }], default: next },
      [no]: { type: 'fail', errorCode: 'NO', reason: no },
    },
  };
});

const { sequence } = fc.letrec<{ sequence: Piece; piece: Piece; part: Piece }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    add,
    sleep,
    ask,
    call,
    choiceOf(tie('sequence')),
    loopOf(tie('sequence')),
    parallelOf(tie('sequence')),
    subjourneyOf(tie('sequence')),
    mapOf(tie('part')),
  ),
  /** The states of an item; maps cannot be nested. */
  part: fc.array(fc.oneof(add, sleep, ask, call, failing), { minLength: 1, maxLength: 3 }).map(inSequence),
  sequence: fc.array(tie('piece'), { minLength: 1, maxLength: 3 }).map(inSequence),
}));

function inSequence(pieces: readonly Piece[]): Piece {
  return (names, next) => {
    let start = next;
    let states: JsonObject = {};
    for (const piece of [...pieces].reverse()) {
      const built = piece(names, start);
      start = built.start;
      states = { ...built.states, ...states };
    }
    return { start, states };
  };
}

function choiceOf(inner: fc.Arbitrary<Piece>): fc.Arbitrary<Piece> {
  return fc.tuple(inner, variable, small).map(([then, name, n]) => (names, next) => {
    const id = names.fresh('choice');
    const branch = then(names, next);
    const choice = { type: 'choice', choices: [{ when: `context.${name} > ${n}`, next: branch.start }], default: next };
    return { start: id, states: { ...branch.states, [id]: choice } };
  });
}

/** Loops a few times. */
function loopOf(inner: fc.Arbitrary<Piece>): fc.Arbitrary<Piece> {
  return fc.tuple(inner, fc.integer({ min: 1, max: 4 })).map(([body, times]) => (names, next) => {
    const [reset, count, check] = [names.fresh('reset'), names.fresh('count'), names.fresh('check')];
    const around = body(names, count);
    const set = (id: string, mapper: string, then: string) => ({
      [id]: { type: 'transform', transform: { mapper, target: { kind: 'var' }, resultVar: check }, next: then },
    });
    return {
      start: reset,
      states: {
        ...around.states,
        ...set(reset, '0', around.start),
        ...set(count, `context.${check} + 1`, check),
        [check]: {
          type: 'choice',
          choices: [{ when: `context.${check} > ${times - 1}`, next }],
          default: around.start,
        },
      },
    };
  });
}

function parallelOf(inner: fc.Arbitrary<Piece>): fc.Arbitrary<Piece> {
  const branches = fc.array(fc.tuple(inner, fc.boolean()), { minLength: 1, maxLength: 3 });
  const strategy = fc.constantFrom('allOf', 'anyOf');
  const errorPolicy = fc.constantFrom('collectAll', 'failFast', 'ignoreErrors');
  return fc.tuple(branches, strategy, errorPolicy).map(([pieces, strategy, errorPolicy]) => (names, next) => {
    const id = names.fresh('parallel');
    const races = strategy === 'anyOf' || errorPolicy === 'failFast';
    const parallel = {
      branches: pieces.map(([piece, fails], i) => ({
        name: `b${i}`,
        ...graph(races ? afterSleep(piece, i) : piece, names, fails),
      })),
      join: { strategy, errorPolicy },
    };
    return { start: id, states: { [id]: { type: 'parallel', parallel, next } } };
  });
}

function afterSleep(piece: Piece, seconds: number): Piece {
  return (names, next) => {
    const id = names.fresh('sleep');
    const { start, states } = piece(names, next);
    const timer = { type: 'timer', timer: { duration: names.duration(seconds) }, next: start };
    return { start: id, states: { ...states, [id]: timer } };
  };
}

function subjourneyOf(inner: fc.Arbitrary<Piece>): fc.Arbitrary<Piece> {
  const kind = fc.constantFrom('output', 'outcome');
  return fc.tuple(inner, fc.boolean(), kind).map(([piece, fails, resultKind]) => (names, next) => {
    const [id, ref] = [names.fresh('call'), names.fresh('sub')];
    names.subjourneys[ref] = graph(piece, names, fails);
    const subjourney = {
      ref,
      input: { mapper: '{"a": context.a, "b": context.b, "c": context.c}' },
      resultVar: names.fresh('result'),
      resultKind,
      onFailure: { behavior: 'capture' },
    };
    return { start: id, states: { [id]: { type: 'subjourney', subjourney, next } } };
  });
}

/** Every item starts with a timer of a different duration, so that no two reach a state at the same instant. */
function mapOf(inner: fc.Arbitrary<Piece>): fc.Arbitrary<Piece> {
  const items = fc.array(small, { maxLength: 5 });
  const errorPolicy = fc.constantFrom<Json>('first', 'all', { tolerate: 1 });
  const maxConcurrency = fc.integer({ min: 1, max: 3 });
  return fc.tuple(inner, items, errorPolicy, maxConcurrency).map(([piece, of, errorPolicy, maxConcurrency]) => {
    return (names, next) => {
      const [id, nap] = [names.fresh('map'), names.fresh('nap')];
      const naps = of.map((n) => `{"n": ${n}, "for": "${names.duration(n)}"}`);
      const { start, states } = graph(piece, names, false) as { start: string; states: JsonObject };
      const map = {
        items: { mapper: `[${naps.join(', ')}]` },
        input: { mapper: '{"a": context.a + index, "b": context.b, "c": item.n}' },
        errorPolicy,
        maxConcurrency,
        start: nap,
        states: { ...states, [nap]: { type: 'timer', timer: { duration: { mapper: 'item.for' } }, next: start } },
        mapper: '{"results": results, "failures": failures}',
        resultVar: id,
      };
      return { start: id, states: { [id]: { type: 'map', map, next } } };
    };
  });
}

function graph(piece: Piece, names: Names, fails: boolean): JsonObject {
  const end = names.fresh('end');
  const { start, states } = piece(names, end);
  const last: Json = fails ? { type: 'fail', errorCode: 'FAILED', reason: end } : { type: 'succeed' };
  return { start, states: { ...states, [end]: last } };
}

/** The `spec` of a journey that always ends; the ids of its steps begin with `ask`. */
export const randomSpec: fc.Arbitrary<JsonObject> = fc
  .tuple(sequence, fc.option(fc.integer({ min: 5, max: 60 })))
  .map(([piece, deadline]) => {
    const names = new Names();
    const main = graph(piece, names, false);
    return {
      ...main,
      ...(Object.keys(names.subjourneys).length > 0 && { subjourneys: names.subjourneys }),
      ...(deadline !== null && {
        execution: { maxDurationSec: deadline, onTimeout: { errorCode: 'OUT_OF_TIME', reason: 'slow' } },
      }),
    };
  });
