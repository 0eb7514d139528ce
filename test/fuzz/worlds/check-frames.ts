import { equal, type JsonObject, own } from '../../../src/base/json/value.js';
import type { Books } from './books.js';
import { shown } from './books.js';
import type { Visit } from './log.js';

/** Types of states that only compute. */
const instant: ReadonlySet<string> = new Set([
  'set',
  'take',
  'path',
  'swap',
  'attribute',
  'choice',
  'undo-choice',
  'succeed',
  'fail',
]);

/** Checks the input of every state, and that none started after its graph was cut short. */
export function* checkFrames(books: Books): Generator<string> {
  for (const [frame, visits] of books.byFrame) {
    yield* checkStart(books, frame, visits[0]!);
    yield* checkScope(books, frame);
    for (const [i, visit] of visits.entries()) {
      const name = nameOf(visit);
      if (visit.number !== i + 1) yield `${name} is state number ${visit.number} of its graph, not ${i + 1}`;
      const before = visits[i - 1];
      if (before) yield* checkSuccession(before, visit);
      yield* checkCut(books, visit);
      yield* checkUnfinished(books, visit, i === visits.length - 1);
    }
  }
}

/** The name of a state in messages. */
export function nameOf({ state, frame, number }: Visit): string {
  return `${state}${frame === '' ? '' : ` in ${frame}`} (${number})`;
}

function* checkStart(books: Books, frame: string, first: Visit): Generator<string> {
  const name = nameOf(first);
  const parent = books.parents.get(frame);
  if (!parent) {
    const { definition } = books.world.journey;
    const isUndo = books.isUndoing(frame);
    const start = isUndo ? definition.compensation?.start : definition.start;
    if (first.state !== start) yield `${name} is the first state, not ${start}`;
    const context = isUndo ? books.log.context : books.world.input;
    if (!equal(first.before, context)) yield `${name} begins with the context ${shown(first.before)}`;
    return;
  }
  const expected = startContext(books, parent, first);
  if (!expected) yield `${name} began in ${parent.state}, which has no such graph`;
  else if (!equal(first.before, expected))
    yield `${name} begins with ${shown(first.before)} instead of ${shown(expected)}`;
  if (first.entered < parent.entered || first.entered > (parent.left ?? Number.POSITIVE_INFINITY))
    yield `${name} began outside of the time of ${nameOf(parent)}`;
}

function startContext(books: Books, parent: Visit, first: Visit): JsonObject | undefined {
  const fact = books.fact(parent);
  const { a, b, c, x } = parent.before;
  if (fact.is === 'parallel') return parent.before;
  const shared = { ...(b !== undefined && { b }), ...(x !== undefined && { x }) };
  if (fact.is === 'subjourney') return { ...shared, a: a ?? null, b: b ?? null, c: c ?? null, x: x ?? null };
  if (fact.is !== 'map') return undefined;
  if (fact.list) return {};
  const n = own(first.item, 'n');
  return { b: b ?? null, x: x ?? null, a: Number(a) + first.index!, c: n ?? null };
}

/** A state follows the one before it, with its context and without delay; items may wait for a slot. */
function* checkSuccession(before: Visit, visit: Visit): Generator<string> {
  const name = nameOf(visit);
  if (before.left === undefined || before.next === undefined) {
    yield `${name} began, but the state before it, ${nameOf(before)}, did not lead to another`;
    return;
  }
  if (visit.state !== before.next) yield `${name} follows ${nameOf(before)}, which leads to ${before.next}`;
  if (visit.entered < before.left) yield `${name} began before ${nameOf(before)} ended`;
  if (!equal(visit.before, before.after))
    yield `${name} begins with ${shown(visit.before)}, but ${nameOf(before)} ended with ${shown(before.after)}`;
  const delay = visit.enteredAt - before.leftAt!;
  if (visit.index === undefined && delay !== 0) yield `${name} began ${delay} ms after ${nameOf(before)} ended`;
}

/** A graph is cut short if and only if the run or an enclosing state is. */
function* checkScope(books: Books, frame: string): Generator<string> {
  const due = books.dueCutOf(frame);
  const cut = books.log.frames.get(frame)!.scope.cutAt;
  // A run that has ended by itself is not interrupted.
  const isOver = (books.endOf(frame)?.seq ?? Number.POSITIVE_INFINITY) < (due?.seq ?? 0);
  // An item that waits for a slot is in none of the recorded scopes.
  if (waitsForSlot(books, frame) || books.isCutBeforeResumed(frame)) return;
  if (cut && (!due || cut.seq < due.seq)) yield `the graph ${frame} was cut short without a reason`;
  if (due && !isOver && cut?.at !== due.at) yield `the graph ${frame} was cut short at ${cut?.at}, not at ${due.at}`;
}

/** Whether the last state of a graph in an item led to another that never started. */
function waitsForSlot(books: Books, frame: string): boolean {
  const { index, next } = books.byFrame.get(frame)!.at(-1)!;
  return index !== undefined && next !== undefined;
}

/** No state starts after a cut. A graph inside the run that has had consequences may still compute its result. */
function* checkCut(books: Books, visit: Visit): Generator<string> {
  const { frame, entered } = visit;
  if (entered < books.cutOf(frame)) return;
  const computes = frame !== '' && instant.has(books.fact(visit).is) && books.acted(frame, entered);
  if (!computes) yield `${nameOf(visit)} began after its graph was cut short`;
}

/** Only a cut leaves a state unfinished, or a step that waits at the end of the world. */
function* checkUnfinished(books: Books, visit: Visit, isLast: boolean): Generator<string> {
  if (visit.left !== undefined) {
    // The cut may happen at the same instant, before the next state starts.
    const cut = books.log.frames.get(visit.frame)!.scope.cutAt;
    const mayContinue = visit.next !== undefined && !(cut && cut.at <= visit.leftAt!);
    if (
      isLast &&
      mayContinue &&
      books.log.outcome &&
      !books.isCutBeforeResumed(visit.frame) &&
      !(waitsForSlot(books, visit.frame) && books.dueCutOf(visit.frame))
    )
      yield `nothing followed ${nameOf(visit)}, which leads to ${visit.next}`;
    return;
  }
  if (books.cutOf(visit.frame) < Number.POSITIVE_INFINITY) return;
  const fact = books.fact(visit);
  const hasInner = fact.is === 'parallel' || fact.is === 'map' || fact.is === 'subjourney';
  const waits = (fact.is === 'step' && fact.timeoutMs === undefined) || hasInner;
  if (books.log.outcome || !waits) yield `${nameOf(visit)} never ended`;
}
