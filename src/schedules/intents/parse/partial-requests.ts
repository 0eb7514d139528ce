import type { IntentContext, KnownJob } from '../intent-types.js';
import type { ParsedRequest } from '../parsed-request-types.js';
import { joinWords, normalize, splitWords } from '../split-words.js';
import { isTypo, withoutClosing, withoutCourtesy, withoutTypo } from '../strip-courtesy-and-typos.js';
import { hasSchedule } from '../time/time-expression.js';
import { readTimePhrases } from '../time/time-phrases.js';
import { isFullName, type RequestedAction, runVerb } from './action-phrases.js';
import { distinctWords, nameWords, workflowNamed } from './find-by-name.js';
import { hasChange, readJobChange } from './job-change-phrases.js';
import { workflowAt } from './parse-request.js';
import { stripPhrases, unstripped, withTail } from './strip-time-and-place.js';

/**
 * Reads an utterance that is not a complete request, but mentions a job, a workflow, a time or a list: it results in a question. Only
 * for the first utterance of a conversation; undefined if nothing of the kind is mentioned.
 */
export function readPartial(utterance: string, context: IntentContext): ParsedRequest | undefined {
  const { words: spoken = [], quotes = [] } = splitWords(utterance) ?? {};
  const words = withoutTypo(withoutClosing(withoutCourtesy(spoken)));
  const text = normalize(words);
  const refused = refusal.test(text) && !/, (?:just|instead|rather|but|only) /.test(joinWords(words, quotes, false));
  if (words.length === 0 || words.length > mostWords || refused || /[{}<>]|\.\.|^schedule\./.test(text))
    return undefined;
  return (
    timeAlone(words) ??
    runOf(words, quotes, context) ??
    jobsMentioned(words, quotes, context) ??
    workflowMentioned(words, quotes, context) ??
    listOf(text) ??
    unknownAction(words, quotes, context)
  );
}

const mostWords = 40;
/** An utterance that forbids something, or tells that something happened. */
const refusal =
  /^(?:don't|do not|dont|never|not|no need|without|nobody|nothing|i|we|they|he|she) (?!(?:no longer|dont|don't|do not) (?:need|want)\b)|\b(?:was|were|ran|had|went)\b/;

/** "every Monday at 8am" alone: what should happen is asked. */
function timeAlone(words: readonly string[]): ParsedRequest | undefined {
  const when = readTimePhrases(words);
  if (!when || !hasSchedule(when)) return undefined;
  return { intent: 'create', action: { kind: 'open', post: false }, when, where: {} };
}

const timeless = /^(?:once|one time|please|for me|for us| )*$/;

/** "run payroll", "run payroll 20 minutes ago": the workflow is known, its time is not. */
function runOf(words: readonly string[], quotes: readonly string[], context: IntentContext): ParsedRequest | undefined {
  const lead = [2, 1].find((count) => runVerb.test(normalize(words.slice(0, count))));
  if (lead === undefined) return undefined;
  for (let size = Math.min(5, words.length - lead); size > 0; size--) {
    const name = words.slice(lead, lead + size);
    const workflowId = isFullName(name, context) ? workflowNamed(normalize(name), context) : undefined;
    if (workflowId === undefined) continue;
    const action: RequestedAction = { kind: 'run', workflowId };
    const tail = words.slice(lead + size);
    if (timeless.test(normalize(tail))) return { intent: 'create', action, when: { recurrence: {} }, where: {} };
    const { when, where } = withTail(unstripped([]), tail, quotes, context);
    return { intent: 'create', action, when, where };
  }
  return undefined;
}

const beginsChange =
  /^(?:move|change|reschedule|update|shift|switch|set|make|edit|push|bump|postpone|delay|convert|limit|rename|use|put|post|send|have)\b/;

const question =
  /^(?:should|shall|may|might|what|what's|why|when|who|how|is|does|did|has|are|which|where|if|ignore|disregard|forget)\b/;

/** "somehow get the backup to fire at ten": the full name of one workflow, and a time after it; the other words are asked about. */
function workflowMentioned(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  if (question.test(normalize(words))) return undefined;
  const only = workflowAt(words, context);
  if (!only) return undefined;
  const [at, size] = only;
  const workflowId = workflowNamed(normalize(words.slice(at, at + size)), context);
  const tail = stripPhrases(unstripped(words.slice(at + size)), 'end', context);
  if (workflowId === undefined || !hasSchedule(tail.when)) return undefined;
  const unclear = joinWords([...words.slice(0, at), ...tail.words], quotes);
  const when = unclear === '' ? tail.when : { ...tail.when, unclear };
  return { intent: 'create', action: { kind: 'run', workflowId }, when, where: tail.where };
}

/** "the standup is off this week", "standup at 10am": a job, and nothing that is clearly a command. */
function jobsMentioned(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const said = nameWords(joinWords(words, quotes, false));
  const has = (word: string) => said.some((it) => it === word || isTypo(it, word));
  const left = context.jobs.filter(({ state }) => state !== 'deleted');
  const every =
    /\b(?:everything|anything that|every job|each job|all(?: of)? (?:the |my |our )?(?:jobs|schedules|reminders))\b/;
  if (left.length > 0 && every.test(normalize(words)) && beginsChange.test(normalize(words)))
    return { intent: 'unsure', jobIds: left.map(({ jobId }) => jobId) };
  const found = left
    .map((job): [KnownJob, string[]] => [job, distinctWords(job)])
    .filter(([, own]) => own.length > 0 && own.every(has));
  const jobIds = found
    .filter(
      ([, own]) => !found.some(([, more]) => more.length > own.length && own.every((word) => more.includes(word))),
    )
    .map(([{ jobId }]) => jobId);
  if (jobIds.length === 0) return undefined;
  const change = readJobChange(['make', ...words], quotes, context);
  const patch = change?.intent === 'update' && hasChange(change.patch) ? { patch: change.patch } : {};
  return { intent: 'unsure', jobIds, ...patch };
}

/** "anything switched off?": a question about jobs that a list can only answer in part. */
function listOf(text: string): ParsedRequest | undefined {
  const agenda =
    /^(?:do|have|has|is|are) (?:i|we|there|you) (?:got |have )?(?:anything|something|any) (?:on|for|at|in|due|planned|today|tomorrow|tonight|this|next)\b/;
  if (agenda.test(text)) return { intent: 'list', unfiltered: true };
  const [, state] =
    /^what (?:did|have|has) (?:i|we|you|they|anyone|somebody|been) (?:just |already )?(delete|pause|disable)d?$/.exec(
      text,
    ) ?? [];
  if (state !== undefined) return { intent: 'list', state: `${state}d` };
  const asks =
    /^(?:what|what's|whats|which|any|anything|is anything|are any|are there|is there|do we|do i|how many|list|show)\b/;
  const about =
    /\b(?:jobs?|schedules?|scheduled|reminders?|automations?|crons?|paused|on hold|switched off|turned off|enabled|disabled|runs?|fail(?:s|ed|ing)?)\b/;
  const meaning = /^what(?:'s| is| are) (?:an? |the (?:status|difference|point|meaning|best|latest)\b)/;
  if (!asks.test(text) || !about.test(text) || meaning.test(text)) return undefined;
  return { intent: 'list', unfiltered: true };
}

const imperative =
  /^(?:e-?mail|mail|wake|text|ring|buzz|rotate|renew|generate|export|import|sync|back|backup|clean|refresh|rebuild|deploy|restart|reboot|archive|create|prepare|produce|build|compile|pull|push|fetch|download|upload|check|update|set|make|book|organi[sz]e|get|do(?! (?:i|we|you|they)\b)|have(?! (?:i|we|you|they)\b)|turn|order|pay|bill|invoice|charge|close|open|test|scan|monitor|watch|purge|summari[sz]e|collect|load|transfer|copy|water|feed)\b/;

/** "frobnicate the widgets": any verb with an object. Third persons, past tenses and participles tell what happens, and do not ask for it. */
const verbWithObject =
  /^(?!(?:in|on|at|by|to|of|for|from|with|about|after|before|during|over|under|than|as|like|and|or|but|so|if|then|while|until|unless|because|since|though|although|when|where|what|who|why|how|which|i|you|we|they|he|she|it|there|here|not|no|yes|yeah|ok|all|any|some|only|even|just|both|every|each|be|am|do|can|could|will|would|shall|should|may|might|must|have|had|did|got|love|hate|see|hear|know|think|guess|hope|wish|feel|believe|enjoy|miss|find|remember|thank|great|good|nice|bad|such|quite)\b)[a-z-]{2,}(?<!(?<!s)s|ed|ing|ly) (?:the|my|our|your|an?|all|this|that|these|those) /;

/** "rotate the keys every Sunday at 3am": an action by no name that is known, with a time. */
function unknownAction(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const first = stripPhrases(unstripped(words), 'start', context);
  const known = imperative.test(normalize(first.words.slice(0, 2)));
  const { words: rest, when, where } = stripPhrases(first, 'end', context);
  const timed = Object.keys(when.recurrence).length > 0 || when.times !== undefined || when.delay !== undefined;
  if (!known && !(timed && verbWithObject.test(`${normalize(rest)} `))) return undefined;
  if (!hasSchedule(when) || rest.length < 2 || joinWords(rest, quotes, false).length > 200) return undefined;
  return { intent: 'create', action: { kind: 'unknown' }, when, where };
}
