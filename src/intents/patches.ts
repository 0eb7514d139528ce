import { isActionVerb, readAction } from './actions.js';
import { takeCron } from './cron-text.js';
import type { Frame, SaidPatch } from './frame.js';
import { textOf } from './messages.js';
import { isJob, isPronoun, jobsNamed, soundsLikeAJob } from './names.js';
import { type Peeled, peel, unpeeled } from './peel.js';
import { empty, readPolicy } from './policies.js';
import { readDays, readRename, readZoneUse } from './single-changes.js';
import type { IntentContext } from './types.js';
import { nothingSaid, readWhole, saysWhen } from './when.js';
import { numberOf, numberPattern, plain, said } from './words.js';
import { saidZone } from './zones.js';

/** Reads a change of a job; undefined if it is none. */
export function readPatch(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): Frame | undefined {
  return (
    readPolicy(plain(words.map((word) => said([word], quotes, false))), context) ??
    readRename(words, quotes, context) ??
    readDays(words, quotes, context) ??
    readZoneUse(words, quotes, context) ??
    readChange(words, quotes, context)
  );
}

const changers =
  /^(?:move|change|reschedule|re-schedule|update|shift|switch|set|make|edit|modify|adjust|push|push back|bump|postpone|delay|have|let|alter|convert|rename)$/;
/** These verbs are about a job that is there even if it cannot be found. */
const surely = /^(?:move|change|reschedule|re-schedule|update|edit|modify|adjust|alter|shift|postpone|rename)$/;
const attributes =
  '(?:time ?zone|zone|time|schedule|text|message|wording|content|channel|cadence|frequency|day|days|interval|cron|settings?|timing)';
const links =
  /^(?:to|so|run|runs|from|post|posts|into|by|be|back|forward|say|says|send|start|starts|with|use|go|fire|out|happen|earlier|later|an?|execute)$/;

function readChange(words: readonly string[], quotes: readonly string[], context: IntentContext): Frame | undefined {
  const implied =
    /^(?:run|post|send|start|have)$/.test(plain(words.slice(0, 1))) &&
    /\b(?:instead|from now on|going forward)$/.test(plain(words));
  const count = changers.test(plain(words.slice(0, 2))) ? 2 : 1;
  const verb = plain(words.slice(0, count));
  if (!changers.test(verb) && !implied) return undefined;
  if (/^(?:an?|up|another|new)$/.test(plain(words.slice(count, count + 1)))) return undefined;
  const body = words.slice(count);
  const early = readTextChange(body, quotes, context) ?? readZoneChange(body, quotes, context);
  if (early) return early;
  const shifted = readShift(verb, body, quotes, context);
  if (shifted) return shifted;
  const newer = withoutOld(body);
  const cron = takeCron(newer, quotes);
  const fresh = unpeeled(cron?.words ?? newer);
  const state = peelChange(cron ? { ...fresh, when: { ...fresh.when, cron: cron.cron } } : fresh, context);
  const { job, rest } = jobAndRest(state.words, quotes, context);
  const known = jobsNamed(job, context).length > 0 || isPronoun(job);
  if (!known && !(surely.test(verb) && soundsLikeAJob(job))) return undefined;
  if (implied && !state.instead) return undefined;
  const action = readNewAction(rest, state, quotes, context);
  // Something is to change, but it is not clear what: that is asked, and nothing of it is done.
  if (action === undefined) return known && !implied ? { intent: 'update', job, patch: empty() } : undefined;
  const patch: SaidPatch = {
    when: action.state.when,
    where: action.state.where,
    ...(action.action && { action: action.action }),
  };
  if (!surely.test(verb) && !saysSomething(patch)) return undefined;
  return { intent: 'update', job, patch };
}

/** Time and place off the end, also "… at 9am and post in #ops". */
function peelChange(from: Peeled, context: IntentContext): Peeled {
  const state = peel(from, 'end', context);
  const found =
    Object.keys(state.where).length > 0 && /(?:^| )(and (?:posts?|sends?|run|runs)(?: it)?)$/.exec(plain(state.words));
  return found ? peel({ ...state, words: state.words.slice(0, -found[1]!.split(' ').length) }, 'end', context) : state;
}

/** "from 5pm to 6pm" without what it is now, and "to 9" as the time it is. */
function withoutOld(words: readonly string[]): string[] {
  const from = words.findIndex((word) => plain([word]) === 'from');
  const to = words.findIndex((word, i) => i > from && plain([word]) === 'to');
  const old = words.slice(from + 1, to);
  const often = /\b(?:every \S* ?(?:minutes?|hours?|hourly))\b/.test(plain(words.slice(0, Math.max(0, from))));
  const known =
    [[], ['at'], ['on'], ['in']].some((lead) => readWhole([...lead, ...old]) !== undefined) ||
    /^#\S+$/.test(plain(old));
  const rest =
    from > 0 && to > from + 1 && !often && known ? [...words.slice(0, from), ...words.slice(to)] : [...words];
  const last = rest.findLastIndex((word) => plain([word]) === 'to');
  const after = plain(rest.slice(last + 1));
  const lead = /^\d{1,2}(?::\d\d)?$/.test(after)
    ? 'at'
    : new RegExp(`^${numberPattern} (?:seconds?|minutes?|mins?|hours?|days?|weeks?)$`).test(after)
      ? 'every'
      : 'to';
  return rest.map((word, i) => (i === last ? lead : word));
}

/** "change the time zone of … to Tokyo". */
function readZoneChange(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): Frame | undefined {
  const text = said(words, quotes, false).replace(/[.!?]+$/, '');
  const found =
    /^(?:the )?(?:time ?zone|zone) (?:of|for|on) (?<job>.+?) (?:from .+ )?to (?<zone>.+)$/i.exec(text) ??
    /^(?<job>.+?)(?:['’]s)? (?:time ?zone|zone) (?:from .+ )?to (?<zone>.+)$/i.exec(text);
  const { job, zone } = found?.groups ?? {};
  if (job === undefined || !isJob(job, context)) return undefined;
  return { intent: 'update', job, patch: { ...empty(), when: { ...nothingSaid(), zone: saidZone(zone!) } } };
}

/** Splits "the standup reminder to run" into the job and what is left to say about it. */
function jobAndRest(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): { job: string; rest: string[] } {
  const name = (part: readonly string[]) =>
    said(part, quotes, false)
      .replace(new RegExp(`^(?:the )?${attributes} (?:of|for|on) `, 'i'), '')
      .replace(new RegExp(`(?:['’]s)? ${attributes}$`, 'i'), '')
      .replace(/['’]s$/, '');
  for (let at = 1; at < words.length; at++) {
    if (!links.test(plain([words[at]!]))) continue;
    const job = name(words.slice(0, at));
    if (jobsNamed(job, context).length > 0 || isPronoun(job)) return { job, rest: words.slice(at) };
  }
  const end = words.findLastIndex((word) => !/^(?:to|so|at|on|for|run|it|runs|be|from|in|by)$/.test(plain([word])));
  return { job: name(words.slice(0, end + 1)), rest: [] };
}

interface NewAction {
  state: Peeled;
  action?: SaidPatch['action'];
}

/** "to run triage", "so it posts in #ops", "from 9am to": undefined if it is not understood. */
function readNewAction(
  words: readonly string[],
  state: Peeled,
  quotes: readonly string[],
  context: IntentContext,
): NewAction | undefined {
  let rest = [...words];
  const from = plain(rest.slice(0, 1)) === 'from' ? rest.findIndex((word) => plain([word]) === 'to') : -1;
  if (from > 0) rest = rest.slice(from);
  while (
    /^(?:to|so|that|it|be|into|from|by|use|with|go|happen|back|forward|start|fire|out|at|on|for|and|start|execute|instead)$/.test(
      plain(rest.slice(0, 1)),
    )
  )
    rest = rest.slice(1);
  if (
    rest.length === 0 ||
    /^(?:runs?|posts?|sends?|starts?|running|posting)(?: (?:at|on|in|it|to))?$/.test(plain(rest))
  )
    return { state };
  if (!isActionVerb(rest)) return undefined;
  const acted = readAction({ ...state, words: rest }, context, quotes);
  if (!acted || acted.action.kind === 'open' || acted.when.unclear) return undefined;
  const timed = /^(?:every|each|at|on|in|between|from|starting|until|daily|hourly|weekly|monthly|\w+days?)$/;
  if (acted.action.kind === 'unknown' && timed.test(plain(rest.slice(1, 2)))) return undefined;
  const { action, when, where } = acted;
  return { state: { ...state, when, where }, action };
}

/** "change the text of the standup reminder to …", "make it say …": what follows is the text, whatever it says. */
function readTextChange(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): Frame | undefined {
  for (let at = 1; at < words.length - 1; at++) {
    const link = plain([words[at]!]);
    if (link !== 'to' && !/^says?$/.test(link)) continue;
    const head = said(words.slice(0, at), quotes, false);
    const found =
      /^(?:the )?(?:text|message|wording|content) (?:of|for|in|on) (.+)$/i.exec(head)?.[1] ??
      /^(.+?)(?:['’]s)? (?:text|message|wording|content)$/i.exec(head)?.[1] ??
      (link === 'to' ? undefined : head);
    if (found === undefined || jobsNamed(found, context).length === 0) continue;
    const text = textOf(words.slice(at + 1), quotes);
    if (text !== '') return { intent: 'update', job: found, patch: { ...empty(), action: { kind: 'post', text } } };
  }
  return undefined;
}

const shiftPattern = new RegExp(
  `^(?<job>.+?)(?: (?<way>back|forward|out))?(?: by)? (?<half>half an hour|(?<count>${numberPattern}) ?(?<unit>minutes?|mins?|hours?|hrs?|h|m))(?: (?<late>later|earlier))?$`,
);

/** "push the report back by an hour", "move it 30 minutes earlier". */
function readShift(
  verb: string,
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): Frame | undefined {
  const found = shiftPattern.exec(plain(words.map((word) => said([word], quotes, false))))?.groups;
  if (!found || jobsNamed(found.job!, context).length === 0) return undefined;
  const later =
    found.late === 'later' ||
    (found.late === undefined && (/^(?:push|postpone|delay|push back|bump)$/.test(verb) || found.way === 'back'));
  if (!later && found.late !== 'earlier') return undefined;
  const minutes = found.count === undefined ? 30 : numberOf(found.count) * (/^h/.test(found.unit!) ? 60 : 1);
  return { intent: 'update', job: found.job!, patch: { ...empty(), shift: (later ? 1 : -1) * minutes * 60_000 } };
}

/** Whether a patch says anything. */
export function saysSomething({ when, where, ...others }: SaidPatch): boolean {
  return (
    saysWhen(when) ||
    when.zone !== undefined ||
    Object.keys(where).length > 0 ||
    Object.values(others).some((it) => it !== undefined)
  );
}
