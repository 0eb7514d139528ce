import { equal, isObject, type Json, type JsonObject, own } from '../../../src/base/json/value.js';
import { type Books, shown, withoutPayload, withValue } from './books.js';
import { nameOf } from './check-frames.js';
import type { Fact } from './facts.js';
import type { Visit } from './log.js';

/** The expected result of a state. */
interface Expected {
  after?: JsonObject;
  next?: string;
  problem?: string;
  end?: { failed: boolean; code?: string; output?: Json };
  /** Its end time. */
  at?: number;
}

/** The result and the time of every state that computes or sleeps. */
export function* checkStates(books: Books): Generator<string> {
  for (const visit of books.log.visits) {
    if (visit.left === undefined) continue;
    const expected = expectedOf(books, books.fact(visit), visit);
    if (expected) yield* differences(visit, expected);
  }
}

/** The differences between a finished state and the expected result. */
export function* differences(visit: Visit, { after, next, problem, end, at }: Expected): Generator<string> {
  const name = nameOf(visit);
  if (problem !== undefined || visit.problem !== undefined) {
    if (visit.problem !== problem) yield `${name} failed with ${visit.problem}, not ${problem}`;
    return;
  }
  if (visit.next !== next) yield `${name} led to ${visit.next}, not ${next}`;
  if (after && !equal(visit.after, after)) yield `${name} left ${shown(visit.after)} behind, not ${shown(after)}`;
  if (at !== undefined && visit.leftAt !== at) yield `${name} ended at ${visit.leftAt}, not at ${at}`;
  if (!end || !visit.end) {
    if (end || visit.end) yield `${name} ${visit.end ? 'ended' : 'did not end'} its graph`;
    return;
  }
  if ((visit.end.phase === 'FAILED') !== end.failed) yield `${name} ended as ${visit.end.phase}`;
  if (end.code !== undefined && visit.end.error?.code !== end.code)
    yield `${name} ended with ${visit.end.error?.code}, not ${end.code}`;
  if (end.output !== undefined && !equal(visit.end.output, end.output))
    yield `${name} ended with the output ${shown(visit.end.output)}, not ${shown(end.output)}`;
}

function expectedOf(books: Books, fact: Fact, visit: Visit): Expected | undefined {
  const { before, enteredAt: at } = visit;
  const number = (name: string) => Number(before[name]);
  switch (fact.is) {
    case 'set': {
      const value = (fact.from === '' ? 0 : number(fact.from)) + fact.add;
      return { after: withValue(before, fact.variable, value), next: fact.next, at };
    }
    case 'take':
      return {
        after: withValue(before, fact.variable, number(fact.variable) + number('payload')),
        next: fact.next,
        at,
      };
    case 'path': {
      const [outer, inner] = fact.path;
      const there = before[outer];
      const value = { ...(isObject(there) && there), [inner]: { n: number(fact.from) } };
      return { after: withValue(before, outer, value), next: fact.next, at };
    }
    case 'swap':
      return { after: { a: number('b'), b: number('c'), c: number('a'), x: before.x! }, next: fact.next, at };
    case 'attribute':
      return { after: before, next: fact.next, at };
    case 'choice': {
      const next = fact.above.find(({ above }) => number(fact.over) > above)?.next ?? fact.otherwise;
      return next === undefined ? { problem: 'CHOICE_NO_MATCH' } : { after: before, next, at };
    }
    case 'xml': {
      const works = fact.valid && typeof before.x === 'string';
      const after = withValue(before, fact.resultVar, { o: { n: '1' } });
      return works ? { after, next: fact.next, at } : { problem: 'XML_DECODE_PARSE' };
    }
    case 'timer':
      return { after: before, next: fact.next, at: Math.max(at, books.arrival(dueOf(fact, visit))) };
    case 'succeed': {
      const named = fact.outputVar === undefined ? undefined : before[fact.outputVar];
      return { after: before, end: { failed: false, output: named ?? withoutPayload(before) }, at };
    }
    case 'fail':
      return { after: before, end: { failed: true, code: fact.code, output: null }, at };
    default:
      return undefined;
  }
}

function dueOf({ ms, until, perItem }: Extract<Fact, { is: 'timer' }>, { enteredAt, item }: Visit): number {
  if (until !== undefined) return until;
  return enteredAt + (perItem ? Number(own(item, 'ms')) : ms!);
}
