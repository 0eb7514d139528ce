import type { Json, JsonObject } from '../../src/base/json/value.js';
import type { Random } from '../fuzz/dataweave/random.js';

/** The context of a generated document: random choices, unique names, and the parts outside its main graph. */
export class Draft {
  private count = 0;
  readonly subjourneys: JsonObject = {};

  constructor(
    readonly random: Random,
    /** The stand-in for services. */
    readonly service: string,
  ) {}

  fresh(kind: string): string {
    this.count += 1;
    return `${kind}${this.count}`;
  }

  /** A whole number, from `from` to `to`. */
  between(from: number, to: number): number {
    return from + this.random.below(to - from + 1);
  }
}

/** A piece of a graph: its entry and its states. */
export interface Built {
  start: string;
  states: JsonObject;
}

/** Creates a piece that continues at `next`. */
export type Piece = (draft: Draft, next: string) => Built;

export const dataweave = (expr: string): JsonObject => ({ lang: 'dataweave', expr });
export const jsonata = (expr: string): JsonObject => ({ lang: 'jsonata', expr });

/** One state. */
export function one(draft: Draft, kind: string, state: (id: string) => JsonObject): Built {
  const id = draft.fresh(kind);
  return { start: id, states: { [id]: state(id) } };
}

/** Pieces in sequence. */
export function inOrder(pieces: readonly Piece[]): Piece {
  return (draft, next) => {
    let built: Built = { start: next, states: {} };
    for (const piece of [...pieces].reverse()) {
      const { start, states } = piece(draft, built.start);
      built = { start, states: { ...states, ...built.states } };
    }
    return built;
  };
}

/** Sets a variable to the value of an expression. */
export function assign(name: string, mapper: JsonObject, next: string): JsonObject {
  return { type: 'transform', transform: { mapper, target: { kind: 'var' }, resultVar: name }, next };
}

/** A separate graph: the piece and its end. */
export function whole(piece: Piece, draft: Draft, fails = false): JsonObject {
  const end = draft.fresh('end');
  const { start, states } = piece(draft, end);
  const last: Json = fails
    ? { type: 'fail', errorCode: 'MEANT_TO_FAIL', reason: 'the generator wanted it' }
    : { type: 'succeed' };
  return { start, states: { ...states, [end]: last } };
}

/** A loop that repeats `times`, or forever. */
export function cycle(body: Piece, times: number | undefined): Piece {
  return (draft, next) => {
    if (times === undefined) {
      // The exit exists only to satisfy the loader.
      const check = draft.fresh('again');
      const around = body(draft, check);
      const out = { when: { predicate: dataweave('context.never == "ever"') }, next };
      return {
        start: check,
        states: { ...around.states, [check]: { type: 'choice', choices: [out], default: around.start } },
      };
    }
    const [reset, count, check] = [draft.fresh('reset'), draft.fresh('count'), draft.fresh('check')];
    const around = body(draft, count);
    const done = { when: { predicate: dataweave(`context.${check} >= ${times}`) }, next };
    return {
      start: reset,
      states: {
        ...around.states,
        [reset]: assign(check, dataweave('0'), around.start),
        [count]: assign(check, dataweave(`context.${check} + 1`), check),
        [check]: { type: 'choice', choices: [done], default: around.start },
      },
    };
  };
}
