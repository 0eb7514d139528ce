import { equal, type Json } from '../../base/json/value.js';
import { addsMore, correct } from './correct-request.js';
import type { IntentContext } from './intent-types.js';
import { extractInputs, readAction } from './parse/action-phrases.js';
import { workflowNamed } from './parse/find-by-name.js';
import { saysCommand } from './parse/parse-request.js';
import { unstripped } from './parse/strip-time-and-place.js';
import { parseUtterance } from './parse-utterance.js';
import type { ParsedRequest, Question } from './parsed-request-types.js';
import { resolveRequest } from './resolve/resolve-request.js';
import { mergeWhen } from './resolve/schedule-questions.js';
import { joinWords, splitWords } from './split-words.js';
import { emptyWhen, hasSchedule } from './time/time-expression.js';

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
export function applyAnswer(
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
  if (read) return becomesMonthly(request, read, answer) || keepsRepeating(read, answer) ? undefined : read;
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

/** "9am this Monday" is a single day, also after "on Mondays". */
function keepsRepeating(after: ParsedRequest, answer: string): boolean {
  const single = /\bthis \w+day\b/i.test(answer) && !/\b(?:every|each|too|also|as well)\b/i.test(answer);
  return single && after.intent === 'create' && after.when.recurrence.weekdays !== undefined;
}

/** Reads "10am, not 9am", "Tuesday instead of Monday" and "not 9am, 10am": the old value must be the one that the request has. */
function withoutOldValue(request: ParsedRequest, answer: string, context: IntentContext): ParsedRequest | undefined {
  const words = withoutIntroduction(answer.trim());
  const found =
    /^(?<newer>.+?),? (?:and not|not|instead of|rather than) (?<old>.+?)[.!]?$/i.exec(words) ??
    /^not (?<old>[^,]{1,30}), (?<newer>.+)$/i.exec(words);
  const { newer, old } = found?.groups ?? {};
  if (newer === undefined || /\bnot\b/i.test(newer)) return undefined;
  const now = resolveRequest(request, context);
  if (!now || 'question' in now) return undefined;
  const result = JSON.stringify(now);
  const unchanged = [old!, `${old} time`].some((said) => {
    const same = applyAnswer(request, said, context, true);
    return same && JSON.stringify(resolveRequest(same, context)) === result;
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
    // "5pm and cleanup" may add the workflow, and "9am and Tuesdays" the day.
    const weekly = request.intent === 'create' && request.when.recurrence.weekdays !== undefined;
    const adds = /^and$/i.test(words[at]!) && (more.includes('action') || (weekly && more.includes('days')));
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
  if (request.intent !== 'create' && request.intent !== 'update') return { intent: JSON.stringify(request) };
  const { when, where, action, ...others } = request.intent === 'create' ? request : { ...request, ...request.patch };
  const { times, part, zone, ...days } = when;
  const parts = { times: [times, part], zone, days, where, action, others: { ...others, patch: undefined } };
  return Object.fromEntries(Object.entries(parts).map(([key, value]) => [key, JSON.stringify(value) ?? '']));
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
  // "9am and cleanup" names the time, and adds a workflow.
  const added = / and (?:also |then )?(?<name>.+)$/i.exec(words)?.groups?.name;
  const adds = !asked && added !== undefined && workflowNamed(added, context) === said.action.workflowId;
  const inputs = { ...('inputs' in action && action.inputs), ...said.action.inputs };
  const next: ParsedRequest = {
    ...request,
    action: { ...said.action, ...(Object.keys(inputs).length > 0 && { inputs }) },
    when: mergeWhen(when, said.when),
    where: Object.keys(said.where).length > 0 ? said.where : where,
  };
  const first: ParsedRequest = adds ? { ...request, when: mergeWhen(when, said.when) } : request;
  return adds || addsMore(answer) ? { intent: 'several', requests: [first, next] } : next;
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
