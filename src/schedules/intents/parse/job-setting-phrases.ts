import type { IntentContext } from '../intent-types.js';
import type { ParsedRequest, RequestedChange } from '../parsed-request-types.js';
import { joinWords, normalize, quotedText } from '../split-words.js';
import { readRecurrence } from '../time/recurrence-phrases.js';
import { emptyWhen, type When } from '../time/time-expression.js';
import { readTimePhrases } from '../time/time-phrases.js';
import { zoneExpression } from '../time/zone-phrases.js';
import { jobsNamed, mayNameJob } from './find-by-name.js';

/** A change without any content. */
export const noChange = (): RequestedChange => ({ when: emptyWhen(), where: {} });

const missed = "(?:miss(?:es|ed)?|(?:is|was|gets|has) missed|is late for|fails to make|doesn't make|didn't make|skips)";
const policies: RegExp[] = [
  new RegExp(
    `^(?:if|when|whenever|in case) (?<job>.+?) (?:ever )?${missed}\\b(?: (?:a|an|any|its|one|some|the|scheduled|due)){0,2}(?: (?:runs?|slots?|windows?|fires?|times?|executions?))?(?: (?:while|because|during|due to|when) .{1,40}?)?,? (?:then |just |please )*(?<what>(?:skip|ignore|drop|forget|leave|don't|do not|never|let it|fire|run|catch|make up|do it|execute|start|trigger|still)\\b.*)$`,
  ),
  /^(?<what>skip|ignore|drop|forget|don't run|do not run|don't catch up|do not catch up|catch up|run|make up|fire)(?: on)?(?: any| all| the)? missed (?:runs?|fires?|slots?|ones) (?:of|for|on|from|by) (?<job>.+)$/,
  /^(?:make|have|let|tell|set|change|get) (?<job>.+?) (?:to )?(?<what>skip|ignore|drop|catch up|run|make up|fire|not run|not catch up)(?: on)?(?: once)?(?: for| on)?(?: any| all| its| the)? missed (?:runs?|fires?|slots?|ones)(?: .*)?$/,
  /^(?<job>.+?) should (?<what>skip|ignore|drop|catch up|not catch up|run|not run)(?: on)?(?: any| all| its| the)? missed (?:runs?|fires?|slots?|ones)$/,
  /^(?<what>run|fire|start|skip|ignore) (?<job>.+?) (?:once )?(?:if|when) (?:it|a run|one)(?: was| is| gets| has been| were)? (?:missed|misses)$/,
  /^(?:set|change|update|switch) (?:the )?misfire[ _]?policy (?:of|for|on) (?<job>.+?) to (?<what>.+)$/,
  /^(?:set|change|update|switch) (?<job>.+?)(?:'s)? misfire[ _]?policy to (?<what>.+)$/,
];
const overlaps: [RegExp, boolean][] = [
  [
    /^(?:don't|do not|never) (?:let|allow) (?:runs of |overlapping runs (?:of|for) )?(.+?)(?: to)?(?: overlap(?: with itself)?| run(?:s)? overlap)?$/,
    false,
  ],
  [/^(.+?) (?:must|should|may|can|shall) (?:not|never) overlap(?: with itself)?$/, false],
  [/^(.+?) (?:may|can|is allowed to) overlap(?: with itself)?$/, true],
  [/^(?:disallow|forbid|prevent|no) overlap(?:ping)?(?: runs)? (?:of|for|in|on) (.+)$/, false],
  [/^(?:allow|permit|enable) overlap(?:ping)?(?: runs)? (?:of|for|in|on) (.+)$/, true],
  [/^(?:let|allow) (?:runs of )?(.+?)(?: to)? overlap(?: with itself)?$/, true],
];

/** Reads a change of the misfire policy or of `allowOverlap`. */
export function readPolicyChange(phrase: string, context: IntentContext): ParsedRequest | undefined {
  for (const pattern of policies) {
    const found = pattern.exec(phrase)?.groups;
    if (!found || !mayNameJob(found.job!, context)) continue;
    const policy = policyOf(found.what!);
    // No policy runs every missed occurrence, so the change is asked about.
    if (policy === 'fire_once_on_recovery' && /\b(?:all|each|every)\b/.test(found.what!))
      return { intent: 'update', job: found.job!, patch: noChange() };
    if (policy) return { intent: 'update', job: found.job!, patch: { ...noChange(), misfirePolicy: policy } };
  }
  for (const [pattern, allowOverlap] of overlaps) {
    const job = /overlap/.test(phrase) ? pattern.exec(phrase)?.[1] : undefined;
    if (job !== undefined && mayNameJob(job, context))
      return { intent: 'update', job, patch: { ...noChange(), allowOverlap } };
  }
  return undefined;
}

function policyOf(what: string): RequestedChange['misfirePolicy'] {
  if (/^(?:skip|ignore|drop|forget|leave|don't|do not|not |never|let it (?:go|be)|nothing|move on)/.test(what))
    return 'skip_missed';
  if (/^(?:fire|run|catch|make up|do it|execute|start|trigger|recover|still)/.test(what))
    return 'fire_once_on_recovery';
  return undefined;
}

/** Reads "rename the weekly report to …", "call job-1 …". */
export function readRename(
  spoken: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const aside = /(?: (?:from now on|from here on|going forward|instead|please))+$/.exec(normalize(spoken))?.[0];
  const words = aside === undefined ? spoken : spoken.slice(0, -aside.trim().split(' ').length);
  for (let at = 2; at < words.length; at++) {
    const head = joinWords(words.slice(0, at), quotes, false);
    const found =
      /^(?:rename|re-name) (.+) (?:to|as|into)$/i.exec(head)?.[1] ??
      /^(?:change|set|update) the name of (.+) to$/i.exec(head)?.[1] ??
      /^(?:change|set|update) (.+?)(?:['’]s)? name to$/i.exec(head)?.[1] ??
      (at === words.length - 1 && quotedText(words[at], quotes) !== undefined
        ? /^call (.+)$/i.exec(head)?.[1]
        : undefined);
    if (found === undefined || jobsNamed(found, context).length === 0) continue;
    const name = joinWords(words.slice(at), quotes, false).replace(/[.!?]+$/, '');
    return { intent: 'update', job: found, patch: { ...noChange(), name } };
  }
  return undefined;
}

const dayChanges: [RegExp, boolean][] = [
  [/^(?:also )?(?:add|include) (?<days>\w+days?(?: and \w+days?)*)$/, true],
  [/^(?:remove|drop|exclude|take out) (?<days>\w+days?(?: and \w+days?)*)$/, false],
  [/^(?:add|include) (?<days>.+?) (?:to|in|for) (?<job>.+)$/, true],
  [/^(?:run|post|send|do) (?<job>.+?) on (?<days>.+?) (?:too|as well|also)$/, true],
  [/^also (?:run|post|send|do) (?<job>.+?) on (?<days>.+?)$/, true],
  [/^(?:run|post|send|do) (?<job>.+?) also on (?<days>.+?)$/, true],
  [/^(?<job>.+?) should (?:also|additionally) (?:run|post|go out|happen|fire) on (?<days>.+?)$/, true],
  [
    /^(?<job>.+?) should (?:run|post|go out|happen|fire) (?:on (?<days>.+?) (?:too|as well|also)|also on (?<more>.+?))$/,
    true,
  ],
  [
    /^(?<job>.+?) should(?:n't| not| no longer|n’t) (?:run|post|go out|happen|fire) on (?<days>.+?)(?: any ?more)?$/,
    false,
  ],
  [/^(?:remove|drop|exclude|take out|delete|cancel) (?<days>.+?) (?:from|for) (?<job>.+)$/, false],
  [/^take (?<days>.+?) (?:out of|off|away from) (?<job>.+)$/, false],
  [
    /^(?:make|have|let|change|set) (?<job>.+?)(?: so(?: that)?(?: it)?| to)? (?:skips?|not (?:run|post)|(?:doesn't|does not) (?:run|post))(?: on)? (?<days>.+)$/,
    false,
  ],
  [/^(?:don't|do not|never|no longer) (?:run|post|send|do|fire) (?<job>.+?) on (?<days>.+?)(?: any ?more)?$/, false],
  [
    /^(?:skip|leave out|cancel|stop|pause)(?: running| posting| sending)? (?<job>.+?) on (?<days>(?:\w+days|weekends?).*)$/,
    false,
  ],
];

/** Reads "add Saturday to the standup reminder", "don't run it on Fridays". */
export function readDayChange(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const phrase = normalize(words.map((word) => joinWords([word], quotes, false)));
  for (const [pattern, add] of dayChanges) {
    const found = pattern.exec(phrase)?.groups;
    const days = found?.days ?? found?.more;
    const { weekdays, ...more } =
      (days !== undefined && readRecurrence(`every ${add ? days : days.replaceAll(' or ', ' and ')}`)) || {};
    if (weekdays === undefined || Object.keys(more).length > 0) continue;
    // "add Saturday": the job is asked about.
    if (found!.job === undefined)
      return {
        intent: 'update',
        job: 'it',
        patch: { ...noChange(), days: add ? { add: weekdays } : { remove: weekdays } },
      };
    if (!mayNameJob(found!.job, context)) continue;
    return {
      intent: 'update',
      job: found!.job,
      patch: { ...noChange(), days: add ? { add: weekdays } : { remove: weekdays } },
    };
  }
  return readDayMove(phrase, context);
}

/** Reads "move the standup reminder from Monday to Saturday": one day is exchanged, the others stay; "… to Saturday at 10am" changes the time too. */
function readDayMove(phrase: string, context: IntentContext): ParsedRequest | undefined {
  const found = /^(?:move|change|shift|switch|reschedule) (?<job>.+?) from (?<from>.+?) to (?<to>.+)$/.exec(
    phrase,
  )?.groups;
  if (!found || !mayNameJob(found.job!, context)) return undefined;
  const [from, to] = [readDaysAndTimes(found.from!), readDaysAndTimes(found.to!)];
  if (!from || !to) return undefined;
  const days = { add: to.weekdays, remove: from.weekdays };
  const said = from.when.times || from.when.zone;
  const patch = { ...noChange(), when: to.when, days, ...(said && { from: from.when }) };
  return { intent: 'update', job: found.job!, patch };
}

/** Weekdays with the times and the zone said with them: "Friday at 1pm"; undefined if the words are anything else. */
function readDaysAndTimes(phrase: string): { weekdays: string; when: When } | undefined {
  const when = [['every'], []]
    .map((lead) => readTimePhrases([...lead, ...phrase.split(' ')]))
    .find((it) => it?.recurrence.weekdays !== undefined || it?.date !== undefined);
  const { recurrence: { weekdays, ...more } = {}, date, ...rest } = when ?? emptyWhen();
  const day = date?.kind === 'weekday' && date.weeks === 0 ? String(date.weekday) : undefined;
  const known = Object.keys(rest).every((key) => /^(?:times|part|zone)$/.test(key)) && Object.keys(more).length === 0;
  const days = date === undefined ? weekdays : day;
  return known && days !== undefined ? { weekdays: days, when: { ...rest, recurrence: {} } } : undefined;
}

/** Reads "use Tokyo time for the weekly report", "the weekly report should use Tokyo time". */
export function readZoneUse(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const text = joinWords(words, quotes, false).replace(/[.!?]+$/, '');
  const { zone, job } =
    (
      /^use (?<zone>.+?)(?: as)?(?: the)?(?: time ?zone)? (?:for|in|on) (?<job>.+?)$/i.exec(text) ??
      /^(?<job>.+?) should use (?<zone>.+?)(?: as (?:its|the) time ?zone)?$/i.exec(text)
    )?.groups ?? {};
  const spoken = zone === undefined ? undefined : zoneExpression(zone);
  if (!spoken || 'unknown' in spoken || !mayNameJob(job!, context)) return undefined;
  return { intent: 'update', job: job!, patch: { ...noChange(), when: { ...emptyWhen(), zone: spoken } } };
}
