import { readCronFields } from '../../cadence/read-cron-fields.js';
import type { IntentContext, KnownJob } from '../intent-types.js';
import { isTypo } from '../strip-courtesy-and-typos.js';
import { timeOfDayText, twelveHourText } from '../time/clock-time-phrases.js';
import { englishWeekdays } from '../time/weekdays-and-months.js';

/** Words of a name for matching: lower case, without articles, plurals and punctuation. */
export function nameWords(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/['’]s\b/g, '')
    .replace(/\bstand[- ]up\b/g, 'standup')
    .replace(/\bback[- ]up\b/g, 'backup')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(
      (word) =>
        word !== '' &&
        !/^(?:the|my|our|your|this|that|an?|these|those|its|called|named|please|with|id|of|existing|current|scheduled)$/.test(
          word,
        ),
    )
    .map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word));
}

const common = /^(?:job|schedule|automation|cron|task|one|workflow|journey|run|entry|thing|stuff|recurring)$/;

/** Whether a description matches exactly one job. "… workflow" never matches a job. */
export function namesOneJob(text: string, context: IntentContext): boolean {
  return !/\b(?:workflow|journey)$/i.test(text) && jobsNamed(text, context).length === 1;
}

/** Whether a text refers to a job as such: "the payroll job", "job-eng-9". */
export function soundsLikeAJob(text: string): boolean {
  return /\b(?:jobs?|schedules?|automations?|reminders?|crons?|job-[\w-]+)\b/i.test(text);
}

/** "tomorrow's report", "the next report", "this Friday's report": a single run of a job. */
export const singleRun =
  /^(?:(?:the |my |our )?(?:(?:today|tomorrow|tonight|yesterday|(?:this |next )?\w+day|(?:this|next) (?:week|month|morning|evening))['’]s|(?:(?:very )?next|upcoming|coming)(?: (?:few|couple of|\d{1,2}|two|three|four|five|six))?(?: (?:runs?|occurrences?|ones?|executions?|instances?|times?)(?: of)?)?)|(?:tonight|today|tomorrow)) /;

/** Whether a text is a pronoun for a job mentioned before. */
export function isPronoun(text: string): boolean {
  return /^(?:it|that|this|that one|this one|the job|the schedule|that job|this job|the one|them|that schedule|this schedule|the last one|same)$/i.test(
    text.trim(),
  );
}

/** Whether a text has the form of an id. A text that looks like a path never has. */
function isId(text: string): boolean {
  return /^[\w][\w:.-]{0,127}$/.test(text) && !text.includes('..');
}

/** Jobs that match a description: by id, by name, else by all of its words. */
export function jobsNamed(text: string, context: IntentContext, withDeleted = false): KnownJob[] {
  const jobs = context.jobs.filter(({ state }) => withDeleted || state !== 'deleted');
  const spoken = text.trim().toLowerCase();
  if (/[/\\]|\.\./.test(spoken)) return [];
  const ids = spoken
    .split(/[\s,"]+/)
    .map((word) => word.replace(/['’]s$|[.?!:;]+$/g, ''))
    .filter(isId);
  const byId = jobs.filter(({ jobId }) => ids.includes(jobId.toLowerCase()));
  if (byId.length > 0) return byId;
  if (ids.some((word) => /^job-/.test(word))) return [];
  const all = nameWords(spoken);
  if (all.length === 0) return [];
  const named = jobs.map((job) => ({ job, words: nameWords(job.name) }));
  const same = named.filter(({ words }) => words.length > 0 && words.join(' ') === all.join(' '));
  if (same.length > 0) return same.map(({ job }) => job);
  const wanted = all.filter((word) => !common.test(word));
  const exact = named.filter(({ words }) => words.length > 0 && words.join(' ') === wanted.join(' '));
  if (exact.length > 0) return exact.map(({ job }) => job);
  if (wanted.length === 0) return isPronoun(spoken) || all.some((word) => common.test(word)) ? jobs : [];
  const joined = named.filter(({ words }) => words.length > 1 && words.join('') === all.join(''));
  if (joined.length > 0) return joined.map(({ job }) => job);
  const within = named.filter(({ job, words }) => {
    const kind = job.does === undefined ? [] : ['reminder', 'post', 'message'];
    const own = [...words, ...nameWords(job.does ?? ''), ...cadenceWords(job), ...kind, job.state];
    return wanted.every((word) => own.includes(word));
  });
  if (within.length > 0) return within.map(({ job }) => job);
  // "the standup reminder in #team": extra words are accepted if they cannot mean another job.
  const aside = new Set([
    ...context.channels.flatMap(([name]) => nameWords(name)),
    'in',
    'on',
    'for',
    'to',
    'from',
    'me',
    'us',
    'channel',
  ]);
  const around = named.filter(({ words }) => {
    const rest = wanted.filter((word) => !words.includes(word));
    return (
      words.length > 1 &&
      ` ${wanted.join(' ')} `.includes(` ${words.join(' ')} `) &&
      rest.every((word) => aside.has(word))
    );
  });
  return around.map(({ job }) => job);
}

/** Words that describe when a job runs: `friday` and `weekly`, `daily`, `hourly`, `9am` and `09:00` for its times. */
function cadenceWords({ schedule: { type, expression, everySeconds } }: KnownJob): string[] {
  if (everySeconds === 3600) return ['hourly'];
  if (everySeconds === 86_400) return ['daily'];
  const read = readCronFields(type === 'cron' && typeof expression === 'string' ? expression : '');
  if (!('fields' in read)) return type === 'once' ? ['once'] : [];
  const { minutes, hours, daysOfMonth, daysOfWeek, months } = read.fields;
  const days = daysOfWeek.map((day) => englishWeekdays[day % 7]!.toLowerCase());
  const anyDate = daysOfMonth.length === 31 && months.length === 12;
  const often = !anyDate
    ? ['monthly']
    : days.length === 7
      ? ['daily', 'everyday']
      : days.length === 1
        ? ['weekly']
        : [];
  const groups = { '1,2,3,4,5': 'weekday', '0,6': 'weekend' } as Record<string, string>;
  const group = groups[daysOfWeek.join()];
  const named = days.length < 3 && group === undefined ? days : [];
  if (hours.length === 24) return [minutes.length === 1 ? 'hourly' : '', ...named, group ?? ''].filter(Boolean);
  const times =
    hours.length * minutes.length > 6 ? [] : hours.flatMap((hour) => minutes.map((minute) => ({ hour, minute })));
  const clock = times.flatMap((time) => {
    const [digits, half] = twelveHourText(time).toLowerCase().split(' ') as [string, string];
    const special = time.minute > 0 ? [] : time.hour === 12 ? ['noon'] : time.hour === 0 ? ['midnight'] : [];
    return [...nameWords(timeOfDayText(time)), ...nameWords(`${digits.replace(/:00$/, '')}${half}`), ...special];
  });
  const nightly = times.length > 0 && times.every(({ hour }) => hour < 5 || hour > 20) ? ['nightly'] : [];
  return [...often, ...named, ...(group === undefined ? [] : [group]), ...clock, ...nightly];
}

const timeWords =
  /^(?:today|tomorrow|tonight|next|this|until|till|week|weekend|month|year|holidays?|vacation|christmas|easter|summer|winter|morning|afternoon|evening|night|\w+day|weekly|daily|monthly|during|while|unless|if|except|only|\d+(?:am|pm)?)$/;

/** Words about time in the description of a job that do not fit the job: "pause the report for the holidays". */
export function foreignTimeWords(text: string, job: KnownJob): string[] {
  const own = [job.jobId.toLowerCase(), ...nameWords(job.name), ...nameWords(job.does ?? ''), ...cadenceWords(job)];
  return nameWords(text).filter(
    (word) => timeWords.test(word) && !own.includes(word) && !own.some((it) => it.includes(word)),
  );
}

/** The words of a job's name that are not about time. */
export function distinctWords({ name }: KnownJob): string[] {
  return nameWords(name).filter(
    (word) => !common.test(word) && !timeWords.test(word) && !/^(?:nightly|hourly)$/.test(word),
  );
}

/** Whether a description names one of several days on which a job runs: "the Tuesday coffee order" may be that run only. */
export function namesOneOfItsDays(text: string, { name, schedule: { type, expression } }: KnownJob): boolean {
  const read = readCronFields(type === 'cron' && typeof expression === 'string' ? expression : '');
  const days = 'fields' in read ? read.fields.daysOfWeek.map((day) => englishWeekdays[day % 7]!.toLowerCase()) : [];
  const named = days.filter((day) => nameWords(text).includes(day) && !nameWords(name).includes(day));
  return named.length > 0 && named.length < days.length;
}

const aboutARun = /\b(?:runs?|executions?|occurrences?|instances?)\b/;
const meaningless =
  /^(?:job|in|on|for|to|from|me|us|it|is|and|too|also|as|well|already|instead|list|running|posting|sending)$/;

/**
 * Words that make a description mean something else than its job: "the history of job-5", "#team from the standup reminder". They are
 * asked about, because a command has no part of a job and no inputs.
 */
export function strayWords(text: string, job: KnownJob, context: IntentContext): string[] {
  const own = [job.jobId, job.name, job.does ?? '', job.state, ...context.channels.map(([name]) => name)];
  const known = new Set([...own.flatMap(nameWords), ...cadenceWords(job)]);
  const plain = nameWords(text).filter((word) => !common.test(word));
  if (nameWords(text).join(' ') === nameWords(job.name).join(' ')) return [];
  const names = (part: string) => jobsNamed(part, { ...context, jobs: [job] }).length > 0;
  const [, part = '', link, whole = ''] = /^(.+) (from|of) (.+)$/.exec(text) ?? [];
  const ofPart = nameWords(part).some((word) => !common.test(word)) || (link === 'of' && aboutARun.test(part));
  if (ofPart && names(whole)) return part.split(' ');
  const [, owner = '', owned = ''] = /^(.+?)['’]s (.+)$/.exec(text) ?? [];
  const property = nameWords(owned).filter((word) => !common.test(word) || aboutARun.test(word));
  if (property.length > 0 && names(owner) && !names(owned)) return owned.split(' ');
  const byId = nameWords(job.jobId).every((word) => nameWords(text).includes(word));
  return byId ? plain.filter((word) => !known.has(word) && !meaningless.test(word)) : [];
}

/** Jobs whose name, text or cadence shares a word with a description, misspelled or not. */
export function jobsLike(text: string, context: IntentContext): KnownJob[] {
  if (/[/\\]|\.\./.test(text)) return [];
  const wanted = nameWords(text).filter((word) => !common.test(word));
  const share = (close: (a: string, b: string) => boolean) =>
    context.jobs.filter(
      (job) =>
        job.state !== 'deleted' &&
        [...nameWords(job.name), ...nameWords(job.does ?? ''), ...cadenceWords(job)].some(
          (word) => !common.test(word) && wanted.some((it) => close(it, word)),
        ),
    );
  const same = share((a, b) => a === b);
  return same.length > 0 ? same : share(isTypo);
}

/** Whether a text may refer to a job. */
export function mayNameJob(text: string, context: IntentContext): boolean {
  return jobsNamed(text, context).length > 0 || isPronoun(text) || soundsLikeAJob(text);
}

/** The workflow that matches a description; undefined if none or several do. */
export function workflowNamed(text: string, context: IntentContext): string | undefined {
  const spoken = text.trim().toLowerCase().replace(/^the /, '');
  const id = context.workflows.find((it) => it.toLowerCase() === spoken);
  if (id !== undefined) return id;
  if (/[/\\]|\.\./.test(spoken)) return undefined;
  const all = nameWords(spoken);
  const wanted = all.filter((word) => !common.test(word));
  const candidates = (words: readonly string[]) =>
    words.length === 0 ? [] : context.workflows.filter((it) => nameWords(it).join(' ') === words.join(' '));
  const same = [...new Set([...candidates(all), ...candidates(wanted)])];
  if (same.length === 1) return same[0];
  const within = context.workflows.filter(
    (it) => wanted.length > 0 && wanted.every((word) => nameWords(it).includes(word)),
  );
  return within.length === 1 ? within[0] : undefined;
}

/** The function with exactly this name. */
export function functionNamed(text: string, context: IntentContext): string | undefined {
  const spoken = text.trim().toLowerCase();
  return context.functions.find((it) => it.toLowerCase() === spoken);
}

/** Id of a channel, by its name or id. */
export function channelNamed(text: string, context: IntentContext): string | undefined {
  const spoken = text.trim().toLowerCase().replace(/^#?/, '#');
  const byName = context.channels.find(([name]) => name.toLowerCase().replace(/^#?/, '#') === spoken);
  return (byName ?? context.channels.find(([, id]) => id === text.trim()))?.[1];
}
