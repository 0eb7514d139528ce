import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { parseInstant } from '../../base/time/instant.js';
import { applyAnswer } from './apply-answer.js';
import type { Clarify, IntentContext, IntentResult } from './intent-types.js';
import { parseFirst, parseUtterance } from './parse-utterance.js';
import type { ParsedRequest, Question } from './parsed-request-types.js';
import { rfc3339 } from './resolve/local-time.js';
import { type RequestResolution, resolveRequest } from './resolve/resolve-request.js';

/** Interprets an utterance as one call of a schedule function, one question, or nothing. Never throws. */
export function intentOf(utterance: string, context: IntentContext): IntentResult {
  const request = parseFirst(utterance, context);
  return request ? resultOf(resolveRequest(request, context)) : { none: true, reason: 'UTTERANCE_TOO_LONG' };
}

/** Converts a resolution to the public result. */
function resultOf(resolved: RequestResolution): IntentResult {
  if (!resolved) return { none: true, reason: 'NO_SCHEDULE_INTENT' };
  return 'question' in resolved ? { clarify: clarifyOf(resolved.question) } : resolved;
}

function clarifyOf({ code, field, question, choices }: Question): Clarify {
  const options = choices?.map(({ label, value }) => ({ label, value }));
  return { code, field, question, ...(options && { options }) };
}

/**
 * State of a conversation: the utterance, its time, and the answers in order. The client stores it. It is not trusted: every step is
 * repeated from the utterance on.
 */
export interface Draft {
  utterance: string;
  /** Time of the utterance in RFC 3339, to which "tomorrow" refers. */
  now: string;
  answers: Json[];
}

/** Result of an utterance or answer, with the draft to send back: with the answer to a question, or to correct a call. */
export interface ConversationReply {
  result: IntentResult;
  draft?: Draft;
}

/** Lifetime of a draft; after that the utterance is parsed relative to the current time. */
const oneDay = 86_400_000;
const mostAnswers = 20;
/** Dismissals, with the request that follows one in its group: "forget it, list my jobs". */
const dismissed =
  /^(?:never ?mind|(?:(?:cancel|scrap|scratch|undo) (?:it|that|this)|(?:oh )?wait,? no|no,? wait|not now|leave it)(?=[.,!; ]*$)|cancel|stop|forget (?:about )?(?:it|that)|no|nope|nothing|abort|quit|drop it|neither|none(?: of (?:them|these|those))?)(?:[.,!; ]*$|(?<!no|nope|stop|cancel)[,.;!]? +(?:(?:and|just|please|instead) )*(.+?)(?: instead)?[.!]*$)/i;

/** Interprets an utterance, and returns the draft for its answer. */
export function say(utterance: string, context: IntentContext): ConversationReply {
  return replay({ utterance, now: rfc3339(context.now), answers: [] }, context);
}

/** Continues a draft with one more answer: the value or label of an option, or free text. */
export function answerDraft(draft: Json | undefined, answer: Json, context: IntentContext): ConversationReply {
  const { utterance, now, answers } = readDraft(draft, context);
  return replay({ utterance, now, answers: [...answers, answer] }, context);
}

function readDraft(draft: Json | undefined, context: IntentContext): Draft {
  const [utterance, now, answers = []] = [own(draft, 'utterance'), own(draft, 'now'), own(draft, 'answers')];
  if (!isObject(draft) || typeof utterance !== 'string' || !Array.isArray(answers))
    return refuse('INTENT_INVALID', 'The draft is not valid', {
      pointer: '/draft',
      hint: 'Send back the last draft unchanged.',
    });
  if (answers.length >= mostAnswers)
    return refuse('INTENT_INVALID', 'The draft has too many answers', {
      pointer: '/draft/answers',
      hint: 'Start again with a new utterance.',
    });
  const then = typeof now === 'string' ? parseInstant(now) : undefined;
  const fresh = then !== undefined && then <= context.now && context.now - then <= oneDay;
  return { utterance, now: rfc3339(fresh ? then : context.now), answers };
}

function replay(draft: Draft, context: IntentContext): ConversationReply {
  const then = { ...context, now: parseInstant(draft.now)! };
  let { utterance } = draft;
  const first = parseFirst(utterance, then);
  if (!first) return { result: { none: true, reason: 'UTTERANCE_TOO_LONG' } };
  let request: ParsedRequest = first;
  let taken: Json[] = [];
  let ignored = false;
  for (const answer of draft.answers) {
    const words = typeof answer === 'string' ? answer.trim() : '';
    const found = dismissed.exec(words);
    const instead = found ? (found[1] ?? '') : undefined;
    const other = instead === undefined ? undefined : parseUtterance(instead, then);
    if (instead !== undefined && (instead === '' || !other || other.intent === 'none'))
      return { result: { none: true, reason: 'DISMISSED' } };
    const next: ParsedRequest | undefined = other ?? applyAnswer(request, answer, then);
    const anew: ParsedRequest | undefined = next ? undefined : newRequest(request, words, then);
    // An answer that is not understood is ignored, and the same question is asked again.
    ignored = !next && !anew;
    if (ignored) continue;
    request = (next ?? anew)!;
    if (other || anew) [utterance, taken] = [other ? instead! : words, []];
    else taken.push(answer);
  }
  const reply = finish(request, then, context, { ...draft, utterance, answers: taken });
  // A correction that is not understood must not look like the call that it was meant to correct.
  return ignored && 'functionId' in reply.result
    ? { ...reply, result: { none: true, reason: 'NO_SCHEDULE_INTENT' } }
    : reply;
}

/** An answer that is a separate request: "list my jobs". While a question is open, it must be a complete one. */
function newRequest(before: ParsedRequest, words: string, context: IntentContext): ParsedRequest | undefined {
  const request = words === '' ? undefined : parseUtterance(words, context);
  const [open, resolved] = [resolveRequest(before, context), request && resolveRequest(request, context)];
  if (!resolved || !open) return undefined;
  return 'question' in open && 'question' in resolved ? undefined : request;
}

/** Checks the result against the current time: a single run that is in the past by now is asked about again. */
function finish(request: ParsedRequest, then: IntentContext, context: IntentContext, draft: Draft): ConversationReply {
  const before = resultOf(resolveRequest(request, then));
  if (!('functionId' in before)) return 'clarify' in before ? { result: before, draft } : { result: before };
  const runAt = scheduleOf(before.functionArgs)?.runAt;
  if (typeof runAt !== 'string' || parseInstant(runAt)! > context.now) return { result: before, draft };
  const late = resultOf(resolveRequest(request, context));
  return 'none' in late ? { result: late } : { result: late, draft: { ...draft, now: rfc3339(context.now) } };
}

/** The schedule in the arguments of a call. */
export function scheduleOf(args: JsonObject): JsonObject | undefined {
  const schedule = own(args, 'schedule') ?? own(own(args, 'patch'), 'schedule');
  if (!isObject(schedule)) return undefined;
  const type = own(args, 'scheduleType');
  return type === undefined ? schedule : { type, ...schedule };
}
