import type { JsonObject } from '../../src/base/json/value.js';
import { assign, type Built, dataweave, inOrder, jsonata, one, type Piece, whole } from './graph.js';

/** Cheap states. */
export const step: Piece = (draft, next) =>
  draft.random.chance(0.5)
    ? one(draft, 'step', (id) => assign('n', dataweave(`(context.n default 0) + ${id.length}`), next))
    : one(draft, 'step', () => ({
        type: 'choice',
        choices: [{ when: { predicate: jsonata('context.n = 1') }, next }],
        default: next,
      }));

/** An expression near or beyond its cost limit. */
export const heavy: Piece = (draft, next) => {
  const n = draft.between(300, 6_000);
  const mapper = draft.random.pick([
    dataweave(`sum((1 to ${n}) map ($ * 2))`),
    dataweave(`sizeOf((1 to ${n}) filter (($ mod 7) == 3))`),
    dataweave(`sizeOf((1 to ${n}) orderBy -$)`),
    dataweave(`do { fun f(n) = if (n < 2) 1 else f(n - 1) + f(n - 2) --- f(${draft.between(8, 20)}) }`),
    dataweave(`sizeOf(dw::core::Strings::repeat("ab", ${n * 5}) scan /(a*)*b?/)`),
    dataweave(`(dw::core::Strings::repeat("a", ${n * 6}) ++ "!") matches /^(a|aa)+$/`),
    jsonata(`$sum($map([1..${n}], function($v) { $v * 2 }))`),
    jsonata(`$count([1..${n}][$ % 7 = 3])`),
  ]);
  return one(draft, 'heavy', () => assign(draft.fresh('h'), mapper, next));
};

/** Enlarges the context. */
export const large: Piece = (draft, next) => {
  const kilobytes = draft.random.pick([1, 10, 50, 200]);
  const mapper = draft.random.pick([
    dataweave(`dw::core::Strings::repeat("0123456789", ${kilobytes * 100})`),
    dataweave(`(1 to ${kilobytes * 20}) map {id: $, text: "a text of thirty characters"}`),
  ]);
  return one(draft, 'large', () => assign(draft.fresh('l'), mapper, next));
};

/** A call: fast or slow, with a response of up to 900 KB, in the default or a chosen execution mode. */
export const call: Piece = (draft, next) => {
  const { random } = draft;
  const answer = random.weighted([
    [6, 0],
    [2, 20],
    [1, 200],
    [1, 900],
  ]);
  const delay = random.weighted([
    [6, 0],
    [2, 50],
    [1, 500],
    [0.3, 2_500],
  ]);
  const method = random.pick(['GET', 'POST']);
  const task: JsonObject = {
    kind: 'httpCall:v1',
    method,
    url: `${draft.service}/answer?kb=${answer}&ms=${delay}`,
    ...(method === 'POST' && { body: random.chance(0.2) ? { mapper: dataweave('context') } : { n: 1 } }),
    ...(random.chance(0.3) && { run: random.pick(['local', 'activity']) }),
    resultVar: random.chance(0.7) ? 'answer' : draft.fresh('answer'),
  };
  return one(draft, 'call', () => ({ type: 'task', task, next }));
};

/** A timer of zero or nearly zero. */
export const blink: Piece = (draft, next) => {
  const duration = draft.random.weighted([
    [6, 'PT0S'],
    [2, 'PT0.01S'],
    [1, 'PT0.2S'],
  ]);
  return one(draft, 'blink', () => ({ type: 'timer', timer: { duration }, next }));
};

/** A long wait: a timer of seconds or an hour, a wait or a webhook, with or without a timeout. */
export const rest: Piece = (draft, next) => {
  const { random } = draft;
  const late = random.chance(0.5) ? { timeoutSec: random.pick([1, 3, 3_600]), onTimeout: next } : {};
  const input = { schema: { type: 'object' } };
  return one(draft, 'rest', () =>
    random.pick<JsonObject>([
      { type: 'timer', timer: { duration: random.pick(['PT1S', 'PT3S', 'PT1H']) }, next },
      { type: 'wait', wait: { channel: 'manual', input, ...late }, next },
      { type: 'webhook', webhook: { input, ...late }, next },
    ]),
  );
};

/** Nested parallels, up to `depth`, each with a small branch or two next to the deeper one. */
export function nested(leaf: Piece, beside: Piece, depth: number): Piece {
  if (depth === 0) return leaf;
  return (draft, next) => {
    const { random } = draft;
    const strategy = random.pick(['allOf', 'anyOf', 'firstCompleted']);
    const others = Array.from({ length: draft.between(1, 2) }, () => beside);
    const graphs = [nested(leaf, beside, depth - 1), ...others].map((piece, i) => ({
      name: `b${i}`,
      ...whole(piece, draft, random.chance(0.05)),
    }));
    const errorPolicy = random.pick(['collectAll', 'failFast', 'ignoreErrors']);
    return one(draft, 'par', () => ({
      type: 'parallel',
      parallel: { branches: random.chance(0.5) ? graphs : graphs.reverse(), join: { strategy, errorPolicy } },
      next,
    }));
  };
}

/** Many concurrent branches. */
export function wide(leaf: Piece, branches: number): Piece {
  return (draft, next) => {
    const graphs = Array.from({ length: branches }, (_, i) => ({ name: `b${i}`, ...whole(leaf, draft) }));
    const join = { strategy: draft.random.pick(['allOf', 'anyOf']), errorPolicy: 'ignoreErrors' };
    return one(draft, 'wide', () => ({ type: 'parallel', parallel: { branches: graphs, join }, next }));
  };
}

/** Nested subjourneys, `levels` deep; each calls the next `times` times. */
export function called(leaf: Piece, levels: number, times: number): Piece {
  return (draft, next) => {
    const names = Array.from({ length: levels }, () => draft.fresh('sub'));
    const calls = (ref: string): Piece =>
      inOrder(Array.from({ length: times }, () => callOf(ref, draft.random.chance(0.3))));
    names.forEach((name, i) => {
      const inner = names[i + 1];
      draft.subjourneys[name] = whole(inner === undefined ? leaf : calls(inner), draft);
    });
    return callOf(names[0]!, true)(draft, next);
  };
}

function callOf(ref: string, keeps: boolean): Piece {
  return (draft, next): Built =>
    one(draft, 'sub', () => ({
      type: 'subjourney',
      subjourney: {
        ref,
        input: { mapper: dataweave('{n: context.n default 0}') },
        ...(keeps && { resultVar: draft.fresh('r'), resultKind: draft.random.pick(['output', 'outcome']) }),
        onFailure: { behavior: 'capture' },
      },
      next,
    }));
}
