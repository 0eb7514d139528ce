import type { Frame, JobVerb } from './frame.js';
import { isOneJob, isPronoun, jobsLike, jobsNamed, soundsLikeAJob, workflowNamed } from './names.js';
import { peel, unpeeled } from './peel.js';
import type { IntentContext } from './types.js';
import { saysWhen } from './when.js';
import { plain, said } from './words.js';

const states: [RegExp, string][] = [
  [/\b(?:paused|stopped|on hold|held|suspended|inactive)\b/, 'paused'],
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
  /^what (?:runs|will run|is going to run|is due|happens)(?: (?:next|today|tomorrow|tonight|this week|next week))$/,
  /^(?:list|show|display)(?: me)?(?: (?:everything|all|them all|all of them))$/,
  new RegExp(`^(?:my |all |our )*${plurals}$`),
];

/** Reads a request for a list; what narrows it besides a state is not looked at. */
export function readList(phrase: string): Frame | undefined {
  if (!lists.some((pattern) => pattern.test(phrase))) return undefined;
  const state = states.find(([pattern]) => pattern.test(phrase))?.[1];
  return { intent: 'list', ...(state !== undefined && { state }) };
}

const now =
  '(?: (?:right )?(?:now|away)| immediately| asap| at once| straight away| this instant| one time| once(?: more)?| one more time| again| instantly)';
/** What is done to a job, with the job in the first group; the first that fits counts. */
export const jobVerbs: [RegExp, JobVerb, 'sure' | 'maybe'][] = [
  [/^(?:put|place) (.+) on (?:hold|pause|ice)\b/, 'pause', 'sure'],
  [
    /^(?:don't|do not|never) (?:run|post|send|do|fire|trigger) (.+?) (?:any ?more|any longer|ever again)$/,
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
  [/^(?:let|have) (.+) (?:run again|resume|continue)$/, 'resume', 'sure'],
  [
    /^(?:un-?pause|resume|re-?start|re-?activate|activate|re-?enable|enable|continue|un-?suspend|un-?freeze|un-?hold|un-?mute)(?: running| with)? (.+)$/,
    'resume',
    'sure',
  ],
  [/^(?:get rid of|do away with|throw away|throw out) (.+)$/, 'delete', 'sure'],
  [
    /^(?:delete|cancel|remove|drop|kill|scrap|erase|discard|destroy|trash|axe|unschedule|clear|nuke|purge) (.+)$/,
    'delete',
    'sure',
  ],
  [
    /^(?:pause|stop|hold|suspend|halt|freeze|disable|deactivate|de-activate|mute|snooze|hold off on|hold off)(?: running| sending| posting| doing| on)? (.+)$/,
    'pause',
    'sure',
  ],
  [
    new RegExp(
      `^(?:run|trigger|fire(?: off)?|execute|start|launch|kick off|force|invoke|do|send|post|re-?run|perform|kick) (.+?)${now}$`,
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
  [/^who (?:made|created|set up|scheduled|owns|changed|paused) (.+)$/, 'show', 'maybe'],
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
    /^(?:when|what time|how often|at what time|what day|how frequently)(?: does| do| is| will| did| are| was| has)? (.+?)(?: (?:be |been )?(?:run|runs|ran|fire|fires|happen|happens|go|goes|go out|scheduled|execute|executes|executed|post|posts|start|starts|trigger|due|next|last|again|to run|going to run|supposed to run))*$/,
    'show',
    'maybe',
  ],
  [
    /^(?:is|are|was|has|did|does|will) (.+?)(?: (?:still|currently|already|been|be))*(?: (?:paused|enabled|disabled|active|running|on|off|scheduled|deleted|stopped|run|ran|on hold|(?:run|running|work|fire|fired|happen|go out)(?: (?:today|yesterday|tomorrow|last night|this morning|tonight|on \w+day))?|work|ok|failing|set up))$/,
    'show',
    'maybe',
  ],
];

const endings =
  /(?: (?:for now|for the moment|for the time being|temporarily|until further notice|again|for good|permanently|please|thanks|thank you|right now|right away|now|immediately|asap|altogether|completely|entirely|forever|at once|anymore|any more|today|once))+$/;
const untils =
  / (?:(?:until|till) .+|for (?:\d+|an?|one|two|three|the next|the rest|today|tomorrow|this|next)\b.*|(?:tomorrow|tonight|next week|over the weekend|on \w+day|this week|this weekend|at \d.*|in \d.*|every .+|on weekdays|on weekends))$/;

/** `sure` verbs are about jobs alone; the others also begin other things, which are tried before. */
export function readJobVerb(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
  wanted: 'sure' | 'maybe',
): Frame | undefined {
  const marked = plain(words.map((word) => said([word], quotes, false)));
  for (const [pattern, intent, sureness] of jobVerbs) {
    const found = pattern.exec(marked);
    const named = found?.[1] ?? found?.[2];
    if (named === undefined || sureness !== wanted) continue;
    const whole = named.replace(endings, '');
    const until = (intent === 'pause' || intent === 'resume' || intent === 'delete') && untils.test(whole);
    const job = (until ? whole.replace(untils, '') : whole).replace(endings, '');
    const frame = jobFrame(intent, job, sureness === 'sure', context);
    if (frame && until && frame.intent !== 'bulk') return { ...frame, until: true } as Frame;
    if (frame) return frame;
    const later = intent === 'run_now' ? runLater(words, quotes, context) : undefined;
    if (later) return later;
  }
  return wanted === 'sure' ? readSkip(marked, context) : undefined;
}

/** "run the weekly report tomorrow at 9am": there is such a job, but nothing runs it later once. */
function runLater(words: readonly string[], quotes: readonly string[], context: IntentContext): Frame | undefined {
  const { words: rest, when } = peel(unpeeled(words), 'end', context);
  const job = said(rest.slice(1), quotes, false);
  return saysWhen(when) && isOneJob(job, context) ? { intent: 'run_now', job, until: true } : undefined;
}

/** "skip the next weekly report": no single run can be left out. */
function readSkip(phrase: string, context: IntentContext): Frame | undefined {
  const job =
    /^skip (?:the )?(?:next |upcoming |coming |today's |tomorrow's |this week's )?(?:run of )?(.+?)(?: (?:today|tomorrow|once|this week|next week|next time))?$/.exec(
      phrase,
    )?.[1];
  return job !== undefined && jobsNamed(job, context).length > 0 ? { intent: 'pause', job, until: true } : undefined;
}

/** "all paused jobs", "every weekly job": those that it fits; else all that are left. */
function allOf(spoken: string, context: IntentContext): string[] {
  const wanted = states.find(([pattern]) => pattern.test(spoken))?.[1];
  const left = context.jobs.filter(({ state }) => state !== 'deleted');
  const like = wanted === undefined ? jobsLike(spoken, context) : left.filter(({ state }) => state === wanted);
  return (like.length > 0 ? like : left).map(({ jobId }) => jobId);
}

/** A frame about a job, if what was said can be one. */
function jobFrame(intent: JobVerb, job: string, sure: boolean, context: IntentContext): Frame | undefined {
  const known = jobsNamed(job, context, intent === 'show');
  const every =
    /^(?:(?:all|every|each)(?: of)?(?: (?:the|my|our|these|those))? ?.*(?:jobs?|schedules?|reminders?|automations?|them)|everything|all|them all)$/.test(
      job,
    );
  if (every && intent !== 'show')
    return {
      intent: 'bulk',
      verb: intent,
      jobIds: allOf(job, context),
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
  // "pause the Friday report", "pause the daily summary": which job that is, is asked.
  const near = jobsLike(job, context).length > 0 || workflowNamed(job, context) !== undefined;
  if (sure && near && intent !== 'run_now' && !/\b(?:every|each|from)\b/.test(job)) return { intent, job };
  const spoken = intent !== 'run_now' || sure;
  return spoken && soundsLikeAJob(job) && !/\b(?:every|each)\b/.test(job) ? { intent, job } : undefined;
}
