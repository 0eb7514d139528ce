import type { IntentContext, KnownJob } from './types.js';

/** The words of a name or of what somebody calls it: lower case, without articles, plurals and punctuation. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/['’]s\b/g, '')
    .replace(/\bstand[- ]up\b/g, 'standup')
    .replace(/\bback[- ]up\b/g, 'backup')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(
      (word) =>
        word !== '' &&
        !/^(?:the|my|our|your|this|that|an?|these|those|its|called|named|please|with|id|of|existing|current|scheduled|next|upcoming)$/.test(
          word,
        ),
    )
    .map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, '') : word));
}

const common = /^(?:job|schedule|automation|cron|task|one|workflow|journey|run|entry|thing|recurring)$/;

/** Whether a thing to run is one of the jobs. What is called a workflow is one, however much its name is like a job's. */
export function isOneJob(text: string, context: IntentContext): boolean {
  return !/\b(?:workflow|journey)$/i.test(text) && jobsNamed(text, context).length === 1;
}

/** Whether somebody speaks of a job as such: "the payroll job", "job-eng-9". */
export function soundsLikeAJob(text: string): boolean {
  return /\b(?:jobs?|schedules?|automations?|reminders?|crons?|job-[\w-]+)\b/i.test(text);
}

/** Whether it is a word that stands for a job named before. */
export function isPronoun(text: string): boolean {
  return /^(?:it|that|this|that one|this one|the job|the schedule|that job|this job|the one|them|that schedule|this schedule|the last one|same)$/i.test(
    text.trim(),
  );
}

/** An id as somebody would write it. Nothing that looks like a path is ever one. */
function isId(text: string): boolean {
  return /^[\w][\w:.-]{0,127}$/.test(text) && !text.includes('..');
}

/** The jobs that a description fits: by id, by name, else by every word of it. */
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
  const all = wordsOf(spoken);
  if (all.length === 0) return [];
  const named = jobs.map((job) => ({ job, words: wordsOf(job.name) }));
  const same = named.filter(({ words }) => words.length > 0 && words.join(' ') === all.join(' '));
  if (same.length > 0) return same.map(({ job }) => job);
  const wanted = all.filter((word) => !common.test(word));
  const exact = named.filter(({ words }) => words.length > 0 && words.join(' ') === wanted.join(' '));
  if (exact.length > 0) return exact.map(({ job }) => job);
  if (wanted.length === 0) return isPronoun(spoken) || all.some((word) => common.test(word)) ? jobs : [];
  const joined = named.filter(({ words }) => words.length > 1 && words.join('') === all.join(''));
  if (joined.length > 0) return joined.map(({ job }) => job);
  const within = named.filter(({ words }) => wanted.every((word) => words.includes(word)));
  if (within.length > 0) return within.map(({ job }) => job);
  // "the standup reminder in #team": more words than the name has, but none that could mean something else.
  const aside = new Set([
    ...context.channels.flatMap(([name]) => wordsOf(name)),
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

/** The jobs that have a word of their name in common with a description. */
export function jobsLike(text: string, context: IntentContext): KnownJob[] {
  if (/[/\\]|\.\./.test(text)) return [];
  const wanted = wordsOf(text).filter((word) => !common.test(word));
  return context.jobs.filter(
    ({ name, state }) =>
      state !== 'deleted' && wordsOf(name).some((word) => !common.test(word) && wanted.includes(word)),
  );
}

/** Whether a text can mean a job. */
export function isJob(text: string, context: IntentContext): boolean {
  return jobsNamed(text, context).length > 0 || isPronoun(text) || soundsLikeAJob(text);
}

/** The workflow that a description fits; undefined if none or several do. */
export function workflowNamed(text: string, context: IntentContext): string | undefined {
  const spoken = text.trim().toLowerCase().replace(/^the /, '');
  const id = context.workflows.find((it) => it.toLowerCase() === spoken);
  if (id !== undefined) return id;
  if (/[/\\]|\.\./.test(spoken)) return undefined;
  const all = wordsOf(spoken);
  const wanted = all.filter((word) => !common.test(word));
  const candidates = (words: readonly string[]) =>
    words.length === 0 ? [] : context.workflows.filter((it) => wordsOf(it).join(' ') === words.join(' '));
  const same = [...new Set([...candidates(all), ...candidates(wanted)])];
  if (same.length === 1) return same[0];
  const within = context.workflows.filter(
    (it) => wanted.length > 0 && wanted.every((word) => wordsOf(it).includes(word)),
  );
  return within.length === 1 ? within[0] : undefined;
}

/** The function that a description names, exactly. */
export function functionNamed(text: string, context: IntentContext): string | undefined {
  const spoken = text.trim().toLowerCase();
  return context.functions.find((it) => it.toLowerCase() === spoken);
}

/** A channel by its name or id. */
export function channelNamed(text: string, context: IntentContext): string | undefined {
  const spoken = text.trim().toLowerCase().replace(/^#?/, '#');
  const byName = context.channels.find(([name]) => name.toLowerCase().replace(/^#?/, '#') === spoken);
  return (byName ?? context.channels.find(([, id]) => id === text.trim()))?.[1];
}
