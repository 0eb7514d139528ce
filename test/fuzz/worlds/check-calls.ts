import { equal, isObject, type Json, own } from '../../../src/base/json/value.js';
import { type Books, shown, withValue } from './books.js';
import { nameOf } from './check-frames.js';
import { differences } from './check-states.js';
import type { EffectFact, ErrorEntry, HttpFact } from './facts.js';
import type { Attempt, EffectCall, Visit, WorldReply } from './log.js';

/** Each visit of a state has one idempotency key, which all its attempts repeat; rounds of a poll have keys of their own. */
export function* checkKeys(books: Books): Generator<string> {
  const owners = new Map<string, Visit>();
  for (const visit of books.log.visits) {
    const fact = books.fact(visit);
    const rounds = fact.is === 'http' && fact.poll !== undefined;
    const keys = new Set<string>();
    for (const { key, safe, name } of visit.effects) {
      if (key !== undefined) keys.add(key);
      else if (!safe && name !== 'activity' && name !== 'cache') yield `${nameOf(visit)} called ${name} without a key`;
    }
    if (keys.size > 1 && !rounds) yield `${nameOf(visit)} used ${keys.size} keys: ${[...keys].join(', ')}`;
    for (const key of keys) {
      const owner = owners.get(key);
      if (owner) yield `${nameOf(visit)} repeated the key of ${nameOf(owner)}: ${key}`;
      owners.set(key, visit);
    }
  }
  const activities = new Set(books.effects.flatMap(({ name, visit }) => (name === 'activity' ? [visit.state] : [])));
  for (const { idempotencyKey, state } of books.log.outcome?.uncertain ?? [])
    if (!owners.has(idempotencyKey) && !activities.has(state))
      yield `the outcome lists ${idempotencyKey} as uncertain, which no call used`;
}

/** Attempts, results and times of all tasks with effects. */
export function* checkCalls(books: Books): Generator<string> {
  for (const visit of books.log.visits) {
    const fact = books.fact(visit);
    // The delay by an outage is limited by the budgets of calls, which are not modelled.
    if (isDelayed(books, visit)) continue;
    if (fact.is === 'http') yield* checkHttp(books, fact, visit);
    else if (fact.is === 'effect') yield* checkEffect(books, fact, visit);
  }
}

function isDelayed({ world: { outage } }: Books, { enteredAt, leftAt = Number.POSITIVE_INFINITY }: Visit): boolean {
  return outage !== undefined && enteredAt < outage.to && leftAt >= outage.from;
}

/** The result of one attempt. */
interface Result {
  ok: boolean;
  status?: number;
  type?: string;
  uncertain: boolean;
  lost: boolean;
  at: number;
}

function resultOf({ at, reply }: Attempt, { timeoutMs, unsafe, notify }: HttpFact): Result {
  if (unsafe && reply.lost) return { ok: false, type: 'NETWORK', uncertain: true, lost: true, at: at + reply.afterMs };
  const failed = (type: string, after: number) => ({ ok: false, type, uncertain: unsafe, lost: false, at: at + after });
  if (notify) return notification(at, reply, timeoutMs, failed);
  if (reply.fail === 'timeout' || reply.afterMs > timeoutMs) return failed('TIMEOUT', timeoutMs);
  if (reply.fail === 'network') return failed('NETWORK', reply.afterMs);
  const { status } = reply;
  return { ok: status < 300, status, uncertain: false, lost: false, at: at + reply.afterMs };
}

/** A notification waits for at most two seconds. */
function notification(
  at: number,
  reply: WorldReply,
  timeoutMs: number,
  failed: (type: string, after: number) => Result,
): Result {
  const after = reply.fail === 'timeout' ? Number.POSITIVE_INFINITY : reply.afterMs;
  const waited = Math.min(after, 2_000, timeoutMs);
  if (reply.fail === 'network') return failed('NETWORK', waited);
  return { ok: true, uncertain: false, lost: false, at: at + waited };
}

/** Whether a result leads to another attempt. One of a safe call is not awaited beyond the deadline. */
function isRetried({ retry, unsafe, once }: HttpFact, result: Result, number: number, deadline: number): boolean {
  if (!unsafe && retry && result.at + retry.delayMs >= deadline) return false;
  if (result.lost) return !once;
  if (once && unsafe && result.uncertain) return false;
  const cause = result.type !== undefined ? 'NETWORK_ERROR' : causeOf(result.status!);
  return retry !== undefined && number < retry.attempts && cause !== undefined && retry.on.includes(cause);
}

function causeOf(status: number): string | undefined {
  if (status === 429) return 'HTTP_429';
  return status >= 500 ? 'HTTP_5XX' : undefined;
}

function* checkHttp(books: Books, fact: HttpFact, visit: Visit): Generator<string> {
  const name = nameOf(visit);
  const attempts = visit.effects.flatMap((effect) => effect.attempts);
  const deadline = books.deadlineOf(visit.frame);
  const isCut = (visit.left ?? Number.POSITIVE_INFINITY) > books.cutOf(visit.frame);
  let last: Result | undefined;
  let number = 0;
  let round = 1;
  let uncertain = false;
  for (const attempt of attempts) {
    let due = visit.enteredAt;
    if (last) {
      const retried = isRetried(fact, { ...last, uncertain: last.uncertain || uncertain }, number, deadline);
      if (!retried && !(fact.poll && last.status !== 200 && round < fact.poll.max)) {
        yield `${name} made attempt ${number + 1} after ${shown(last as unknown as Json)}`;
        return;
      }
      due = last.at + (retried ? (last.lost ? 0 : fact.retry!.delayMs) : fact.poll!.everyMs);
      if (!retried) [round, number] = [round + 1, 0];
    }
    if (attempt.at !== due) yield `${name} made an attempt at ${attempt.at}, not at ${due}`;
    // The repetition of a lost attempt has the same number.
    if (!last?.lost || number === 0) number += 1;
    uncertain ||= last?.uncertain ?? false;
    last = resultOf(attempt, fact);
  }
  if (visit.left === undefined) return;
  if (!last) yield `${name} ended without an attempt`;
  else yield* checkHttpEnd(fact, visit, { last, number, round, isCut, deadline });
}

function* checkHttpEnd(
  fact: HttpFact,
  visit: Visit,
  {
    last,
    number,
    round,
    isCut,
    deadline,
  }: { last: Result; number: number; round: number; isCut: boolean; deadline: number },
): Generator<string> {
  const name = nameOf(visit);
  if (!isCut && isRetried(fact, last, number, deadline)) yield `${name} did not make attempt ${number + 1}`;
  if (!isCut && fact.poll && last.status !== 200 && round < fact.poll.max)
    yield `${name} did not make round ${round + 1}`;
  if (!isCut && visit.leftAt !== last.at) yield `${name} ended at ${visit.leftAt}, not at ${last.at}`;
  if (fact.notify) return yield* differences(visit, { after: visit.before, next: fact.next });
  const seen = own(visit.after, fact.resultVar!);
  const isExhausted = fact.poll !== undefined && last.status !== 200 && !isCut;
  const reported = isExhausted ? own(seen, 'last') : seen;
  const expected = { ok: last.ok, status: last.status ?? null, type: last.type ?? null };
  const actual = {
    ok: own(reported, 'ok') ?? null,
    status: own(reported, 'status') ?? null,
    type: own(own(reported, 'error'), 'type') ?? null,
  };
  if (!equal(actual, expected)) yield `${name} has the result ${shown(actual)}, not ${shown(expected)}`;
  const words = isExhausted ? ['POLL_EXHAUSTED'] : wordsOf(last);
  const ok = isExhausted ? false : last.ok;
  yield* differences(visit, {
    after: withValue(visit.before, fact.resultVar!, seen ?? null),
    ...following(ok, words, fact),
  });
}

function wordsOf({ type, status }: Result): string[] {
  return type === undefined ? [`HTTP_${status}`, `HTTP_${Math.floor(status! / 100)}XX`] : [type];
}

/** The state after a task with this result. */
function following(
  ok: boolean,
  words: readonly string[],
  { next, onError }: { next: string; onError?: ErrorEntry[] },
): { next: string } | { problem: string } {
  if (ok || !onError) return { next };
  const entry = onError.find(({ on }) => !on || on.some((word) => words.includes(word)));
  return entry ? { next: entry.next } : { problem: 'ON_ERROR_NO_MATCH' };
}

function* checkEffect(books: Books, fact: EffectFact, visit: Visit): Generator<string> {
  if (visit.left === undefined) return;
  const name = nameOf(visit);
  const { effects } = visit;
  const last = effects.at(-1);
  const isAuth = fact.kind.endsWith('Validate:v1');
  if (!last) {
    if (!isAuth) yield `${name} ended without its effect`;
    return;
  }
  yield* checkRepeats(name, effects);
  const isCut = visit.left > books.cutOf(visit.frame);
  if (!isCut && visit.leftAt !== last.answeredAt) yield `${name} ended at ${visit.leftAt}, not at ${last.answeredAt}`;
  const reply = last.attempts.at(-1)?.reply;
  const problem = problemOf(fact, last, reply);
  if (problem !== undefined) return yield* differences(visit, { problem });
  const written = isAuth ? 'auth' : fact.resultVar;
  const value = written === undefined ? undefined : own(visit.after, written);
  const after = written === undefined ? visit.before : withValue(visit.before, written, value ?? null);
  if (written !== undefined && value === undefined) yield `${name} has no result`;
  yield* differences(visit, { after, ...following(own(value, 'ok') !== false, ['*'], fact) });
  if (fact.kind === 'signal:v1' && isObject(value) && reply && value.ok !== isDelivered(reply))
    yield `${name} has the result ${shown(value)} for ${shown(reply as unknown as Json)}`;
}

/** An effect is requested again only after the loss of its process. */
function* checkRepeats(name: string, effects: readonly EffectCall[]): Generator<string> {
  for (const [i, { lost }] of effects.entries())
    if (!lost && i < effects.length - 1) yield `${name} requested its effect again, which had been answered`;
}

function isDelivered({ fail, status }: WorldReply): boolean {
  return !fail && status < 400;
}

function problemOf({ kind }: EffectFact, { lost }: EffectCall, reply: WorldReply | undefined): string | undefined {
  if (lost) return 'TASK_FAILED';
  if (kind === 'kafkaPublish:v1') return reply?.fail ? 'KAFKA_PUBLISH_FAILED' : undefined;
  if (kind !== 'stamp:v1' || !reply) return undefined;
  if (reply.fail) return 'PLUGIN_CRASHED';
  return reply.status < 400 ? undefined : 'PLUGIN_PROBLEM';
}
