import type { IntentContext } from '../intent-types.js';
import { numberOf, numberPattern } from '../number-words.js';
import type { ParsedRequest, RequestedChange } from '../parsed-request-types.js';
import { joinWords, normalize, quotedText } from '../split-words.js';
import { extractCron } from '../time/cron-expressions.js';
import { emptyWhen, hasSchedule, type When } from '../time/time-expression.js';
import { readTimePhrases } from '../time/time-phrases.js';
import { zoneExpression } from '../time/zone-phrases.js';
import { isActionVerb, readAction } from './action-phrases.js';
import { isPronoun, jobsNamed, mayNameJob, singleRun, soundsLikeAJob } from './find-by-name.js';
import { noChange, readDayChange, readPolicyChange, readRename, readZoneUse } from './job-setting-phrases.js';
import { messageText } from './message-phrases.js';
import { type Stripped, stripPhrases, unstripped } from './strip-time-and-place.js';

/** Reads a change of a job; undefined if it is not one. */
export function readJobChange(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  return (
    readShould(words, quotes, context) ??
    readPolicyChange(normalize(words.map((word) => joinWords([word], quotes, false))), context) ??
    readRename(words, quotes, context) ??
    readDayChange(words, quotes, context) ??
    readZoneUse(words, quotes, context) ??
    readChange(words, quotes, context)
  );
}

/** Reads "the report should run at 9am" as "make the report run at 9am". */
function readShould(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  if (/^(?:can|could|may|let)$/i.test(words[0] ?? ''))
    return readShould(askedFor(words, quotes, context), quotes, context);
  const at = words.findIndex((word) => /^(?:should|must|needs|has)$/i.test(word));
  const rest = normalize(words.slice(at + 1));
  const lead = ranAt.exec(rest)?.[0];
  if (at < 1 || lead === undefined || / (?:too|as well|also)$|\balso\b/.test(rest)) return undefined;
  const job = joinWords(words.slice(0, at), quotes, false);
  if (jobsNamed(job, context).length === 0) return undefined;
  const tail = words.slice(at + 1 + lead.split(' ').length);
  // "on Thursdays instead of Fridays" exchanges days; anything else that is replaced is asked about.
  const [, newer = '', older] = /^(.+?) (?:instead of|rather than|not) (?:on )?(.+)$/.exec(normalize(tail)) ?? [];
  if (older !== undefined) {
    const exchanged = `move ${job} from ${older} to ${newer.replace(/^on /, '')}`;
    return readDayChange(exchanged.split(' '), quotes, context) ?? { intent: 'update', job, patch: noChange() };
  }
  const change = readChange(['make', ...words.slice(0, at), 'run', ...tail], quotes, context);
  // "this Friday the report should go out at noon": a single run.
  const single = /^(?:this|next|on|coming) \w+(?:day|week|month) /i.test(job) && change?.intent === 'update';
  return single ? { ...change, patch: { ...change.patch, single: true } } : change;
}

/** Words for the runs of a job: "the report should go out at 9am", "… be on Mondays". */
const ranAt =
  /^(?:to )?(?:run|post|(?:be )?mov(?:e|ed)(?= to)|(?:be )?changed?(?= to)|go(?: out|(?= to #))|happen|fire|start|be posted|be sent|be run|be(?= (?:at|on|every|daily|weekly|hourly|nightly|monthly|today|tomorrow|next|in|\d\S*|\w+days?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*)\b))\b/;

/** "can the report go out at 9am" as "the report should go out at 9am"; no words if it is anything else. */
function askedFor(words: readonly string[], quotes: readonly string[], context: IntentContext): string[] {
  const at = words.findIndex(
    (_, i) =>
      i > 1 &&
      ranAt.test(normalize(words.slice(i))) &&
      jobsNamed(joinWords(words.slice(1, i), quotes, false), context).length > 0,
  );
  return at < 0 ? [] : [...words.slice(1, at), 'should', ...words.slice(at)];
}

const changers =
  /^(?:move|change|reschedule|re-schedule|update|shift|switch|set|make|edit|modify|adjust|push|push back|bump|postpone|delay|have|get|let|alter|convert|rename|limit|restrict)$/;
/** Verbs that always refer to an existing job, even if no job matches. */
const surely = /^(?:move|change|reschedule|re-schedule|update|edit|modify|adjust|alter|shift|postpone|rename)$/;
const attributes =
  '(?:time ?zone|zone|time|schedule|text|message|wording|content|channel|cadence|frequency|day|days|interval|cron|settings?|timing)';
const links =
  /^(?:to|so|run|runs|from|post|posts|into|by|be|back|forward|say|says|send|start|starts|with|use|go|fire|out|happen|earlier|later|an?|execute)$/;

function readChange(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const implied =
    /^(?:run|post|send|start|have)$/.test(normalize(words.slice(0, 1))) &&
    /\b(?:instead|from now on|going forward)$/.test(normalize(words));
  const count = changers.test(normalize(words.slice(0, 2))) ? 2 : 1;
  const verb = normalize(words.slice(0, count));
  if (!changers.test(verb) && !implied) return undefined;
  if (/^(?:an?|up|another|new)$/.test(normalize(words.slice(count, count + 1)))) return undefined;
  const whole = words.slice(count);
  // "move tomorrow's report": a single run cannot be changed.
  const prefix = singleRun.exec(normalize(whole))?.[0].trim();
  if (prefix !== undefined) {
    const all = readChange([...words.slice(0, count), ...whole.slice(prefix.split(' ').length)], quotes, context);
    return all?.intent === 'update' ? { ...all, patch: { ...all.patch, single: true } } : undefined;
  }
  const early = readTextChange(whole, quotes, context) ?? readZoneChange(whole, quotes, context);
  if (early) return early;
  const shifted = readShift(verb, whole, quotes, context);
  if (shifted) return shifted;
  const other = readOtherAttribute(whole, quotes, context);
  if (other) return other;
  const { words: newer, from } = withoutOldValue(whole);
  const cron = extractCron(newer, quotes);
  const fresh = unstripped(cron?.words ?? newer);
  const state = stripChange(cron ? { ...fresh, when: { ...fresh.when, cron: cron.cron } } : fresh, context);
  const { job, rest } = jobAndRest(state.words, quotes, context);
  const known = jobsNamed(job, context).length > 0 || isPronoun(job);
  if (!known && !(surely.test(verb) && soundsLikeAJob(job))) return undefined;
  if (implied && !state.instead) return undefined;
  // "from 5pm to 6pm and from Friday to Monday": only one thing can be exchanged at a time.
  const exchanges = normalize(whole).match(/\bfrom (?!now\b|here\b)/g) ?? [];
  // "move it from 6pm" does not say to which time.
  const single = Object.keys(state.when.recurrence).length === 0;
  const onlyFrom = single && /\bfrom (?:\d\S*(?: [ap]m)?|noon|midnight)$/.test(normalize(whole));
  if (known && (onlyFrom || (from && exchanges.length > 1))) return { intent: 'update', job, patch: noChange() };
  const action = readNewAction(rest, state, quotes, context);
  // A change without recognizable content is asked about, and nothing is changed.
  if (action === undefined) return known && !implied ? { intent: 'update', job, patch: noChange() } : undefined;
  const patch: RequestedChange = {
    when: action.state.when,
    where: action.state.where,
    ...(action.action && { action: action.action }),
    ...(from && { from }),
  };
  if (!surely.test(verb) && !hasChange(patch)) return undefined;
  return { intent: 'update', job, patch };
}

/** Strips time and place from the end, also in "… at 9am and post in #ops". */
function stripChange(from: Stripped, context: IntentContext): Stripped {
  const state = stripPhrases(from, 'end', context);
  const found =
    Object.keys(state.where).length > 0 &&
    /(?:^| )(and (?:posts?|sends?|run|runs)(?: it)?)$/.exec(normalize(state.words));
  return found
    ? stripPhrases({ ...state, words: state.words.slice(0, -found[1]!.split(' ').length) }, 'end', context)
    : state;
}

/** Reads "change the region to US for the invoice run": an attribute that cannot be changed like this is asked about. */
function readOtherAttribute(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const text = joinWords(words, quotes, false).replace(/[.!?]+$/, '');
  const { name, job } = /^(?:the )?(?<name>[\w-]+) to .+ (?:for|of|on|in) (?<job>.+)$/i.exec(text)?.groups ?? {};
  if (name === undefined || new RegExp(`^${attributes}$`, 'i').test(name) || isPronoun(name)) return undefined;
  if (jobsNamed(name, context).length > 0 || jobsNamed(job!, context).length === 0) return undefined;
  return { intent: 'update', job: job!, patch: noChange() };
}

/** Separates the old value in "from 5pm to 6pm", and turns "to 9" into "at 9". */
function withoutOldValue(words: readonly string[]): { words: string[]; from?: When } {
  const from = words.findIndex((word) => normalize([word]) === 'from');
  const to = words.findIndex((word, i) => i > from && normalize([word]) === 'to');
  const old = words.slice(from + 1, to);
  // "hourly from 9am to 5pm" is a window.
  const often =
    /\bevery \S* ?(?:minutes?|hours?)\b|\bhourly$/.test(normalize(words.slice(0, Math.max(0, from)))) ||
    /\bevery (?:\S+ )?(?:minutes?|hours?)\b|\bhourly\b/.test(normalize(words.slice(to)));
  const before = [[], ['at'], ['on'], ['in']]
    .map((lead) => (old.length > 0 ? readTimePhrases([...lead, ...old]) : undefined))
    .find((it) => it !== undefined);
  const known = before !== undefined || /^#\S+$/.test(normalize(old));
  const replaces = from > 0 && to > from + 1 && !often && known;
  const rest = replaces ? [...words.slice(0, from), ...words.slice(to)] : [...words];
  const last = rest.findLastIndex((word) => normalize([word]) === 'to');
  const after = normalize(rest.slice(last + 1));
  const lead = /^\d{1,2}(?::\d\d)?$/.test(after)
    ? 'at'
    : new RegExp(`^${numberPattern} (?:seconds?|minutes?|mins?|hours?|days?|weeks?)$`).test(after)
      ? 'every'
      : 'to';
  const said = before && (before.times || before.zone) ? before : undefined;
  return { words: rest.map((word, i) => (i === last ? lead : word)), ...(replaces && said && { from: said }) };
}

/** Reads "change the time zone of … to Tokyo". */
function readZoneChange(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const text = joinWords(words, quotes, false).replace(/[.!?]+$/, '');
  const found =
    /^(?:the )?(?:time ?zone|zone) (?:of|for|on) (?<job>.+?) (?:from .+ )?to (?<zone>.+)$/i.exec(text) ??
    /^(?<job>.+?)(?:['’]s)? (?:time ?zone|zone) (?:from .+ )?to (?<zone>.+)$/i.exec(text);
  const { job, zone } = found?.groups ?? {};
  if (job === undefined || !mayNameJob(job, context)) return undefined;
  return { intent: 'update', job, patch: { ...noChange(), when: { ...emptyWhen(), zone: zoneExpression(zone!) } } };
}

/** Splits "the standup reminder to run" into the job and the remaining words. */
function jobAndRest(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): { job: string; rest: string[] } {
  const name = (part: readonly string[]) =>
    joinWords(part, quotes, false)
      .replace(new RegExp(`^(?:the )?${attributes} (?:of|for|on) `, 'i'), '')
      .replace(new RegExp(`(?:['’]s)? ${attributes}$`, 'i'), '')
      .replace(/['’]s$/, '');
  if (isPronoun(normalize(words))) return { job: normalize(words), rest: [] };
  for (let at = 1; at < words.length; at++) {
    if (!links.test(normalize([words[at]!]))) continue;
    const job = name(words.slice(0, at));
    if (jobsNamed(job, context).length > 0 || isPronoun(job)) return { job, rest: words.slice(at) };
  }
  const end = words.findLastIndex((word) => !/^(?:to|so|at|on|for|run|it|runs|be|from|in|by)$/.test(normalize([word])));
  return { job: name(words.slice(0, end + 1)), rest: [] };
}

interface NewAction {
  state: Stripped;
  action?: RequestedChange['action'];
}

/** Reads "to run triage", "so it posts in #ops", "from 9am to"; undefined if it is not understood. */
function readNewAction(
  words: readonly string[],
  state: Stripped,
  quotes: readonly string[],
  context: IntentContext,
): NewAction | undefined {
  let rest = [...words];
  const from = normalize(rest.slice(0, 1)) === 'from' ? rest.findIndex((word) => normalize([word]) === 'to') : -1;
  if (from > 0) rest = rest.slice(from);
  while (
    /^(?:to|so|that|it|be|into|use|with|go|happen|back|forward|start|fire|out|at|on|for|and|start|execute|instead)$/.test(
      normalize(rest.slice(0, 1)),
    )
  )
    rest = rest.slice(1);
  if (
    rest.length === 0 ||
    /^(?:runs?|posts?|sends?|starts?|running|posting)(?: (?:at|on|in|it|to|only|just))?$/.test(normalize(rest))
  )
    return { state };
  if (!isActionVerb(rest)) return undefined;
  const requested = readAction({ ...state, words: rest }, context, quotes);
  if (!requested || requested.action.kind === 'open' || requested.when.unclear) return undefined;
  const timed = /^(?:every|each|at|on|in|between|from|starting|until|daily|hourly|weekly|monthly|\w+days?)$/;
  if (requested.action.kind === 'unknown' && timed.test(normalize(rest.slice(1, 2)))) return undefined;
  const { action, when, where } = requested;
  // "post twice" says how often, and not what.
  if (
    action.kind === 'post' &&
    /^(?:once|twice|thrice|again|too|also|only|less|more|earlier|later)\b/.test(normalize(rest.slice(1)))
  )
    return undefined;
  return { state: { ...state, when, where }, action };
}

/** Reads "change the text of the standup reminder to …", "make it say …". The rest is always text. */
function readTextChange(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  for (let at = 1; at < words.length - 1; at++) {
    const link = normalize([words[at]!]);
    if (link !== 'to' && !/^says?$/.test(link)) continue;
    const head = joinWords(words.slice(0, at), quotes, false);
    const found =
      /^(?:the )?(?:text|message|wording|content) (?:of|for|in|on) (.+)$/i.exec(head)?.[1] ??
      /^what (.+) (?:says|posts)$/i.exec(head)?.[1] ??
      /^(.+?)(?:['’]s)? (?:text|message|wording|content)$/i.exec(head)?.[1] ??
      (link === 'to' ? undefined : head);
    if (found === undefined || jobsNamed(found, context).length === 0) continue;
    const said = words.slice(at + 1);
    const passage = said.findIndex((word) => quotedText(word, quotes) !== undefined);
    // "say "good morning" at 9:30am in #ops": time and place after a quoted text.
    const after = stripPhrases(unstripped(passage === 0 ? said.slice(1) : []), 'end', context);
    const { when, where } = after;
    if (passage === 0 && after.words.length > 0) return { intent: 'update', job: found, patch: noChange() };
    const text = messageText(after.words.length === 0 && passage === 0 ? said.slice(0, 1) : said, quotes);
    if (text !== '' && after.words.length === 0)
      return { intent: 'update', job: found, patch: { when, where, action: { kind: 'post', text } } };
    if (text !== '') return { intent: 'update', job: found, patch: { ...noChange(), action: { kind: 'post', text } } };
  }
  return undefined;
}

const shiftPattern = new RegExp(
  `^(?<job>.+?)(?: (?<way>back|forward|out))?(?: by)? (?<half>half an hour|(?<count>${numberPattern}) ?(?<unit>minutes?|mins?|hours?|hrs?|h|m))(?: (?<late>later|earlier))?$`,
);

/** Reads "push the report back by an hour", "move it 30 minutes earlier". */
function readShift(
  verb: string,
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const phrase = normalize(words.map((word) => joinWords([word], quotes, false)));
  const found = shiftPattern.exec(phrase)?.groups;
  // A shift by days is asked about.
  const byDays = /^(?<job>.+?)(?: by)? \S+ (?:days?|weeks?|months?) (?:later|earlier)$/.exec(phrase)?.groups?.job;
  if (byDays !== undefined && jobsNamed(byDays, context).length > 0)
    return { intent: 'update', job: byDays, patch: noChange() };
  if (!found || jobsNamed(found.job!, context).length === 0) return undefined;
  const later =
    found.late === 'later' ||
    (found.late === undefined && (/^(?:push|postpone|delay|push back|bump)$/.test(verb) || found.way === 'back'));
  if (!later && found.late !== 'earlier') return undefined;
  const minutes = found.count === undefined ? 30 : numberOf(found.count) * (/^h/.test(found.unit!) ? 60 : 1);
  return { intent: 'update', job: found.job!, patch: { ...noChange(), shift: (later ? 1 : -1) * minutes * 60_000 } };
}

/** Whether a change has any content. */
export function hasChange({ when, where, from: _, single: __, ...others }: RequestedChange): boolean {
  return (
    hasSchedule(when) ||
    when.zone !== undefined ||
    Object.keys(where).length > 0 ||
    Object.values(others).some((it) => it !== undefined)
  );
}
