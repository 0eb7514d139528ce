import type { IntentContext } from '../intent-types.js';
import type { JobCommand, ParsedRequest } from '../parsed-request-types.js';
import { joinWords, normalize } from '../split-words.js';
import { emptyWhen, hasSchedule } from '../time/time-expression.js';
import {
  isPronoun,
  jobsLike,
  jobsNamed,
  namesOneJob,
  nameWords,
  singleRun,
  soundsLikeAJob,
  workflowNamed,
} from './find-by-name.js';
import { stripPhrases, unstripped } from './strip-time-and-place.js';

const states: [RegExp, string][] = [
  [/\b(?:paused|stopped|on hold|held|suspended|inactive|switched off|turned off)\b/, 'paused'],
  [/\b(?:enabled|active|running|live)\b/, 'enabled'],
  [/\b(?:disabled|finished|done|expired)\b/, 'disabled'],
  [/\b(?:deleted|removed|cancelled|canceled)\b/, 'deleted'],
];
const plurals =
  '(?:schedules|jobs|reminders|automations|crons|cron jobs|scheduled (?:jobs|tasks|things|runs|workflows|items|messages|posts|reminders|automations))';
const lists = [
  new RegExp(
    `^(?:list|show|display|view|see|get|print|give|fetch|tell|enumerate)(?: me| us)?(?: a list of| the list of| about)?(?: \\w+){0,4} ${plurals}(?: .{0,40})?$`,
  ),
  new RegExp(
    `^(?:any|what|which|what are|what're|how many|do i have any|do we have any|are there any)(?: \\w+){0,3} ${plurals}(?: .{0,40})?$`,
  ),
  /^(?:what|what's|what is|what do (?:i|we) have|whats|what's all|what all is|is anything|anything|show (?:me )?(?:what's|what is|everything|all|everything that's|everything that is)|list (?:everything|all|what's)|do (?:i|we) have anything)(?: currently| already)? (?:scheduled|on (?:the|my|our) schedule|coming up|due)(?: right now| now| currently| at the moment| for me| here| (?:for )?(?:today|tomorrow|tonight|this week|next week))?$/,
  /^(?:what's|what is|whats) (?:next|up next|on deck)$|^(?:the )?(?:next|upcoming) (?:runs?|jobs?|schedules?)$|^when is the next (?:thing|job|one)(?: happening| running| due)?$/,
  /^when (?:do|will|are) (?:all )?(?:my|our|the) (?:jobs|schedules|reminders)(?: going to)?(?: run| due| next)*$/,
  /^what (?:runs|will run|is going to run|is due|happens)(?: (?:next|today|tomorrow|tonight|this week|next week))$/,
  /^(?:list|show|display)(?: me)?(?: (?:everything|all|them all|all of them))$/,
  new RegExp(`^(?:my |all |our )*${plurals}$`),
];

/** Words of a question about all jobs; at least one of the words that are about schedules must be among them. */
const listLead =
  /^(?:what|what's|whats|what're|which|when's|list|show|display|see|view|tell|give|is|are|anything|any|do|does|have|has|how|my|our|everything)\b/;
const listWords =
  /^(?:what|what's|whats|what're|what'll|which|list|show|display|see|view|tell|give|is|are|there|any|anything|something|everything|all|do|does|did|will|have|has|had|got|i|we|you|me|us|my|our|your|this|that|that's|the|of|on|in|for|at|to|be|been|going|gonna|set|up|how|many|much|currently|already|now|right|again|here|next|upcoming|coming|orchestrator|schedule|schedules|scheduled|planned|plan|queue|queued|lined|calendar|agenda|running|runs|run|due|happening|happens|happen|today|tomorrow|tonight|week|weekend|month|morning|afternoon|evening|night|later|\w+days?|jobs?|reminders?|automations?|crons?|tasks?|things?|stuff|workflows?|posts|please|still|ones?|and|else|by|moment|atm)$/;
const listTopic =
  /\b(?:scheduled|planned|running|runs|run|due|coming up|happen|happening|happens|upcoming|lined up|on the (?:schedule|calendar|agenda)|jobs|schedules|reminders|automations|crons|tasks)\b/;

/** Words of a list that do not limit it; any other word is asked about. */
const plainListWords =
  /^(?:what|what's|whats|what're|what'll|which|when|list|show|display|see|view|tell|give|get|print|fetch|enumerate|is|are|there|any|anything|something|everything|everything's|all|them|do|does|will|have|has|had|got|i|we|you|me|us|my|our|your|this|these|those|that|that's|the|a|of|on|in|for|at|to|be|been|going|gonna|set|up|how|many|much|about|currently|already|now|right|again|here|next|upcoming|coming|deck|orchestrator|schedule|schedules|scheduled|planned|plan|queue|queued|lined|calendar|agenda|running|runs|run|due|happening|happens|happen|jobs?|reminders?|automations?|crons?|tasks?|items|messages|things?|stuff|workflows?|posts|please|still|ones?|and|else|moment|atm|switched|turned|off)$/;

/** Reads a request for a list. Only a state narrows it. */
export function readList(spoken: string): ParsedRequest | undefined {
  const phrase = spoken.replace(/\bwhen'?s\b/g, 'when is');
  const about = phrase
    .replace(
      /\b(?:paused|stopped|on hold|switched off|turned off|suspended|inactive|enabled|active|live|disabled|finished|deleted|removed|cancell?ed)\b/g,
      '',
    )
    .trim();
  const known =
    listLead.test(phrase) &&
    (listTopic.test(about) || about !== phrase) &&
    about.split(/ +/).every((word) => listWords.test(word));
  const all = /\b(?:what|what's|whats|which|anything|something|any|everything|all|my|our|list|do (?:i|we) have)\b/.test(
    phrase,
  );
  if (!(known && all) && !lists.some((pattern) => pattern.test(phrase))) return undefined;
  // "what is running tomorrow" does not ask about a state.
  const timed = /\b(?:today|tomorrow|tonight|week|weekend|month|morning|evening|night|next|\w+day)\b/.test(phrase);
  const spokenOf = timed ? phrase.replace(/\brunning\b/g, '') : phrase;
  const state = states.find(([pattern]) => pattern.test(spokenOf))?.[1];
  const others = states.reduce((rest, [pattern]) => rest.replace(new RegExp(pattern, 'g'), ''), phrase);
  const limited =
    states.filter(([pattern]) => pattern.test(spokenOf)).length > 1 ||
    others.split(/ +/).some((word) => word !== '' && !plainListWords.test(word));
  return { intent: 'list', ...(state !== undefined && { state }), ...(limited && { unfiltered: true }) };
}

const now =
  '(?: (?<!\\bfrom )(?:right )?(?:now|away)| immediately| asap| at once| straight away| this instant| one time| once(?: more)?| one more time| again| instantly)';
/** Patterns of job commands, with the job in the first group; the first match wins. */
export const jobCommands: [RegExp, JobCommand, 'sure' | 'maybe'][] = [
  [/^(?:put|place) (.+) on (?:hold|pause|ice)\b/, 'pause', 'sure'],
  [
    /^(?:don't|do not|never) (?:run|post|send|do|fire|trigger) (.+?) (?:any ?more|any longer|ever again|again)$/,
    'pause',
    'sure',
  ],
  [/^take (.+) off (?:hold|pause)\b/, 'resume', 'sure'],
  [/^(?:turn|switch|shut) (?:off|down) (.+)$/, 'pause', 'sure'],
  [/^(?:turn|switch|shut) (.+?) (?:back )?(?:off|down)$/, 'pause', 'sure'],
  [/^(?:turn|switch) (?:back )?on (.+)$/, 'resume', 'sure'],
  [/^(?:turn|switch) (.+?) (?:back )?on(?: again)?$/, 'resume', 'sure'],
  [/^(?:bring|switch|start|turn) (.+?) back(?: up| on)?$|^bring back (.+)$/, 'resume', 'sure'],
  [/^(?:start|begin) (.+?) (?:back )?(?:up )?again$/, 'resume', 'sure'],
  [/^get (.+?) (?:going|running|working|started)(?: again)?$/, 'resume', 'sure'],
  [/^(?:let|have) (.+) (?:run again|resume|continue)$/, 'resume', 'sure'],
  [
    /^(?:un-?pause|resume|re-?start|re-?activate|activate|re-?enable|enable|continue|un-?suspend|un-?freeze|un-?hold|un-?mute)(?: running| with)? (.+)$/,
    'resume',
    'sure',
  ],
  [/^(?:get rid of|do away with|throw away|throw out) (.+)$/, 'delete', 'sure'],
  [
    /^(?:delete|cancel|remove|drop|kill|scrap|bin|ditch|wipe|erase|discard|destroy|trash|axe|unschedule|clear|nuke|purge) (.+)$/,
    'delete',
    'sure',
  ],
  [
    /^(?:pause|stop|hold|suspend|halt|freeze|disable|deactivate|de-activate|mute|snooze|hold off on|hold off)(?: running| sending| posting| doing| saying| reminding (?:me|us|everyone)(?: to| about)?| on)? (.+)$/,
    'pause',
    'sure',
  ],
  [
    new RegExp(
      `^(?:run|trigger|fire(?: off)?|execute|start|launch|kick off|force|invoke|do|send|post|re-?run|perform|kick) (.+?)${now}+$`,
    ),
    'run_now',
    'sure',
  ],
  [/^(?:right )?now (?:run|trigger|fire(?: off)?|execute|start|launch|kick off|send) (.+)$/, 'run_now', 'sure'],
  [
    /^(?:manually (?:run|trigger|start)|trigger|fire(?: off)?|kick off|force|re-?run|force (?:a )?run of) (.+)$/,
    'run_now',
    'maybe',
  ],
  [/^(?:run|execute|start|launch) (.+)$/, 'run_now', 'maybe'],
  [
    /^(?:why|how come) (?:did|has|was|is|does|do|didn't|hasn't|wasn't|isn't|doesn't|won't) (.+?)(?: (?:not|never))?(?: (?:run|running|ran|fire|fired|start|started|happen|post|posted|paused|disabled|failing|fail|failed|work|working|go out))*(?: (?:today|yesterday|last night|this morning|on \w+day|at .+))?$/,
    'show',
    'maybe',
  ],
  [/^(?:tell me |explain |say )?what (\S.*?) (?:does|do|runs|posts|is for)$/, 'show', 'maybe'],
  [/^what did (.+?) (?:post|run|do|say|send)(?: (?:last|yesterday|today|this|on|the last) ?.*)?$/, 'show', 'maybe'],
  [/^who (?:made|created|set up|scheduled|owns|changed|paused) (.+)$/, 'show', 'maybe'],
  [
    /^(?:(?:show|display|view|see|get|give|list|print|what is|what's|what are)(?: me| us)? )?(?:the )?(?:(?:run|execution) history|history|(?:past |previous |recent |last |latest )?(?:\d{1,3} |few |couple of )?(?:runs|executions)) (?:of|for) (.+)$/,
    'runs',
    'maybe',
  ],
  [
    /^(?:show|display|view|see|get|give|list|print)(?: me| us)? (.+?)(?:'s)? (?:run |execution )?history$/,
    'runs',
    'maybe',
  ],
  [
    /^how (?:did|have|has|were|are) (?:(?:the |all (?:the )?)?(?:(?:last|latest|most recent|recent|past|previous) )?(?:\w+ )?(?:runs?|executions?) (?:of|for) )?(.+?) (?:go|gone|going|do|done|doing|perform|performed|turn out|work out|worked out)(?: (?:so far|lately|recently|today|yesterday|last night|last time|this morning|this week|last week))?$/,
    'runs',
    'maybe',
  ],
  [/^what(?:'s| has|) happened (?:to|with) (.+?)(?: (?:today|yesterday|last night|this morning))?$/, 'runs', 'maybe'],
  [
    /^(?:show|display|describe|info|inspect|view|see|open|get|give|look up|look at|check|print)(?: me| us)?(?: (?:the )?(?:details?|info|information|status|state|schedule|settings|configuration|history|next run|last run)(?: (?:of|for|on|about))?)? (.+)$/,
    'show',
    'maybe',
  ],
  [
    /^(?:(?:what is|what's|whats|tell me|give me) )?(?:the )?(?:details?|info|information|status|state|schedule|next run|last run|next run time|cadence)(?: time)? (?:of|for|on|about) (.+)$/,
    'show',
    'maybe',
  ],
  [
    /^(?:tell me (?:more )?about|what about|what does|how is|how's|what is|what's|whats up with|what's up with|info on) (.+?)(?: do| doing| up to)?$/,
    'show',
    'maybe',
  ],
  [
    /^(?:when|what time|how often|at what time|what day|how frequently)(?: does| do| is| will| did| are| was| has)? (.+?)(?: (?:be |been )?(?:run|runs|ran|fire|fires|happen|happens|go|goes|go out|going|going out|scheduled|execute|executes|executed|post|posts|start|starts|trigger|due|next|last|again|to run|going to run|supposed to run))*$/,
    'show',
    'maybe',
  ],
  [
    /^(?:is|are|was|has|did|does|will) (.+?)(?: (?:still|currently|already|been|be))*(?: (?:paused|enabled|disabled|active|running|on|off|scheduled|deleted|stopped|run|ran|on hold|(?:run|running|work|fire|fired|happen|go out)(?: (?:today|yesterday|tomorrow|last night|this morning|tonight|on \w+day))?|work|ok|fail|failed|failing|succeed|succeeded|finish|finished|complete|completed|crash|crashed|set up))$/,
    'show',
    'maybe',
  ],
];

const endings =
  /(?: (?:for now|for the moment|for the time being|temporarily|until further notice|again|for good|permanently|please|thanks|thank you|right now|right away|now|immediately|asap|altogether|completely|entirely|forever|at once|anymore|any more))+$/;
const untils =
  / (?:(?:until|till) .+|for (?:\d+|an?|one|two|three|the next|the rest|today|tomorrow|this|next|just)\b.*|(?:today|tomorrow|tonight|next (?:week|month|year|time|\w+day)|over the weekend|(?:only )?on (?:the )?\w+day|on \w+ \d.*|on the \d.*|this (?:week|weekend|month|morning|afternoon|evening|time|\w+day)|at \d.*|in \d.*|every .+|on weekdays|on weekends|(?:just |only )?once|starting .+|from \w+day .*|during .+|after .+|before .+|while .+|if .+|unless .+|when .+|except .+))$/;

/** Removes remarks that change nothing: "and leave the schedule as it is". */
function withoutAside(phrase: string): string {
  return phrase
    .replace(
      / (?:(?:and|but) (?:leave|keep) (?:the|its) schedule (?:as it is|as is|alone|unchanged)|without changing (?:the|its) schedule)$/,
      '',
    )
    .replace(/^when's\b/, 'when is')
    .replace(/ once (?=(?:right )?now$)/, ' ');
}

/** Reads a command for a job. `sure` verbs are always about jobs; `maybe` verbs can start other requests, which are tried first. */
export function readJobCommand(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
  wanted: 'sure' | 'maybe',
): ParsedRequest | undefined {
  const marked = withoutAside(normalize(words.map((word) => joinWords([word], quotes, false))));
  for (const [pattern, intent, sureness] of jobCommands) {
    const found = pattern.exec(marked);
    const said = found?.[1] ?? found?.[2];
    if (said === undefined || sureness !== wanted) continue;
    const whole = said.replace(endings, '');
    const reads = intent === 'show' || intent === 'runs';
    const stops = intent === 'pause' || intent === 'delete';
    const named = context.jobs.some(({ name }) => name.toLowerCase() === whole.replace(/^the /, ''));
    // "cancel Friday" is about a day, and no job is said.
    const bareDay = /^(?:this |next |on )?(?:today|tomorrow|tonight|\w+days?)$/.test(whole);
    const once = stops && (singleRun.test(whole) || bareDay) && !named;
    const timed = (stops || intent === 'resume') && untils.test(whole);
    const plain =
      once || reads
        ? whole.replace(singleRun, '').replace(/^(?:the )?(?:last|latest|previous|most recent) /, '')
        : whole;
    const job = (timed ? plain.replace(untils, '') : plain).replace(endings, '');
    const request = jobRequest(intent, job, sureness === 'sure', context);
    const forGood = intent === 'pause' && / (?:for good|permanently|forever)$/.test(said);
    const doubt = request?.intent === 'run_now' && workflowOrJob(request, context);
    if (doubt) return doubt;
    if (request?.intent === 'pause' && forGood) return { ...request, until: 'good' };
    const until = once || (stops && / (?:next time|once|this time)$/.test(whole)) ? 'run' : timed ? 'time' : undefined;
    if (request && until && request.intent !== 'bulk') return { ...request, until } as ParsedRequest;
    if (request) return request;
    const later = intent === 'run_now' ? runLater(words, quotes, context) : undefined;
    if (later) return later;
  }
  return wanted === 'sure' ? readSkip(marked, context) : undefined;
}

/** "run payroll" is about the workflow of that name, or about the job `payroll export`. */
function workflowOrJob(
  request: Extract<ParsedRequest, { job: string }>,
  context: IntentContext,
): ParsedRequest | undefined {
  const workflowId = context.workflows.find((id) => nameWords(id).join(' ') === nameWords(request.job).join(' '));
  const named = jobsNamed(request.job, context);
  if (
    workflowId === undefined ||
    named.some(({ name }) => nameWords(name).join(' ') === nameWords(workflowId).join(' '))
  )
    return undefined;
  const schedule: ParsedRequest = {
    intent: 'create',
    action: { kind: 'run', workflowId },
    when: emptyWhen(),
    where: {},
  };
  const runs = named.map(({ jobId }): ParsedRequest => ({ ...request, job: jobId, jobId }) as ParsedRequest);
  return {
    intent: 'several',
    requests: [...runs, schedule],
    doubt: 'A workflow has that name, and a job has it in its own. Which of these?',
  };
}

/** "run the weekly report tomorrow at 9am": the job exists, but it cannot be run once at a later time. */
function runLater(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): ParsedRequest | undefined {
  const { words: rest, when } = stripPhrases(unstripped(words), 'end', context);
  const job = joinWords(rest.slice(1), quotes, false);
  return hasSchedule(when) && namesOneJob(job, context) ? { intent: 'run_now', job, until: 'time' } : undefined;
}

/** "skip the next weekly report", "don't run it this Friday": a single run cannot be skipped. */
function readSkip(phrase: string, context: IntentContext): ParsedRequest | undefined {
  const said = /^(?:skip|no|(?:don't|do not|never) (?:run|post|send|do|fire|trigger)) (.+)$/
    .exec(phrase)?.[1]
    ?.replace(endings, '');
  if (said === undefined || (/^no /.test(phrase) && !untils.test(said))) return undefined;
  const job = said
    .replace(endings, '')
    .replace(singleRun, '')
    .replace(untils, '')
    .replace(/^(?:the )?run of /, '');
  const found = [job, job.replace(/ (?:on|over|for|during) .+$/, '')].find((it) => jobsNamed(it, context).length > 0);
  return found === undefined ? undefined : { intent: 'pause', job: found, until: 'run' };
}

/** Jobs in "all paused jobs", "every weekly job": those that match, else all jobs. */
function jobsInGroup(spoken: string, context: IntentContext): string[] {
  const [, group, kept] = /^(.+?) (?:except|but|other than|apart from)(?: for)? (.+)$/.exec(spoken) ?? [];
  if (kept !== undefined) {
    const without = jobsNamed(kept, context).map(({ jobId }) => jobId);
    return jobsInGroup(group!, context).filter((jobId) => !without.includes(jobId));
  }
  const wanted = states.find(([pattern]) => pattern.test(spoken))?.[1];
  const left = context.jobs.filter(({ state }) => state !== 'deleted');
  const like = wanted === undefined ? jobsLike(spoken, context) : left.filter(({ state }) => state === wanted);
  return (like.length > 0 ? like : left).map(({ jobId }) => jobId);
}

/** The request for a job, if the words can name one. */
function jobRequest(intent: JobCommand, job: string, sure: boolean, context: IntentContext): ParsedRequest | undefined {
  const reads = intent === 'show' || intent === 'runs';
  const known = jobsNamed(job, context, reads);
  const every =
    /^(?:(?:all|every|each)(?: of)?(?: (?:the|my|our|these|those))? ?.*(?:jobs?|schedules?|reminders?|automations?|them)|(?:everything|anything)(?: .+)?|all(?: (?:except|but|other than|apart from) .+)?|them all)$/.test(
      job,
    );
  if (every && !reads)
    return {
      intent: 'bulk',
      verb: intent,
      jobIds: jobsInGroup(job, context),
    };
  const ids = known.map(({ jobId }) => jobId);
  if (ids.length > 1 && ids.every((id) => job.toLowerCase().includes(id.toLowerCase())))
    return { intent: 'bulk', verb: intent, jobIds: ids };
  const parts = job.split(/,? and |, ?| & | plus | as well as /).filter(Boolean);
  if (
    parts.length > 1 &&
    jobsNamed(job, context).filter(({ name }) => name.toLowerCase() === job.replace(/^the /, '')).length === 0
  ) {
    const each = parts.map((part) => jobsNamed(part, context));
    if (each.every((it) => it.length > 0)) {
      const jobIds = [...new Set(each.flat().map(({ jobId }) => jobId))];
      if (jobIds.length > 1) return { intent: 'bulk', verb: intent, jobIds };
    }
  }
  if (known.length > 0 || (sure && isPronoun(job))) return { intent, job };
  // "pause the Friday report", "pause the daily summary": the job is asked about.
  const near = jobsLike(job, context).length > 0 || workflowNamed(job, context) !== undefined;
  if (sure && near && intent !== 'run_now' && !/\b(?:every|each|from)\b/.test(job)) return { intent, job };
  const spoken = intent !== 'run_now' || sure;
  return spoken && soundsLikeAJob(job) && !/\b(?:every|each)\b/.test(job) ? { intent, job } : undefined;
}
