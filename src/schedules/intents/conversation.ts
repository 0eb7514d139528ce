import { equal, isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { parseInstant } from '../../base/time/instant.js';
import type { Clarify, IntentContext, IntentResult } from './intent-types.js';
import { extractInputs, readAction } from './parse/action-phrases.js';
import { isPronoun, jobsNamed, workflowNamed } from './parse/find-by-name.js';
import { parseRequest, saysCommand } from './parse/parse-request.js';
import { readPartial } from './parse/partial-requests.js';
import { placeNamed, unstripped } from './parse/strip-time-and-place.js';
import type { ParsedRequest, Question } from './parsed-request-types.js';
import { rfc3339 } from './resolve/local-time.js';
import { type RequestResolution, resolveRequest } from './resolve/resolve-request.js';
import { addWhen, mergeWhen, readAnswer } from './resolve/schedule-questions.js';
import { joinWords, longestUtterance, splitWords } from './split-words.js';
import { weekdayField, weekdaysOf } from './time/calendar-recurrence-phrases.js';
import { emptyWhen, hasSchedule, type When } from './time/time-expression.js';

/** Interprets an utterance as one call of a schedule function, one question, or nothing. Never throws. */
export function intentOf(utterance: string, context: IntentContext): IntentResult {
  const request = parseFirst(utterance, context);
  return request ? resultOf(resolveRequest(request, context)) : { none: true, reason: 'UTTERANCE_TOO_LONG' };
}

/** Parses an utterance; undefined if it is too long. */
function parseUtterance(utterance: string, context: IntentContext): ParsedRequest | undefined {
  const spoken = utterance.length > longestUtterance ? undefined : splitWords(expandChannelLinks(utterance, context));
  return spoken && parseRequest(spoken.words, spoken.quotes, context);
}

/** Parses the first utterance of a conversation: one that is not a complete request may still result in a question. */
function parseFirst(utterance: string, context: IntentContext): ParsedRequest | undefined {
  const request = parseUtterance(utterance, context);
  const partial = request?.intent === 'none' && readPartial(expandChannelLinks(utterance, context), context);
  return partial || request;
}

/** Replaces Slack's channel links, `<#C100|team>` or `<#C100>`, by channel names. */
function expandChannelLinks(utterance: string, { channels }: IntentContext): string {
  return utterance.replace(/<#(\w{1,40})(?:\|([\w-]{0,80}))?>/g, (_, id: string, name?: string) => {
    const known = channels.find(([, it]) => it === id)?.[0];
    return ` ${known ?? `#${name || id}`} `;
  });
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

/** Introductions and asides of answers: "actually, make it 10am instead". */
const lead =
  /^(?:no|nope|actually|sorry|wait|hmm|oh|well|ok|okay|and|also|then|please|make (?:it|that)|(?:change|set|move|switch|do) (?:it|that) (?:to|for)|(?:post|send|put) (?:it|that)|but|let's say|let's do|i meant|i mean|i want|i'd like|rather|say|how about|it should be|it's|on second thought|better|maybe|probably|just|try)[,.:]? +/i;
const tail =
  /,? +(?:instead|please|thanks|thank you|then|rather|though|too|as well|only|i mean|i meant|works|will do|(?:is|would be|sounds) (?:fine|good|ok|okay|great|perfect|best|better))[.!]?$/i;

function withoutIntroduction(words: string): string {
  let rest = words;
  while (lead.test(rest)) rest = rest.replace(lead, '');
  while (tail.test(rest)) rest = rest.replace(tail, '');
  return rest;
}

/** Applies an answer: to the question that is open, else as a correction of the call. */
function applyAnswer(
  request: ParsedRequest,
  answer: Json,
  context: IntentContext,
  whole = false,
): ParsedRequest | undefined {
  const resolved = resolveRequest(request, context);
  if (!resolved) return undefined;
  const given = typeof answer === 'string' ? withInputs(request, answer) : undefined;
  if (given) return given.rest === '' ? given.request : applyAnswer(given.request, given.rest, context, whole);
  const plain = typeof answer === 'string' ? withoutIntroduction(answer.trim()) : answer;
  const read =
    'question' in resolved
      ? (readChoice(resolved.question, answer) ?? (plain === answer ? undefined : readChoice(resolved.question, plain)))
      : typeof answer === 'string'
        ? correct(request, answer, plain as string, context)
        : undefined;
  if (typeof answer !== 'string') return read;
  if (read) return becomesMonthly(request, read, answer) ? undefined : read;
  const text = withText(request, answer, context);
  if (text) return text;
  const named = withWorkflow(request, answer, plain as string, context);
  return named || whole ? named : (withoutOldValue(request, answer, context) ?? inTwoParts(request, answer, context));
}

/** "the 26th and the 27th" are two days of this month after a single day, and not of every month. */
function becomesMonthly(before: ParsedRequest, after: ParsedRequest, answer: string): boolean {
  if (before.intent !== 'create' || after.intent !== 'create' || !before.when.date) return false;
  return (after.when.recurrence.monthDays?.length ?? 0) > 1 && !/\b(?:every|each|months?|monthly)\b/i.test(answer);
}

/** Reads "10am, not 9am", "Tuesday instead of Monday" and "not 9am, 10am": the old value must be the one that the request has. */
function withoutOldValue(request: ParsedRequest, answer: string, context: IntentContext): ParsedRequest | undefined {
  const words = withoutIntroduction(answer.trim());
  const found =
    /^(?<newer>.+?),? (?:and not|not|instead of|rather than) (?<old>.+?)[.!]?$/i.exec(words) ??
    /^not (?<old>[^,]{1,30}), (?<newer>.+)$/i.exec(words);
  const { newer, old } = found?.groups ?? {};
  if (newer === undefined || /\bnot\b/i.test(newer)) return undefined;
  const now = resultOf(resolveRequest(request, context));
  if (!('functionId' in now)) return undefined;
  const result = JSON.stringify(now);
  const unchanged = [old!, `${old} time`].some((said) => {
    const same = applyAnswer(request, said, context, true);
    return same && JSON.stringify(resultOf(resolveRequest(same, context))) === result;
  });
  return unchanged ? applyAnswer(request, newer, context, true) : undefined;
}

const mostParts = 12;

/** Reads an answer about two things, "pm, London time", "#team, and make it 2:30pm": each part changes something else. */
function inTwoParts(request: ParsedRequest, answer: string, context: IntentContext): ParsedRequest | undefined {
  if (request.intent !== 'create' && request.intent !== 'update') return undefined;
  const words = answer.trim().split(/\s+/);
  // "Tuesday too at 10am" adds a day, and does not replace one.
  if (words.length > mostParts || addsMore(answer) || /\b(?:too|also|as well|plus)\b/i.test(answer)) return undefined;
  for (let at = 1; at < words.length; at++) {
    const joined = /^(?:and|but)$/i.test(words[at]!) || /[,;]$/.test(words[at - 1]!);
    if (!joined && !/^(?:at|on|in|#\S+|[A-Z]{3,5})$/.test(words[at]!)) continue;
    const [first, second] = [words.slice(0, at).join(' ').replace(/[,;]$/, ''), words.slice(at).join(' ')].map(
      withoutIntroduction,
    ) as [string, string];
    if ([first, second].some((part) => saysCommand(part.split(' ')))) continue;
    const one = applyAnswer(request, first, context, true);
    const both = one && applyAnswer(one, second, context, true);
    if (!both) continue;
    const [changed, more] = [changedParts(request, one), changedParts(one, both)];
    // "5pm and cleanup" may add the workflow.
    const adds = /^and$/i.test(words[at]!) && more.includes('action');
    if (!adds && changed.length > 0 && !more.some((part) => changed.includes(part))) return both;
  }
  return undefined;
}

/** Parts of a request that an answer changed. */
function changedParts(before: ParsedRequest, after: ParsedRequest): string[] {
  const [old, now] = [partsOf(before), partsOf(after)];
  return Object.keys({ ...old, ...now }).filter((key) => old[key] !== now[key]);
}

function partsOf(request: ParsedRequest): Record<string, string> {
  const { when, where, action, ...others } = request.intent === 'create' ? request : patchOf(request);
  const { times, part, zone, ...days } = when ?? emptyWhen();
  const parts = { times: [times, part], zone, days, where, action, others };
  return Object.fromEntries(Object.entries(parts).map(([key, value]) => [key, JSON.stringify(value) ?? '']));
}

function patchOf(request: ParsedRequest): { when?: When; where?: unknown; action?: unknown } {
  if (request.intent !== 'update') return request as never;
  const { patch, ...others } = request;
  return { ...patch, ...others };
}

/** Puts in a workflow that an answer names together with a time: after "every day at 9am", "cleanup at 10am" is every day. */
function withWorkflow(
  request: ParsedRequest,
  answer: string,
  words: string,
  context: IntentContext,
): ParsedRequest | undefined {
  if (request.intent !== 'create') return undefined;
  const { action, when, where } = request;
  const asked = action.kind === 'unknown' || action.kind === 'several' || action.kind === 'open';
  if (!asked && action.kind !== 'run') return undefined;
  const said = parseUtterance(words, context);
  if (said?.intent !== 'create' || said.action.kind !== 'run') return undefined;
  // "run cleanup at 10am" is another request, unless it answers what should run.
  if (!asked && !/\binstead[.!]?$/i.test(answer) && saysCommand(splitWords(words)?.words ?? [])) return undefined;
  const inputs = { ...('inputs' in action && action.inputs), ...said.action.inputs };
  const next: ParsedRequest = {
    ...request,
    action: { ...said.action, ...(Object.keys(inputs).length > 0 && { inputs }) },
    when: mergeWhen(when, said.when),
    where: Object.keys(said.where).length > 0 ? said.where : where,
  };
  return addsMore(answer) ? { intent: 'several', requests: [request, next] } : next;
}

/** Puts in another text: "say hello instead", "no, say hello in #ops". With a time, it may be a request of its own. */
function withText(request: ParsedRequest, answer: string, context: IntentContext): ParsedRequest | undefined {
  const said = /^(?:(?:no|actually|but|it should|make it|have it|let it),? )*say (?:that )?(.+?)(?: instead)?$/i.exec(
    answer.trim(),
  )?.[1];
  const { words = [], quotes = [] } = splitWords(said ?? '') ?? {};
  if (request.intent !== 'create' || request.action.kind !== 'post' || words.length === 0) return undefined;
  if (/\b(?:instead of|rather than|not|too|as well|also)\b/i.test(words.join(' '))) return undefined;
  const { action, when = emptyWhen(), where = {} } = readAction(unstripped(['post', ...words]), context, quotes) ?? {};
  if (action?.kind !== 'post' || when.unclear !== undefined) return undefined;
  const place = Object.keys(where).length > 0 ? where : request.where;
  const changed: ParsedRequest = { ...request, action, when: mergeWhen(request.when, when), where: place };
  return hasSchedule(when)
    ? { intent: 'several', requests: [changed, { intent: 'create', action, when, where }] }
    : changed;
}

/** Adds inputs that an answer sets: "every day at 9am with name=Ada". */
function withInputs(request: ParsedRequest, answer: string): { request: ParsedRequest; rest: string } | undefined {
  if (request.intent !== 'create' || request.action.kind !== 'run') return undefined;
  const { words = [], quotes = [] } = splitWords(answer) ?? {};
  const found = extractInputs(words, quotes);
  if (!found) return undefined;
  const { action } = request;
  const inputs = { ...action.inputs, ...found.inputs };
  return { request: { ...request, action: { ...action, inputs } }, rest: joinWords(found.words, quotes) };
}

/** Whether a correction adds something: "and Tuesday", "cleanup too". */
function addsMore(answer: string): boolean {
  return /^(?:and|also|plus)\b(?! (?:make|change|move|set) (?:it|that)\b)|\b(?:too|as well)[.!]*$/i.test(answer.trim());
}

/** Changes a time expression by the words of a correction, which may add times or days. */
function correctWhen(before: When, answer: string, words: string): When | undefined {
  // After "in 20 minutes", "30 minutes" is no interval.
  const later = before.delay === undefined ? undefined : readAnswer(`in ${words}`, emptyWhen());
  if (later?.delay !== undefined) return addsMore(answer) ? { ...later, other: before } : mergeWhen(before, later);
  const said = readAnswer(words, emptyWhen());
  if (said && addsMore(answer))
    return Object.keys(said.recurrence).join() === 'months' ? undefined : addWhen(before, said);
  // "this Monday" is a single day, also after "every Monday".
  if (said?.date && /^(?:on )?(?:this|the coming|coming)\b/i.test(words))
    return mergeWhen({ ...before, recurrence: {} }, said);
  return readAnswer(words, before) ?? (said && mergeWhen(before, said));
}

/** Weekdays in a correction, as a cron field; undefined if it contains anything else. */
function readDays(words: string): string | undefined {
  const { date, recurrence, ...rest } = readAnswer(words, emptyWhen()) ?? { recurrence: {} };
  if (Object.keys(rest).length > 0) return undefined;
  if (date?.kind === 'weekday' && date.weeks === 0) return String(date.weekday);
  return Object.keys(recurrence).join() === 'weekdays' ? recurrence.weekdays : undefined;
}

/** Corrects a complete request: "no, Sunday", "in #ops", "the digest". */
function correct(
  request: ParsedRequest,
  answer: string,
  words: string,
  context: IntentContext,
): ParsedRequest | undefined {
  const where = placeNamed(words, context.channels);
  const more = addsMore(answer);
  switch (request.intent) {
    case 'create': {
      const when = correctWhen(request.when, answer, words);
      if (when) return { ...request, when };
      // One job posts to one channel and runs one thing: what is added is asked about.
      if (where && more) {
        const channels = [...(request.where.channels ?? []), ...(where.channels ?? [])];
        return channels.length > 1 ? { ...request, where: { channels } } : undefined;
      }
      if (where) return { ...request, where };
      const workflowId = workflowNamed(words, context);
      if (workflowId === undefined || request.action.kind !== 'run') return undefined;
      const { inputs, workflowId: first } = request.action;
      return more
        ? { ...request, action: { kind: 'several', workflows: [first, workflowId], ...(inputs && { inputs }) } }
        : { ...request, action: { ...request.action, workflowId } };
    }
    case 'update': {
      const { patch } = request;
      const { date, recurrence, times } = patch.when;
      const keepsDays = !date && Object.keys(recurrence).length === 0 && patch.shift === undefined;
      const weekdays = patch.days || (more && keepsDays) ? readDays(words) : undefined;
      if (weekdays !== undefined) {
        const key = patch.days && patch.days.add === undefined ? 'remove' : 'add';
        const before = more ? weekdaysOf(patch.days?.[key] ?? weekdays) : [];
        const days = { ...patch.days, [key]: weekdayField([...before, ...weekdaysOf(weekdays)]) };
        const added: ParsedRequest = { ...request, patch: { ...patch, days } };
        if (patch.days || /\b(?:also|too|as well|plus)\b/i.test(answer)) return added;
        // "and Thursday" after "move it to 6pm" can add a day or replace them all.
        const replaced: ParsedRequest = {
          ...request,
          patch: { ...patch, when: { ...patch.when, recurrence: { weekdays } } },
        };
        return { intent: 'several', requests: [added, replaced], doubt: 'Also on that day, or only then?' };
      }
      const said = readAnswer(words, emptyWhen());
      if (patch.shift !== undefined) {
        // "two hours" after "an hour later"; other days would not be later.
        const shift = readAnswer(`in ${words}`, emptyWhen())?.delay;
        if (shift !== undefined) return { ...request, patch: { ...patch, shift: Math.sign(patch.shift) * shift } };
        if (said && (more || !said.times)) return undefined;
      }
      // "and Friday at 6pm" is a second schedule.
      if (more && !times && said?.times && (said.date || Object.keys(said.recurrence).length > 0)) return undefined;
      const when = correctWhen(patch.when, answer, words);
      // "no, at 2pm" after "from Monday to Friday at 1pm": the days stay exchanged.
      const { days } = when && Object.keys(when.recurrence).length === 0 && !when.date ? patch : {};
      if (when) return { ...request, patch: { ...patch, when, days, shift: undefined, from: undefined } };
      if (where) return { ...request, patch: { ...patch, where } };
      // "I meant the weekly report": the change stays.
      const { jobId: _, ...rest } = request;
      return more || jobsNamed(words, context).length === 0 ? undefined : { ...rest, job: words };
    }
    case 'pause':
    case 'resume':
    case 'delete':
    case 'run_now':
    case 'show':
    case 'runs': {
      // "no, delete it": another command for the same job.
      const other = parseUtterance(words, context);
      if (other && 'job' in other && other.intent !== 'update' && isPronoun(other.job))
        return { ...other, job: request.job, ...(request.jobId !== undefined && { jobId: request.jobId }) };
      const { jobId, ...rest } = request;
      const named = jobsNamed(words, context);
      if (named.length === 0 || !more) return named.length === 0 ? undefined : { ...rest, job: words };
      const both = [...jobsNamed(jobId ?? request.job, context), ...named].map((it) => it.jobId);
      return { intent: 'bulk', verb: request.intent, jobIds: [...new Set(both)] };
    }
    default:
      return undefined;
  }
}

function readChoice({ code, choices = [], parseAnswer }: Question, answer: Json): ParsedRequest | undefined {
  const chosen = choices.find(({ value }) => equal(value, answer));
  if (chosen) return chosen.next;
  if (typeof answer !== 'string') return undefined;
  const text = answer.trim().toLowerCase();
  // "the 28th" is short for "the 28th at 17:00".
  const named = choices.filter(({ label }) => [label, label.split(' at ')[0]!].some((it) => it.toLowerCase() === text));
  if (named.length === 1) return named[0]!.next;
  const number = optionNumber(text, choices.length);
  if (number > 0 && choices[number - 1]) return choices[number - 1]!.next;
  // The only option, or the one that a yes-or-no question proposes.
  const agreed =
    /^(?:yes|yep|yeah|ok|okay|sure|do it|do that|go ahead|fine)(?:,? (?:please|do it|do that|go ahead))*[.!]*$/.test(
      text,
    );
  if (agreed && (choices.length === 1 || code === 'PAST_INSTANT')) return choices[0]?.next;
  return parseAnswer?.(answer) ?? choices[optionNumber(`${text} one`, choices.length) - 1]?.next;
}

const ranks = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** Number of the option that an answer chooses: "2", "option 2", "#2", "the second one"; 0 if it is anything else. */
function optionNumber(text: string, count: number): number {
  const digits = /^(?:option |number |no\.? ?|#)?(\d{1,2})[.)]?$/.exec(text)?.[1];
  if (digits !== undefined) return Number(digits);
  const word = /^(?:the )?(\w+) (?:one|option)[.!]?$/.exec(text)?.[1];
  return word === 'last' ? count : ranks.indexOf(word ?? '') + 1;
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
