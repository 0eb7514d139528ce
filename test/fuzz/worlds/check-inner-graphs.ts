import { jsonBytes } from '../../../src/base/json/size.js';
import { equal, type Json, type JsonObject, own } from '../../../src/base/json/value.js';
import { defaultLimits } from '../../../src/expressions/expression-engine-interface.js';
import { type Books, type Decision, type GraphEnd, mergeChanges, shown, withoutPayload, withValue } from './books.js';
import { nameOf } from './check-frames.js';
import { differences } from './check-states.js';
import type { MapFact, ParallelFact, SubjourneyFact } from './facts.js';
import type { Visit } from './log.js';

/** The results of states with inner graphs: complete, in order, and not before the decision. */
export function* checkInnerGraphs(books: Books): Generator<string> {
  for (const visit of books.log.visits) {
    const fact = books.fact(visit);
    if (fact.is === 'parallel') yield* checkParallel(books, fact, visit);
    else if (fact.is === 'map') yield* checkMap(books, fact, visit);
    else if (fact.is === 'subjourney' && visit.left !== undefined) yield* checkSubjourney(books, fact, visit);
  }
}

/** A decided state ends when the unsafe effects in flight inside it have ended. */
function* checkTime(books: Books, visit: Visit, decision: Decision): Generator<string> {
  const inside = [...(books.children.get(visit)?.values() ?? [])];
  const isInside = (frame: string) => inside.some((it) => frame === it || frame.startsWith(`${it}/`));
  const cut = Math.min(...inside.map((frame) => books.cutOf(frame)));
  const at = books.settledAt(cut, decision.at, isInside);
  if (visit.leftAt !== at) yield `${nameOf(visit)} ended at ${visit.leftAt}, not at ${at}`;
}

function* checkParallel(books: Books, fact: ParallelFact, visit: Visit): Generator<string> {
  const started = [...(books.children.get(visit)?.keys() ?? [])];
  const missing = fact.branches.filter((name) => !started.includes(name));
  // A branch that ends at once may decide before the others start; in an item, they may wait for a slot.
  const isAtOnce = books.decisionOf(visit)?.at === visit.enteredAt || visit.index !== undefined;
  if (missing.length > 0 && !isAtOnce && visit.entered < books.cutOf(visit.frame))
    yield `${nameOf(visit)} did not start ${missing.join(', ')}`;
  if (visit.left === undefined) return;
  const decision = books.decisionOf(visit);
  if (!decision) return yield `${nameOf(visit)} ended, but nothing decided it`;
  yield* checkTime(books, visit, decision);
  const isFirst = fact.strategy !== 'allOf';
  const branches = fact.branches.flatMap((name) => books.child(visit, name) ?? []);
  const ends = isFirst ? [decision.by] : branches;
  const failed = ends.map((frame) => books.endOf(frame)).find((end) => end?.failed);
  const { before } = visit;
  if (failed && fact.errorPolicy !== 'ignoreErrors' && (isFirst || fact.resultVar === undefined)) {
    const acted = branches.filter((frame) => books.acted(frame));
    return yield* differences(visit, {
      after: merged(books, before, acted),
      end: { failed: true, ...(failed.code !== undefined && { code: codeOf(failed.code) }) },
    });
  }
  if (fact.resultVar !== undefined) {
    const result = joined(books, fact, visit);
    if (isTooLarge(result, visit)) return;
    const after = withValue(before, fact.resultVar, result);
    return yield* differences(visit, { after, next: fact.next });
  }
  const cutShort = branches.filter((frame) => frame !== decision.by && books.acted(frame));
  const after = merged(books, before, isFirst ? [...cutShort, decision.by] : branches);
  yield* differences(visit, { after, next: fact.next });
}

/** Problem codes that a journey sees under another name. */
export function codeOf(code: string): string {
  return code === 'PLUGIN_CRASHED' || tooLarge.has(code) ? 'urn:journeyforge:error:internal' : code;
}

/** Errors of expressions with a too large result. */
const tooLarge: ReadonlySet<string> = new Set(['DW_MAX_RESULT_SIZE_EXCEEDED', 'JSONATA_LIMIT_EXCEEDED']);

/** Whether a state correctly failed with a too large result: that of a join in a loop doubles. The limit applies to an estimate. */
function isTooLarge(result: Json, { problem }: Visit): boolean {
  return problem !== undefined && tooLarge.has(problem) && 2 * jsonBytes(result) > defaultLimits.outputBytes;
}

function merged(books: Books, before: JsonObject, frames: readonly string[]): JsonObject {
  return frames.reduce(
    (context, frame) => mergeChanges(context, withoutPayload(before), withoutPayload(books.contextOf(frame))),
    before,
  );
}

/** The value of a join's mapper. */
function joined(books: Books, { branches, resultVar }: ParallelFact, visit: Visit): Json {
  const contexts: JsonObject = {};
  const outcomes: JsonObject = {};
  for (const name of branches) {
    const frame = books.child(visit, name)!;
    const end = books.endOf(frame);
    contexts[name] = end || books.acted(frame) ? books.contextOf(frame) : null;
    outcomes[name] = end ? innerOutcome(end, seenOutcome(visit.after?.[resultVar!], name)) : null;
  }
  return { contexts, outcomes };
}

/** The outcome of a branch. Only the texts of the engine's errors are taken from the observed outcome. */
function innerOutcome({ visit: { end }, code }: GraphEnd, seen: Json | undefined): Json {
  if (end) return { phase: end.phase, terminationKind: end.terminationKind, output: end.output, error: end.error };
  const error = { ...(own(seen, 'error') as JsonObject), code: codeOf(code!) };
  return { phase: 'FAILED', terminationKind: 'RuntimeError', output: null, error };
}

/** The outcome of a branch as the join's mapper returned it. */
function seenOutcome(result: Json | undefined, name: string): Json | undefined {
  return own(own(result, 'outcomes'), name);
}

function* checkMap(books: Books, fact: MapFact, visit: Visit): Generator<string> {
  const name = nameOf(visit);
  const items = books.itemsOf(visit);
  const frames = [...(books.children.get(visit)?.entries() ?? [])];
  yield* checkItems(books, fact, visit, items);
  if (visit.left === undefined) return;
  const decision = books.decisionOf(visit);
  if (decision) yield* checkGrants(books, visit, decision);
  if (decision) yield* checkTime(books, visit, decision);
  else if (items.length > 0) return yield `${name} ended, but nothing decided it`;
  const isFailed =
    decision && books.endOf(decision.by)?.failed && failuresBefore(books, frames, decision) > fact.tolerated;
  const results: Json[] = items.map(() => null);
  const failures: number[] = [];
  for (const [index, frame] of frames) {
    const end = books.endOf(frame);
    if (end?.failed) failures.push(Number(index));
    else if (end) results[Number(index)] = end.output;
    // Items closed by `until` are not among the results.
    else if (books.acted(frame) && isFailed) results[Number(index)] = withoutPayload(books.contextOf(frame));
  }
  const value = visit.after?.[fact.resultVar];
  const seen = fact.detailed ? (value as JsonObject | undefined) : { results: value ?? null };
  if (!equal(seen?.results, results)) yield `${name} has the results ${shown(seen?.results)}, not ${shown(results)}`;
  const failed = (seen?.failures as { index: number }[] | undefined)?.map(({ index }) => index);
  failures.sort((a, b) => a - b);
  if (fact.detailed && !equal(failed, failures))
    yield `${name} lists the failures ${shown(failed)}, not ${shown(failures)}`;
  const after = withValue(visit.before, fact.resultVar, value ?? null);
  yield* differences(visit, isFailed ? { after, end: { failed: true } } : { after, next: fact.next });
}

/** The slot of the deciding item is not reused. */
function* checkGrants(books: Books, visit: Visit, decision: Decision): Generator<string> {
  for (const frame of books.children.get(visit)!.values()) {
    const visits = books.byFrame.get(frame)!;
    for (const [i, it] of visits.entries()) {
      const hasWaited = i === 0 || visits[i - 1]!.leftAt! < it.enteredAt;
      if (hasWaited && it.entered > decision.seq && it.enteredAt === decision.at)
        yield `${nameOf(it)} began although ${nameOf(visit)} was decided`;
    }
  }
}

function failuresBefore(books: Books, frames: [string, string][], { seq }: Decision): number {
  return frames.filter(([, frame]) => {
    const end = books.endOf(frame);
    return end?.failed && end.seq <= seq;
  }).length;
}

/** Items start in list order, with their own values, within the concurrency limit. */
function* checkItems(books: Books, fact: MapFact, visit: Visit, items: readonly Json[]): Generator<string> {
  const name = nameOf(visit);
  const frames = [...(books.children.get(visit)?.values() ?? [])];
  const firsts = frames.map((frame) => books.byFrame.get(frame)![0]!).sort((a, b) => a.entered - b.entered);
  for (const { index, item } of firsts)
    if (!equal(item, items[index!])) yield `item ${index} of ${name} is ${shown(item)}, not ${shown(items[index!])}`;
  const begun = firsts.map(({ index }) => index!);
  if (!begun.every((index, i) => index === i)) yield `the items of ${name} began in the order ${begun.join(', ')}`;
  // An item that waits for a submission does not count.
  if (frames.some((frame) => waits(books, frame))) return;
  for (const first of firsts) {
    const live = frames.filter((frame) => {
      const end = books.endOf(frame)?.seq ?? Number.POSITIVE_INFINITY;
      return books.byFrame.get(frame)![0]!.entered <= first.entered && end > first.entered;
    });
    if (live.length > fact.maxConcurrency) yield `${live.length} items of ${name} are in progress at once`;
  }
}

function waits(books: Books, frame: string): boolean {
  return books.log.visits.some(
    (it) => (it.frame === frame || it.frame.startsWith(`${frame}/`)) && books.fact(it).is === 'step',
  );
}

function* checkSubjourney(books: Books, fact: SubjourneyFact, visit: Visit): Generator<string> {
  const name = nameOf(visit);
  const frame = books.child(visit, fact.ref);
  const end = frame === undefined ? undefined : books.endOf(frame);
  if (!end) return yield `${name} ended before its graph`;
  if (visit.leftAt !== end.at) yield `${name} ended at ${visit.leftAt}, its graph at ${end.at}`;
  const seen = visit.after?.[fact.resultVar];
  const isKept = !end.failed || fact.captures || fact.wholeOutcome;
  const output = fact.wholeOutcome && isKept ? (seen as JsonObject | undefined)?.output : seen;
  if (isKept && !equal(output, end.output)) yield `${name} has the output ${shown(output)}, not ${shown(end.output)}`;
  if (fact.wholeOutcome && isKept && (seen as JsonObject | undefined)?.phase !== (end.failed ? 'FAILED' : 'SUCCEEDED'))
    yield `${name} has the outcome ${shown(seen)}`;
  const after = isKept ? withValue(visit.before, fact.resultVar, seen ?? null) : visit.before;
  if (end.failed && !fact.captures)
    yield* differences(visit, {
      after,
      end: { failed: true, ...(end.code !== undefined && { code: codeOf(end.code) }) },
    });
  else yield* differences(visit, { after, next: fact.next });
}
