import { equal, type JsonObject } from '../../../src/base/json/value.js';
import { type Books, shown, undoing } from './books.js';
import { codeOf } from './check-inner-graphs.js';
import { compensatedAbove, deadlineCode } from './journey.js';
import { worldStart } from './journey-builder.js';
import type { Visit } from './log.js';

/** The outcome agrees with the visited states, and with the interruption of the run. */
export function* checkEnd(books: Books): Generator<string> {
  const { log, world } = books;
  const { outcome, cuts, endedAt, ended } = log;
  yield* checkDeadline(books);
  if (!outcome) {
    if (cuts.length > 0) yield 'it was cut short, and did not end';
    return;
  }
  const end = books.endOf('');
  const [cut] = cuts;
  if (outcome.terminatedAtState !== books.byFrame.get('')?.at(-1)?.state)
    yield `it ended at ${outcome.terminatedAtState}, which is not the last state`;
  const attributes = attributesOf(books);
  if (!equal(outcome.attributes, attributes)) yield `it has the attributes ${shown(outcome.attributes)}`;
  for (const it of books.effects)
    if (!it.safe && it.seq < ended! && (it.answered ?? Number.POSITIVE_INFINITY) > ended!)
      yield `it ended before the call of ${it.visit.state} did`;
  if (cut && !(end && end.seq < cut.seq)) {
    const [kind, code] = cut.cause === 'cancel' ? ['Cancel', 'JOURNEY_CANCELLED'] : ['Timeout', deadlineCode];
    if (outcome.terminationKind !== kind || outcome.error?.code !== code || outcome.phase !== 'FAILED')
      yield `it was cut short by ${cut.cause}, and ended with ${outcome.terminationKind} ${outcome.error?.code}`;
    const at = books.settledAt(cut.seq, cut.at, () => true);
    if (endedAt !== at) yield `it was cut short at ${cut.at} and ended at ${endedAt}, not at ${at}`;
    return;
  }
  if (!end) return yield `it ended as ${outcome.phase} in the middle of its states`;
  if (outcome.phase !== (end.failed ? 'FAILED' : 'SUCCEEDED')) yield `it ended as ${outcome.phase}`;
  if (outcome.terminationKind !== end.kind) yield `it ended with ${outcome.terminationKind}, not ${end.kind}`;
  if (!equal(outcome.output, end.output)) yield `it has the output ${shown(outcome.output)}, not ${shown(end.output)}`;
  const code = end.code === undefined ? undefined : codeOf(end.code);
  if (outcome.error?.code !== code) yield `it failed with ${outcome.error?.code}, not ${code}`;
  if (endedAt !== end.at) yield `it ended at ${endedAt}, its last state at ${end.at}`;
  if (!equal(log.context, end.visit.after)) yield `its last context is ${shown(log.context)}`;
  if (world.journey.deadlineMs !== undefined && endedAt! > books.arrival(worldStart + world.journey.deadlineMs))
    yield 'it ended by itself after its deadline';
}

function attributesOf(books: Books): JsonObject {
  const out: JsonObject = {};
  for (const visit of books.log.visits) {
    const fact = books.fact(visit);
    if (fact.is === 'attribute' && visit.left !== undefined) out[fact.name] = String(visit.before[fact.from]);
  }
  return out;
}

/** A deadline and a cancel take effect exactly at their time. */
function* checkDeadline(books: Books): Generator<string> {
  const { log, world } = books;
  const deadline = log.cuts.filter(({ cause }) => cause === 'deadline');
  const { deadlineMs } = world.journey;
  if (deadline.length > 1) yield 'its deadline came twice';
  if (deadlineMs === undefined) {
    if (deadline.length > 0) yield 'it has no deadline, and one came';
    return;
  }
  const at = books.arrival(worldStart + deadlineMs);
  if (deadline[0] && deadline[0].at !== at) yield `its deadline came at ${deadline[0].at}, not at ${at}`;
  if (!deadline[0] && (log.endedAt ?? Number.POSITIVE_INFINITY) > at && log.cuts.length === 0)
    yield 'its deadline did not come';
}

/** The compensation runs once if due, after the run, and undoes the calls in reverse order, each once. */
export function* checkCompensation(books: Books): Generator<string> {
  const { log } = books;
  const isDue = isCompensationDue(books);
  if (log.compensations.length !== (isDue ? 1 : 0)) {
    yield `it was compensated ${log.compensations.length} times, and a compensation is ${isDue ? '' : 'not '}due`;
    return;
  }
  const visits = log.visits.filter(({ frame }) => books.isUndoing(frame));
  if (!isDue) {
    if (visits.length > 0) yield `its compensation entered ${visits[0]!.state} without being due`;
    return;
  }
  const { outcome } = log.compensations[0]!;
  if (outcome?.phase !== 'SUCCEEDED' || outcome.terminatedAtState !== 'undone')
    yield `its compensation ended as ${outcome?.phase} at ${outcome?.terminatedAtState}: ${shown(outcome?.error ?? null)}`;
  if (visits.some(({ entered }) => entered < log.ended!)) yield 'its compensation began before it had ended';
  yield* checkUndos(books, visits);
}

function isCompensationDue({ log, world }: Books): boolean {
  const { compensation } = world.journey;
  if (!compensation || !log.outcome) return false;
  if (log.outcome.phase === 'FAILED' || compensation.alsoFor === 'always') return true;
  return compensation.alsoFor === 'above' && Number(log.context!.a) > compensatedAbove;
}

function* checkUndos(books: Books, visits: readonly Visit[]): Generator<string> {
  const { undos } = books.world.journey;
  const made = visits.filter(({ frame, effects }) => frame === undoing && effects.length > 0).map(({ state }) => state);
  const expected = undos.filter(({ call, map }) => map === undefined && hasVisibleResult(books, call));
  const names = expected.map(({ call }) => `undo_${call}`);
  if (!equal(made, names))
    yield `its compensation made ${made.join(', ') || 'nothing'} instead of ${names.join(', ') || 'nothing'}`;
  yield* checkReverse(books, made);
  const items = visits.filter(({ frame, effects }) => frame !== undoing && effects.length > 0);
  const undone = items.map(({ state, index }) => `${state}/${index}`).sort();
  const acted = undos.flatMap(({ map }) => (map === undefined ? [] : itemCalls(books, map))).sort();
  if (!equal(undone, acted))
    yield `its compensation undid in items ${undone.join(', ') || 'nothing'} instead of ${acted.join(', ') || 'nothing'}`;
}

/** The last call of the journey's own graph is undone first. */
function* checkReverse(books: Books, made: readonly string[]): Generator<string> {
  const lastAt = (undo: string) =>
    Math.max(
      ...books.effects.filter((it) => it.visit.frame === '' && `undo_${it.visit.state}` === undo).map((it) => it.seq),
    );
  const own = made.map(lastAt).filter((seq) => seq > 0);
  for (const [i, seq] of own.entries())
    if (i > 0 && seq > own[i - 1]! && !books.world.journey.features.has('loop'))
      yield `its compensation undid an earlier call first: ${made.join(', ')}`;
}

/** Whether a call has a result that is visible to the compensation. */
function hasVisibleResult(books: Books, call: string): boolean {
  return books.effects.some(({ visit }) => visit.state === call && !isLostInside(books, visit.frame));
}

/** A failed graph has no output, so its effects are not visible outside. */
function isLostInside(books: Books, frame: string): boolean {
  for (let at = frame, parent = books.parents.get(at); parent; at = parent.frame, parent = books.parents.get(at)) {
    const { is } = books.fact(parent);
    if (is !== 'parallel' && books.endOf(at)?.failed) return true;
  }
  return false;
}

function itemCalls(books: Books, map: string): string[] {
  const calls = books.effects.filter(({ visit, safe }) => {
    if (safe || visit.index === undefined || isLostInside(books, visit.frame)) return false;
    return visit.frame.split('/').some((part) => part.startsWith(`${map}#`)) && !isHidden(books, visit);
  });
  return [...new Set(calls.map(({ visit }) => `undo_${visit.state}/${visit.index}`))];
}

/** Whether the result of a call stays in a branch, because the join keeps only its mapper's result, or has no variable. */
function isHidden(books: Books, { frame, state }: Visit): boolean {
  const own = books.world.journey.facts.get(state)!;
  if (own.is !== 'http' || own.notify) return true;
  for (let parent = books.parents.get(frame); parent; parent = books.parents.get(parent.frame)) {
    const fact = books.fact(parent);
    if (fact.is === 'map') return false;
    if (fact.is !== 'parallel' || fact.resultVar !== undefined) return true;
  }
  return false;
}
