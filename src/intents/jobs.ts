import type { Frame, Question } from './frame.js';
import { isPronoun, jobsLike, jobsNamed } from './names.js';
import type { IntentContext, KnownJob } from './types.js';

/** The one job that is meant, or the question which. */
export function findJob(
  frame: { job: string; jobId?: string },
  context: IntentContext,
  withDeleted: boolean,
  rebuild: (jobId: string) => Frame,
): { job: KnownJob } | { question: Question } {
  const known = context.jobs.filter(({ state }) => withDeleted || state !== 'deleted');
  const chosen = frame.jobId === undefined ? undefined : known.find(({ jobId }) => jobId === frame.jobId);
  if (chosen) return { job: chosen };
  const named = isPronoun(frame.job) ? known : jobsNamed(frame.job, context, withDeleted);
  if (named.length === 1) return { job: named[0]! };
  const like = named.length > 0 ? named : isPronoun(frame.job) ? [] : jobsLike(frame.job, context);
  return { question: whichJob(like.length > 0 ? like : known, context, rebuild) };
}

function whichJob(jobs: readonly KnownJob[], context: IntentContext, rebuild: (jobId: string) => Frame): Question {
  const choices = jobs.map(({ jobId, name }) => ({ label: name || jobId, value: jobId, leads: rebuild(jobId) }));
  const free = (answer: string) => {
    const [job, ...more] = jobsNamed(answer, { ...context, jobs: [...jobs] });
    return job && more.length === 0 ? rebuild(job.jobId) : undefined;
  };
  return {
    code: 'AMBIGUOUS_JOB',
    field: 'jobId',
    question: 'Which job?',
    ...(choices.length > 0 && { choices }),
    free,
  };
}
