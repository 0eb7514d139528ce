import { copy, emptyObject, isObject, type Json, type JsonObject } from '../../../base/json/value.js';
import type { IntentContext } from '../intent-types.js';
import { joinWords, longestSearch, normalize, quotedText } from '../split-words.js';
import { emptyWhen, hasSchedule, type When } from '../time/time-expression.js';
import { functionNamed, workflowNamed } from './find-by-name.js';
import { type ActionRequest, addressed, readMessage, readPost, readReminder } from './message-phrases.js';
import {
  readPlace,
  type Stripped,
  startsWithArticle,
  stripPhrases,
  type Where,
  withoutWords,
  withTail,
} from './strip-time-and-place.js';

/** Action that a job should perform. */
export type RequestedAction =
  | { kind: 'post'; text: string }
  | { kind: 'run'; workflowId: string; inputs?: JsonObject }
  /** A name that matches no workflow or function. */
  | { kind: 'unknown'; inputs?: JsonObject }
  | { kind: 'call'; functionId: string; args?: JsonObject }
  /** Several workflows. */
  | { kind: 'several'; workflows: string[]; inputs?: JsonObject }
  /** A text that is the name of a workflow: "send weekly-report to #team". */
  | { kind: 'doubtful'; text: string; workflowId: string }
  /** "schedule a reminder": an action without content. */
  | { kind: 'open'; post: boolean };

/** Verbs that run something. */
export const runVerb =
  /^(?:run|start|execute|launch|kick off|trigger|fire(?: off| up)?|invoke|call|check|do|perform|kick|begin|process|query|poll)$/;
const postVerb = /^(?:post|send(?: out)?|say|share|publish|write|announce|broadcast|drop)$/;
const tellVerb = /^(?:tell|remind|message|ping|notify|alert|dm|inform|ask|nudge|warn|let|give)$/;
const replyVerb = /^(?:reply|respond|answer)$/;

/** Whether the first one or two words are an action verb. */
export function isActionVerb(words: readonly string[]): boolean {
  return verbOf(words) !== undefined;
}

type Verb = 'run' | 'post' | 'tell' | 'reply';

function verbOf(words: readonly string[]): { verb: Verb; rest: string[]; word: string } | undefined {
  for (const count of [2, 1]) {
    const word = normalize(words.slice(0, count)).replace(/^(\w+?)(?:e?s)$/, (all, stem: string) =>
      /^(?:process|express)$/.test(all) ? all : stem,
    );
    const rest = words.slice(count);
    const found = [runVerb, postVerb, tellVerb, replyVerb].findIndex(
      (it) => it.test(word) || it.test(normalize(words.slice(0, count))),
    );
    if (found >= 0 && words.length >= count)
      return { verb: (['run', 'post', 'tell', 'reply'] as const)[found]!, rest: [...rest], word };
  }
  return undefined;
}

/** Reads `post hello in #team`, `remind #ops to …`, `run triage`, with phrases of time and place anywhere; undefined if it is not an action. */
export function readAction(
  from: Stripped,
  context: IntentContext,
  quotes: readonly string[],
): (ActionRequest & { reminds: boolean }) | undefined {
  const found = verbOf(from.words);
  if (!found) return undefined;
  const { closed: _, ...open } = from;
  const start: Stripped = { ...open, words: found.rest };
  const reminds = found.word === 'remind';
  const calls = found.word === 'ping' && functionNamed(normalize(start.words.slice(0, 1)), context) !== undefined;
  if (found.verb === 'run' || calls) return { ...readRun(start, context, quotes), reminds };
  if (found.verb === 'tell') {
    const reminder = readReminder(start, context, quotes, found.word);
    return reminder && { ...reminder, reminds };
  }
  if (found.verb === 'reply') {
    const inThread: Stripped = { ...start, where: { thread: true } };
    const words = start.words.filter((word, i) => i > 1 || !/^(?:here|back)$/.test(normalize([word])));
    const rest = dropThread(words);
    return { ...readPost({ ...inThread, words: rest }, context, quotes), reminds };
  }
  // "write me a haiku about Mondays" asks for a text, and not for a job.
  if (found.word === 'write' && quotes.length === 0) {
    const { when, where } = readPost(start, context, quotes);
    if (!when.times && !when.delay && !where.channels && !where.thread) return undefined;
  }
  const recipient = /^(?:send|share|write)/.test(found.word) ? recipientOf(start.words) : undefined;
  if (recipient !== undefined) {
    const post = readPost({ ...start, words: start.words.slice(recipient) }, context, quotes);
    const named = joinWords(start.words.slice(0, recipient), quotes, false);
    return { ...addressed(post, ...addressOf(named, context)), reminds };
  }
  const message = startsWithArticle(start, context) ? readMessage(start, context, quotes) : undefined;
  const post = message ?? readPost(start, context, quotes);
  const text = post.action.kind === 'post' && quotes.length === 0 ? post.action.text : '';
  if (isFullName(text.split(' '), context)) {
    const workflowId = workflowNamed(text, context);
    if (workflowId !== undefined) return { ...post, action: { kind: 'doubtful', text, workflowId }, reminds };
  }
  if (post.action.kind !== 'post' || found.word === 'post') return { ...post, reminds };
  // "send the numbers to Dana"
  const [, said, named] = found.word === 'send' && quotes.length === 0 ? (toSomebody.exec(post.action.text) ?? []) : [];
  if (said !== undefined)
    return { ...addressed({ ...post, action: { kind: 'post', text: said } }, ...addressOf(named!, context)), reminds };
  return { ...post, action: { kind: 'post', text: post.action.text.replace(/^that (?=\S+ )/i, '') }, reminds };
}

const determiner = /^(?:the|an?|our|my|your|his|her|their|this|these|those|some)$/i;
/** Words that connect two nouns, so that "the report and the numbers" does not begin with a recipient. */
const connector =
  /^(?:and|or|of|in|on|at|to|for|from|with|by|about|as|all|both|only|just|out|off|over|along|up|around|not|here|is|are|before|after)$/i;
const toSomebody =
  /^(.+) to (\p{Lu}[\p{L}'’-]*(?: (?:and )?\p{Lu}[\p{L}'’-]*)*|(?:my|our|your|his|her|their) \S+(?: \S+)?|the (?:\S+ ){0,2}(?:team|group|crew|staff|folks|people))$/u;

/** Number of words that name a recipient before the text: "Dana the weekly numbers", "the ops team a summary". */
function recipientOf(words: readonly string[]): number | undefined {
  const from = determiner.test(words[0] ?? '') ? 1 : 0;
  const at = words.findIndex((word, i) => i > from && i < from + 4 && determiner.test(word));
  if (at < 1 || (from === 0 && at > 1)) return undefined;
  const named = words.slice(from, at);
  return named.every((word) => /^[\p{L}'’-]+$/u.test(word) && !connector.test(word)) ? at : undefined;
}

/** Place of a post for somebody, and how its text begins: "us" are those here, a group can have a channel, and a person is asked about. */
function addressOf(named: string, context: IntentContext): [Where, string] {
  if (/^(?:us|everyone|everybody|the team|people|folks)$/i.test(named)) return [{ here: true }, ''];
  if (/^me$/i.test(named)) return [{ person: true }, ''];
  const place = readPlace(`to ${named.toLowerCase()}`, context.channels);
  return place ? [place, ''] : [{ person: true }, `${named}: `];
}

/** Removes "in this thread" after "reply", which is implied. */
function dropThread(words: string[]): string[] {
  for (let at = 0; at + 3 <= words.length; at++)
    if (readPlace(normalize(words.slice(at, at + 3)), [])?.thread)
      return [...words.slice(0, at), ...words.slice(at + 3)];
  return words;
}

const filler =
  /^(?:(?:the|a|an|our|my|this|workflow|journey|function|command|job|called|named|run|of|for|please|something|anything|stuff|things|it|this|that)\b ?)+$/;

/** Reads a workflow or function to run, with its arguments. */
export function readRun(from: Stripped, context: IntentContext, quotes: readonly string[]): ActionRequest {
  const [, lead] = /^((?:an? )?(?:recurring|repeating|regular)) \S/.exec(normalize(from.words)) ?? [];
  if (lead === undefined) return readRunOnce(from, context, quotes);
  const request = readRunOnce({ ...from, words: from.words.slice(lead.split(' ').length) }, context, quotes);
  return { ...request, when: repeated(request.when) };
}

/** "a recurring backup at 1am": without a recurrence, the time is only its start. */
function repeated(when: When): When {
  const { date, times, ...rest } = when;
  const single = Object.keys(when.recurrence).length === 0 && (date !== undefined || times !== undefined);
  if (!single || when.start) return when;
  return { ...rest, start: { ...emptyWhen(), ...(date && { date }), ...(times && { times }) } };
}

function readRunOnce(from: Stripped, context: IntentContext, quotes: readonly string[]): ActionRequest {
  const late = withoutResult(stripPhrases(from, 'end', context), context);
  const read = (state: Stripped): ActionRequest | undefined => {
    const action = runOf(state.words, context, quotes);
    return action && { ...withoutWords(state), action };
  };
  const both = stripPhrases(late, 'start', context);
  return (
    read(late) ??
    read(both) ??
    readWithInputs(from, context, quotes) ??
    readUnclear(both, context, quotes) ?? { ...withoutWords(both), action: unreadable(both.words) }
  );
}

function unreadable(words: readonly string[]): RequestedAction {
  return words.length === 0 || filler.test(`${normalize(words)} `)
    ? { kind: 'open', post: false }
    : { kind: 'unknown' };
}

/** Reads "run triage every Monday with severity=high at 9am": inputs anywhere among the words. */
function readWithInputs(from: Stripped, context: IntentContext, quotes: readonly string[]): ActionRequest | undefined {
  const found = extractInputs(from.words, quotes);
  if (!found) return undefined;
  const { action, ...rest } = readRun({ ...from, words: found.words }, context, quotes);
  if (action.kind === 'call' && !action.args) return { ...rest, action: { ...action, args: found.inputs } };
  if ((action.kind !== 'run' && action.kind !== 'unknown' && action.kind !== 'several') || action.inputs)
    return undefined;
  return { ...rest, action: { ...action, inputs: found.inputs } };
}

/** Cuts "with key=value and key=value" out of the words; undefined if there are no such words. */
export function extractInputs(
  words: readonly string[],
  quotes: readonly string[],
): { words: string[]; inputs: JsonObject } | undefined {
  const link = words.findIndex((word) => /^(?:with|using|where)$/i.test(word));
  const bare = words.findIndex((word) => /^[A-Za-z_][\w-]{0,63}=\S/.test(word));
  const at = link < 0 ? bare : link;
  if (at < 0) return undefined;
  let start = link < 0 ? at : at + 1;
  while (/^(?:the|inputs?|arguments?|args):?$/i.test(words[start] ?? '')) start++;
  let end = start;
  if (words[start]?.startsWith('{')) {
    const depth = (to: number) => {
      const text = words.slice(start, to).join(' ');
      return text.split('{').length - text.split('}').length;
    };
    do end++;
    while (end < words.length && depth(end) > 0);
  } else
    for (let next = end; next < words.length; ) {
      if (next > start && /^(?:and|&)$/i.test(words[next]!)) next++;
      const inline = /^[A-Za-z_][\w-]{0,63}[=:](.*)$/.exec(words[next] ?? '');
      if (!inline) break;
      next += inline[1] === '' ? 2 : 1;
      end = next;
    }
  const inputs = end > start ? assignments(words.slice(start, end), quotes) : undefined;
  return inputs && { words: [...words.slice(0, at), ...words.slice(end)], inputs };
}

/** "run triage every few hours", "run triage every Friday unless it rains": the action is clear, part of the rest is not. No word may be dropped. */
function readUnclear(state: Stripped, context: IntentContext, quotes: readonly string[]): ActionRequest | undefined {
  const sure =
    /^(?:on|at|in|by|every|each|after|before|until|till|from|for|around|during|between|starting|within|regularly|often|frequently|occasionally|periodically|continuously|first|soon|later|sometimes?|once|twice|today|tomorrow|tonight|next|this|hourly|daily|nightly|weekly|monthly|quarterly|yearly|annually|weekdays|weekends|\w+days?)$/;
  const condition = /^(?:unless|if|when|whenever|while|except|but|only)$/;
  for (let at = 1; at < Math.min(longestSearch, state.words.length); at++) {
    const word = normalize([state.words[at]!]);
    const [head, tail] = [state.words.slice(0, at), state.words.slice(at)];
    const timed = sure.test(word) || (hasSchedule(state.when) && (condition.test(word) || isFullName(head, context)));
    if (!timed || /[/\\$<>`]|\.\./.test(tail.join(' '))) continue;
    const action = runOf(head, context, quotes);
    if (action) return { ...withoutWords(withTail(state, tail, quotes, context)), action };
  }
  return undefined;
}

/** Whether words are the whole name of a workflow, not only a part of it. */
export function isFullName(words: readonly string[], context: IntentContext): boolean {
  const name = normalize(words)
    .replace(/^(?:the|our|my) /, '')
    .replace(/ (?:workflow|journey|job)$/, '');
  return context.workflows.some((id) => id.toLowerCase().replace(/[-_]/g, ' ') === name.replace(/[-_]/g, ' '));
}

/** Removes "and post it" once the place has been read. */
function withoutResult(state: Stripped, context: IntentContext): Stripped {
  if (Object.keys(state.where).length === 0) return state;
  const found =
    /(?:^| )((?:and )?(?:then )?(?:post|send|share|publish|put) (?:it|this|that|the (?:results?|output|summary|report)))$/.exec(
      normalize(state.words),
    );
  if (!found) return state;
  return stripPhrases({ ...state, words: state.words.slice(0, -found[1]!.split(' ').length) }, 'end', context);
}

/** Action for words that name a workflow or function; undefined if they name neither. */
function runOf(
  spoken: readonly string[],
  context: IntentContext,
  quotes: readonly string[],
): RequestedAction | undefined {
  const aside = / (?:once|one time|only|just|automatically|for me|for us|thanks|thank you)$/.exec(
    ` ${normalize(spoken)}`,
  )?.[0];
  const words = aside === undefined ? spoken : spoken.slice(0, -aside.trim().split(' ').length);
  const cut = words.findIndex((word) => /^(?:with|using|where)$/i.test(word));
  const inputs = cut < 0 ? undefined : assignments(words.slice(cut + 1), quotes);
  const head = inputs ? words.slice(0, cut) : words;
  const name = joinWords(head, quotes, false);
  const more = inputs && { inputs };
  const call = callOf(head, context, quotes, inputs);
  if (call) return call;
  const workflow = workflowNamed(
    name.replace(/^(?:a|an) (?:run of )?/i, '').replace(/^(?:the )?(?:workflow|journey|job) (?:called |named )?/i, ''),
    context,
  );
  if (workflow !== undefined) return { kind: 'run', workflowId: workflow, ...more };
  const names = name.split(/,? and then | then |,? and (?:also )?(?:run )?|, ?| & | plus /i).filter(Boolean);
  const all = names.map((it) => workflowNamed(it, context));
  return names.length > 1 && all.every((it) => it !== undefined)
    ? { kind: 'several', workflows: [...new Set(all as string[])], ...more }
    : undefined;
}

function callOf(
  words: readonly string[],
  context: IntentContext,
  quotes: readonly string[],
  inputs: JsonObject | undefined,
): RequestedAction | undefined {
  const plainWords = words.filter((word) => !/^(?:the|function|command)$/i.test(word));
  const functionId = functionNamed(normalize(plainWords.slice(0, 1)), context);
  if (functionId === undefined) return undefined;
  const rest = plainWords.slice(1);
  if (rest.length === 0) return { kind: 'call', functionId, ...(inputs && { args: inputs }) };
  if (!/^(?:for|of|on|about)$/i.test(rest[0]!) || inputs) return undefined;
  const about = joinWords(rest.slice(1), quotes, false)
    .replace(/^(?:the )?(?:run|workflow|job|orchestrator) (?=\S+$)/i, '')
    .replace(/[.,;!?]+$/, '');
  if (!/^[\w][\w:.-]{0,127}$/.test(about) || about.includes('..')) return undefined;
  const args = emptyObject();
  args[argumentFor(about, context)] = about;
  return { kind: 'call', functionId, args };
}

function argumentFor(id: string, context: IntentContext): string {
  if (context.workflows.includes(id)) return 'workflowId';
  if (context.jobs.some(({ jobId }) => jobId === id)) return 'jobId';
  return context.orchestratorId === id ? 'orchestratorId' : 'runId';
}

/** Reads `severity=high and limit: 5` as inputs; undefined if the words are anything else. */
function assignments(words: readonly string[], quotes: readonly string[]): JsonObject | undefined {
  const lead = /^(?:the )?(?:inputs?|arguments?|args):? /i;
  const written = joinWords(words, quotes).replace(lead, '');
  if (written.startsWith('{')) return writtenObject(written);
  const parts = words
    .join(' ')
    .replace(lead, '')
    .split(/,? and |, ?| (?=[\w-]+[=:])/);
  const out = emptyObject();
  for (const part of parts) {
    const found = /^([A-Za-z_][\w-]{0,63}) ?[=:] ?(.{1,200})$/.exec(part.trim());
    if (!found) return undefined;
    const text = quotedText(found[2], quotes) ?? found[2]!;
    out[found[1]!] = /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text)
      ? Number(text)
      : /^(?:true|false)$/.test(text)
        ? text === 'true'
        : text;
  }
  return out;
}

/** Reads inputs written as a JSON object; undefined if they are not one. */
function writtenObject(text: string): JsonObject | undefined {
  // Trailing closing braces were removed as punctuation.
  const missing = text.split('{').length - text.split('}').length;
  try {
    const value = JSON.parse(text + '}'.repeat(Math.max(0, missing))) as Json;
    return isObject(value) ? copy(value) : undefined;
  } catch {
    return undefined;
  }
}
