import { equal, isObject, type Json, type JsonObject, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { parseInstant } from '../time/duration.js';
import type { Frame, Question } from './frame.js';
import { frameOf, resultOf } from './intent.js';
import { rfc } from './local-time.js';
import { resolve } from './resolve.js';
import type { IntentContext, IntentResult } from './types.js';

/**
 * A conversation so far: what was said, when, and the answers in order. Whoever asks keeps it; nothing in it is taken on trust, because
 * every step is taken again from the utterance on.
 */
export interface Draft {
  utterance: string;
  /** When it was said, in RFC 3339: "tomorrow" means the day after that one. */
  now: string;
  answers: Json[];
}

/** What came of it, and the draft to send back with the answer if there is a question. */
export interface Said {
  result: IntentResult;
  draft?: Draft;
}

/** A draft is asked about within a day, or it starts anew. */
const oneDay = 86_400_000;
const mostAnswers = 20;
const dismissals = /^(?:never ?mind|cancel|stop|forget it|forget about it|no|nope|nothing|abort|quit|drop it)[.! ]*$/i;

/** Understands an utterance and gives the draft that its answer needs. */
export function say(utterance: string, context: IntentContext): Said {
  return walk({ utterance, now: rfc(context.now), answers: [] }, context);
}

/** Goes on with a draft and one more answer: the value or label of an option, or words. */
export function answerDraft(draft: Json | undefined, answer: Json, context: IntentContext): Said {
  const { utterance, now, answers } = readDraft(draft, context);
  return walk({ utterance, now, answers: [...answers, answer] }, context);
}

function readDraft(draft: Json | undefined, context: IntentContext): Draft {
  const [utterance, now, answers = []] = [own(draft, 'utterance'), own(draft, 'now'), own(draft, 'answers')];
  if (!isObject(draft) || typeof utterance !== 'string' || !Array.isArray(answers))
    return refuse('INTENT_INVALID', 'The draft is not one that was given out', {
      pointer: '/draft',
      hint: 'Send the draft back as it came.',
    });
  if (answers.length >= mostAnswers)
    return refuse('INTENT_INVALID', 'The draft has too many answers', {
      pointer: '/draft/answers',
      hint: 'Say it anew.',
    });
  const then = typeof now === 'string' ? parseInstant(now) : undefined;
  const fresh = then !== undefined && then <= context.now && context.now - then <= oneDay;
  return { utterance, now: rfc(fresh ? then : context.now), answers };
}

function walk(draft: Draft, context: IntentContext): Said {
  const then = { ...context, now: parseInstant(draft.now)! };
  let frame = frameOf(draft.utterance, then);
  if (!frame) return { result: { none: true, reason: 'UTTERANCE_TOO_LONG' } };
  const taken: Json[] = [];
  for (const answer of draft.answers) {
    if (typeof answer === 'string' && dismissals.test(answer.trim()))
      return { result: { none: true, reason: 'DISMISSED' } };
    const resolved = resolve(frame, then);
    if (!resolved || !('question' in resolved)) break;
    const next: Frame | undefined = take(resolved.question, answer);
    // An answer that is not understood changes nothing: the same question comes again.
    if (!next) continue;
    frame = next;
    taken.push(answer);
  }
  return ended(frame, then, context, { ...draft, answers: taken });
}

function take({ choices = [], free }: Question, answer: Json): Frame | undefined {
  const chosen = choices.find(({ value }) => equal(value, answer));
  if (chosen) return chosen.leads;
  if (typeof answer !== 'string') return undefined;
  const text = answer.trim().toLowerCase();
  const named = choices.filter(({ label }) => label.toLowerCase() === text);
  if (named.length === 1) return named[0]!.leads;
  const number = /^(?:option |#)?(\d{1,2})[.)]?$/.exec(text)?.[1];
  const inWords = free?.(answer);
  if (inWords) return inWords;
  return number === undefined ? undefined : choices[Number(number) - 1]?.leads;
}

/** Time has gone on since it was said: a single run that has passed meanwhile is asked about again, from now on. */
function ended(frame: Frame, then: IntentContext, context: IntentContext, draft: Draft): Said {
  const before = resultOf(resolve(frame, then));
  if (!('functionId' in before)) return 'clarify' in before ? { result: before, draft } : { result: before };
  const runAt = scheduleOf(before.functionArgs)?.runAt;
  if (typeof runAt !== 'string' || parseInstant(runAt)! > context.now) return { result: before };
  const late = resultOf(resolve(frame, context));
  return 'clarify' in late ? { result: late, draft: { ...draft, now: rfc(context.now) } } : { result: late };
}

/** The schedule of a call, wherever it stands. */
export function scheduleOf(args: JsonObject): JsonObject | undefined {
  const schedule = own(args, 'schedule') ?? own(own(args, 'patch'), 'schedule');
  if (!isObject(schedule)) return undefined;
  const type = own(args, 'scheduleType');
  return type === undefined ? schedule : { type, ...schedule };
}
