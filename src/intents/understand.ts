import { isActionVerb, readAction, readRun } from './actions.js';
import { takeCron } from './cron-text.js';
import type { Frame } from './frame.js';
import { jobVerbs, readJobVerb, readList } from './job-verbs.js';
import { readMessage, withoutArticles } from './messages.js';
import { isOneJob } from './names.js';
import { readPatch } from './patches.js';
import { type Peeled, peel, unpeeled } from './peel.js';
import type { IntentContext } from './types.js';
import { saysWhen } from './when.js';
import { plain, said } from './words.js';

const none: Frame = { intent: 'none' };

const openings =
  /^(?:please|pls|kindly|hey|hi|hello|ok|okay|so|now|also|just|bot|journeyman|go ahead and|can you|could you|would you|will you|can we|could we|i want you to|i want to|i would like you to|i would like to|i'd like to|i'd like you to|i'd like|i need you to|i need to|i need|i want|we need to|we want to|we need|we want|we'd like|we would like|i would like|would you mind|do you mind|let's|lets|you should|make sure to|make sure you|be sure to|remember to|don't forget to|help me|try to|and|then)$/;

/** "would you mind running …": the verb as it is said otherwise. */
const gerunds: Record<string, string> = {
  running: 'run',
  starting: 'start',
  posting: 'post',
  sending: 'send',
  reminding: 'remind',
  telling: 'tell',
  scheduling: 'schedule',
  pausing: 'pause',
  stopping: 'stop',
  resuming: 'resume',
  deleting: 'delete',
  cancelling: 'cancel',
  canceling: 'cancel',
  removing: 'remove',
  moving: 'move',
  changing: 'change',
  listing: 'list',
  showing: 'show',
};

/** Words without politeness around them. */
function bare(words: readonly string[]): string[] {
  let rest = [...words];
  for (let again = true; again && rest.length > 1; ) {
    again = false;
    for (const count of [5, 4, 3, 2, 1]) {
      const lead = plain(rest.slice(0, count));
      if (rest.length > count && (openings.test(lead) || (count === 1 && /^<?@[\w.-]+>?,?$/.test(rest[0]!)))) {
        rest = rest.slice(count);
        const verb = /^(?:would|do) you mind$/.test(lead) ? plain(rest.slice(0, 1)) : '';
        if (Object.hasOwn(gerunds, verb)) rest = [gerunds[verb]!, ...rest.slice(1)];
        again = true;
        break;
      }
    }
  }
  return rest;
}

/** What an utterance asks for. */
export function understand(spoken: readonly string[], quotes: readonly string[], context: IntentContext): Frame {
  return severalFrames(spoken, quotes, context) ?? understandOne(spoken, quotes, context);
}

/** Where so many places could begin something new, it is a text. */
const mostParts = 6;

/** "pause this and delete that": each part would do on its own. */
function severalFrames(words: readonly string[], quotes: readonly string[], context: IntentContext): Frame | undefined {
  let tried = 0;
  for (let at = 1; at < words.length - 1 && tried < mostParts; at++) {
    const ends = /[.;!]$/.test(words[at - 1]!);
    const joins = /^(?:and|then|also|but|&|;)$/i.test(words[at]!);
    if (!ends && !joins) continue;
    let from = at;
    while (/^(?:and|then|also|but|&|;)$/i.test(words[from] ?? '')) from++;
    const second = words.slice(from);
    if (second.length < 2 || !(beginsIntent(bare(second)) || workflowFirst(second, context))) continue;
    tried++;
    const [left, right] = [understandOne(words.slice(0, at), quotes, context), understandOne(second, quotes, context)];
    if (complete(left) && complete(right)) return { intent: 'several', frames: [left, right] };
  }
  return undefined;
}

/** Whether a part stands on its own: it names a job, or an action and a time. */
function complete(frame: Frame): boolean {
  if (frame.intent === 'none' || frame.intent === 'several') return false;
  return frame.intent !== 'create' || (saysWhen(frame.when) && frame.action.kind !== 'open');
}

/** "… and cleanup every day at 10am": the name of a workflow begins something too. */
function workflowFirst(words: readonly string[], context: IntentContext): boolean {
  return context.workflows.some((id) => id.toLowerCase() === plain(words.slice(0, 1)));
}

function beginsIntent(words: readonly string[]): boolean {
  return (
    isActionVerb(words) ||
    jobVerbs.some(([pattern]) => pattern.test(plain(words))) ||
    /^(?:schedule|set|create|add|list|move|change|reschedule|update|make)$/.test(plain(words.slice(0, 1)))
  );
}

function understandOne(spoken: readonly string[], quotes: readonly string[], context: IntentContext): Frame {
  const words = bare(spoken);
  if (words.length === 0) return none;
  return (
    readPatch(words, quotes, context) ??
    readList(plain(words)) ??
    readJobVerb(words, quotes, context, 'sure') ??
    readCreate(words, quotes, context) ??
    readJobVerb(words, quotes, context, 'maybe') ??
    none
  );
}

const makers =
  /^(?:schedule|set up|setup|set|create|add|make|book|plan|arrange|program|automate|queue up|start|configure|define|have|put)$/;

function readCreate(words: readonly string[], quotes: readonly string[], context: IntentContext): Frame | undefined {
  const cron = takeCron(words, quotes);
  const fresh = unpeeled(cron?.words ?? words);
  const from: Peeled = cron ? { ...fresh, when: { ...fresh.when, cron: cron.cron } } : fresh;
  const early = peel(from, 'start', context);
  const start: Peeled = { ...early, words: bare(early.words) };
  const acted = readAction(start, context, quotes);
  if (acted) {
    const { action, when, where, reminds } = acted;
    // "run weekly report", "run the weekly report tomorrow": that is a job, and no workflow.
    if (action.kind === 'unknown' && namesJob(start, context, quotes)) return undefined;
    const someTime = when.part !== undefined && /^(?:run|call)$/.test(action.kind);
    if (!saysWhen(when) && !someTime && !reminds) return undefined;
    return { intent: 'create', action, when, where };
  }
  return readMade(start, context, quotes) ?? readNamed(start, context, quotes);
}

/** Whether what follows the verb is the name of a job, with a time after it or none. */
function namesJob(from: Peeled, context: IntentContext, quotes: readonly string[]): boolean {
  const late = peel(from, 'end', context);
  return [from.words, late.words].some((words) => isOneJob(said(words.slice(1), quotes, false), context));
}

/** "db-backup nightly at 2am": the whole name of a workflow and a time, without a verb. */
function readNamed(from: Peeled, context: IntentContext, quotes: readonly string[]): Frame | undefined {
  const { words, when, where } = peel({ ...from, words: linked(from.words) }, 'end', context);
  const name = said(words, quotes, false)
    .toLowerCase()
    .replace(/^(?:the|our|my) /, '');
  const workflowId = context.workflows.find((id) => id.toLowerCase() === name);
  if (workflowId === undefined || !saysWhen(when)) return undefined;
  return { intent: 'create', action: { kind: 'run', workflowId }, when, where };
}

/** "schedule …", "set up a job that …", "create a weekly reminder …". */
function readMade(from: Peeled, context: IntentContext, quotes: readonly string[]): Frame | undefined {
  const count = makers.test(plain(from.words.slice(0, 2))) ? 2 : 1;
  const verb = plain(from.words.slice(0, count));
  if (!makers.test(verb)) return undefined;
  const whole = from.words.slice(count);
  const sure = verb === 'schedule' || verb === 'automate';
  const direct = readRun({ ...withoutArticles({ ...from, words: linked(whole) }) }, context, quotes);
  const message = readMessage({ ...from, words: whole }, context, quotes);
  if (message) return { intent: 'create', ...only(message) };
  if (/^(?:run|call|several)$/.test(direct.action.kind) && (sure || saysWhen(direct.when)))
    return { intent: 'create', ...only(direct) };
  const state = peel(withoutArticles({ ...from, words: whole }), 'start', context);
  const job =
    /^(?:(?:cron |recurring |scheduled |repeating )?(?:job|schedule|task|automation|run|workflow|cron|timer|trigger))$/;
  for (const size of [2, 1]) {
    if (!job.test(plain(state.words.slice(0, size)))) continue;
    const rest = peel({ ...state, words: state.words.slice(size) }, 'start', context);
    const inner = peel(
      {
        ...rest,
        words: rest.words.filter((word, i) => i > 0 || !/^(?:that|which|to|of|for|where|called)$/i.test(word)),
      },
      'start',
      context,
    );
    const acted = readAction(inner, context, quotes);
    return { intent: 'create', ...only(acted ?? readRun(inner, context, quotes)) };
  }
  if (!sure) return undefined;
  const acted = readAction({ ...from, words: linked(whole) }, context, quotes);
  return { intent: 'create', ...only(acted ?? direct) };
}

function only({ action, when, where }: Pick<Extract<Frame, { intent: 'create' }>, 'action' | 'when' | 'where'>) {
  return { action, when, where };
}

/** "triage to run every hour": without the words that link. */
function linked(words: readonly string[]): string[] {
  const at = words.findIndex(
    (_, i) =>
      i > 0 && /^(?:to|so it) (?:run|runs|go|happen|start|execute|fire)$|^to be$/.test(plain(words.slice(i, i + 2))),
  );
  if (at < 0) return [...words];
  const passive = /^to be (?:run|started|executed|done|launched)$/.test(plain(words.slice(at, at + 3)));
  return [...words.slice(0, at), ...words.slice(at + (passive ? 3 : 2))];
}
