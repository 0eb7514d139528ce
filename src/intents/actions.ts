import { copy, emptyObject, isObject, type Json, type JsonObject } from '../json/value.js';
import type { Action } from './action.js';
import { type Acted, hasArticle, readMessage, readPost, readTold, strip } from './messages.js';
import { functionNamed, workflowNamed } from './names.js';
import { type Peeled, peel, placeOf } from './peel.js';
import type { IntentContext } from './types.js';
import { saysWhen } from './when.js';
import { plain, quoteOf, said } from './words.js';

const runVerb =
  /^(?:run|start|execute|launch|kick off|trigger|fire(?: off)?|invoke|call|check|do|perform|kick|begin|process|query|poll)$/;
const postVerb = /^(?:post|send(?: out)?|say|share|publish|write|announce|broadcast|drop)$/;
const tellVerb = /^(?:tell|remind|message|ping|notify|alert|dm|inform|ask|nudge|warn|let|give)$/;
const replyVerb = /^(?:reply|respond|answer)$/;

/** Whether a word or two begin an action. */
export function isActionVerb(words: readonly string[]): boolean {
  return verbOf(words) !== undefined;
}

type Verb = 'run' | 'post' | 'tell' | 'reply';

function verbOf(words: readonly string[]): { verb: Verb; rest: string[]; word: string } | undefined {
  for (const count of [2, 1]) {
    const word = plain(words.slice(0, count)).replace(/^(\w+?)(?:e?s)$/, (all, stem: string) =>
      /^(?:process|express)$/.test(all) ? all : stem,
    );
    const rest = words.slice(count);
    const found = [runVerb, postVerb, tellVerb, replyVerb].findIndex(
      (it) => it.test(word) || it.test(plain(words.slice(0, count))),
    );
    if (found >= 0 && words.length >= count)
      return { verb: (['run', 'post', 'tell', 'reply'] as const)[found]!, rest: [...rest], word };
  }
  return undefined;
}

/** Reads `post hello in #team`, `remind #ops to …`, `run triage`, with time and place around and within; undefined if it is no action. */
export function readAction(
  from: Peeled,
  context: IntentContext,
  quotes: readonly string[],
): (Acted & { reminds: boolean }) | undefined {
  const found = verbOf(from.words);
  if (!found) return undefined;
  const { closed: _, ...open } = from;
  const start: Peeled = { ...open, words: found.rest };
  const reminds = found.word === 'remind';
  if (found.verb === 'run') return { ...readRun(start, context, quotes), reminds };
  if (found.verb === 'tell') {
    const told = readTold(start, context, quotes, found.word);
    return told && { ...told, reminds };
  }
  if (found.verb === 'reply') {
    const inThread: Peeled = { ...start, where: { thread: true } };
    const words = start.words.filter((word, i) => i > 1 || !/^(?:here|back)$/.test(plain([word])));
    const rest = dropThread(words);
    return { ...readPost({ ...inThread, words: rest }, context, quotes), reminds };
  }
  const message = hasArticle(start, context) ? readMessage(start, context, quotes) : undefined;
  const post = message ?? readPost(start, context, quotes);
  if (post.action.kind !== 'post' || found.word === 'post') return { ...post, reminds };
  return { ...post, action: { kind: 'post', text: post.action.text.replace(/^that (?=\S+ )/i, '') }, reminds };
}

/** "in this thread" after "reply" says nothing new. */
function dropThread(words: string[]): string[] {
  for (let at = 0; at + 3 <= words.length; at++)
    if (placeOf(plain(words.slice(at, at + 3)), [])?.thread) return [...words.slice(0, at), ...words.slice(at + 3)];
  return words;
}

const filler =
  /^(?:(?:the|a|an|our|my|this|workflow|journey|function|command|job|called|named|run|of|for|please|something|anything|stuff|things|it|this|that)\b ?)+$/;

/** A workflow or function to run, with its arguments. */
export function readRun(from: Peeled, context: IntentContext, quotes: readonly string[]): Acted {
  const late = withoutResult(peel(from, 'end', context), context);
  const read = (state: Peeled): Acted | undefined => {
    const action = runOf(state.words, context, quotes);
    return action && { ...strip(state), action };
  };
  const both = peel(late, 'start', context);
  return (
    read(late) ?? read(both) ?? readUnclear(both, context, quotes) ?? { ...strip(both), action: unreadable(both.words) }
  );
}

function unreadable(words: readonly string[]): Action {
  return words.length === 0 || filler.test(`${plain(words)} `) ? { kind: 'open', post: false } : { kind: 'unknown' };
}

/** "run triage on Christmas", "run triage every few hours": what to run is clear, but not when. Nothing of it may be dropped. */
function readUnclear(state: Peeled, context: IntentContext, quotes: readonly string[]): Acted | undefined {
  const sure =
    /^(?:on|at|in|by|every|each|after|before|until|till|from|for|around|during|between|starting|first|soon|later|sometimes?|once|twice|today|tomorrow|tonight|next|this|hourly|daily|nightly|weekly|monthly|quarterly|yearly|annually|weekdays|weekends|\w+days?)$/;
  const condition = /^(?:unless|if|when|whenever|while|except|but|only)$/;
  for (let at = 1; at < state.words.length; at++) {
    const word = plain([state.words[at]!]);
    if (!sure.test(word) && !(saysWhen(state.when) && condition.test(word))) continue;
    const action = runOf(state.words.slice(0, at), context, quotes);
    if (action) return { ...strip(state), action, when: { ...state.when, unclear: true } };
  }
  return undefined;
}

/** "and post it in #team": where it goes has been said with it. */
function withoutResult(state: Peeled, context: IntentContext): Peeled {
  if (Object.keys(state.where).length === 0) return state;
  const found =
    /(?:^| )((?:and )?(?:then )?(?:post|send|share|publish|put) (?:it|this|that|the (?:results?|output|summary|report)))$/.exec(
      plain(state.words),
    );
  if (!found) return state;
  return peel({ ...state, words: state.words.slice(0, -found[1]!.split(' ').length) }, 'end', context);
}

/** What the words name, if they name something that can be run. */
function runOf(spoken: readonly string[], context: IntentContext, quotes: readonly string[]): Action | undefined {
  const aside = / (?:once|one time|only|just|automatically|for me|for us|thanks|thank you)$/.exec(
    ` ${plain(spoken)}`,
  )?.[0];
  const words = aside === undefined ? spoken : spoken.slice(0, -aside.trim().split(' ').length);
  const cut = words.findIndex((word) => /^(?:with|using|where)$/i.test(word));
  const inputs = cut < 0 ? undefined : assignments(words.slice(cut + 1), quotes);
  const head = inputs ? words.slice(0, cut) : words;
  const name = said(head, quotes, false);
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
    ? { kind: 'several', workflows: [...new Set(all as string[])] }
    : undefined;
}

function callOf(
  words: readonly string[],
  context: IntentContext,
  quotes: readonly string[],
  inputs: JsonObject | undefined,
): Action | undefined {
  const plainWords = words.filter((word) => !/^(?:the|function|command)$/i.test(word));
  const functionId = functionNamed(plain(plainWords.slice(0, 1)), context);
  if (functionId === undefined) return undefined;
  const rest = plainWords.slice(1);
  if (rest.length === 0) return { kind: 'call', functionId, ...(inputs && { args: inputs }) };
  if (!/^(?:for|of|on|about)$/i.test(rest[0]!) || inputs) return undefined;
  const about = said(rest.slice(1), quotes, false)
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

/** `severity=high and limit: 5` as inputs; undefined if the words are anything else. */
function assignments(words: readonly string[], quotes: readonly string[]): JsonObject | undefined {
  const lead = /^(?:the )?(?:inputs?|arguments?|args):? /i;
  const written = said(words, quotes).replace(lead, '');
  if (written.startsWith('{')) return writtenObject(written);
  const parts = words
    .join(' ')
    .replace(lead, '')
    .split(/,? and |, ?| (?=[\w-]+[=:])/);
  const out = emptyObject();
  for (const part of parts) {
    const found = /^([A-Za-z_][\w-]{0,63}) ?[=:] ?(.{1,200})$/.exec(part.trim());
    if (!found) return undefined;
    const text = quoteOf(found[2], quotes) ?? found[2]!;
    out[found[1]!] = /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text)
      ? Number(text)
      : /^(?:true|false)$/.test(text)
        ? text === 'true'
        : text;
  }
  return out;
}

/** Inputs as JSON; undefined if they are no object. */
function writtenObject(text: string): JsonObject | undefined {
  // Closing braces that stood alone were taken for punctuation.
  const missing = text.split('{').length - text.split('}').length;
  try {
    const value = JSON.parse(text + '}'.repeat(Math.max(0, missing))) as Json;
    return isObject(value) ? copy(value) : undefined;
  } catch {
    return undefined;
  }
}
