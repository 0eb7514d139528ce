import { isObject, own } from '../../../base/json/value.js';
import { cadenceName, jobLabel } from '../derive-job-names.js';
import type { IntentContext, Invocation } from '../intent-types.js';
import { isPronoun } from '../parse/find-by-name.js';
import { noChange } from '../parse/job-setting-phrases.js';
import { parseRequest } from '../parse/parse-request.js';
import type { Choice, JobCommand, ParsedRequest, Question, RequestedChange } from '../parsed-request-types.js';
import { splitWords } from '../split-words.js';

/**
 * Question about words that mention a job, but no command that is understood: first which job, then what to do with it. A change that
 * the words may mean is the first option; deleting is none of them.
 */
export function askForCommand(
  { jobIds, patch }: Extract<ParsedRequest, { intent: 'unsure' }>,
  context: IntentContext,
  resolve: (request: ParsedRequest, context: IntentContext) => Invocation | { question: Question } | undefined,
): Question {
  const jobs = context.jobs.filter(({ jobId }) => jobIds.includes(jobId));
  const [job] = jobs;
  if (!job || jobs.length > 1)
    return {
      code: 'AMBIGUOUS_JOB',
      field: 'jobId',
      question: 'Which job?',
      choices: jobs.map((it) => ({
        label: jobLabel(it, context.timezone),
        value: it.jobId,
        next: { intent: 'unsure', jobIds: [it.jobId], ...(patch && { patch }) },
      })),
    };
  const { jobId } = job;
  const update = (it: RequestedChange): ParsedRequest => ({ intent: 'update', job: jobId, jobId, patch: it });
  const command = (intent: JobCommand, label: string): Choice => ({
    label,
    value: intent,
    next: { intent, job: jobId, jobId },
  });
  const changed = patch && resolve(update(patch), context);
  const cadence = changed && !('question' in changed) ? own(changed.functionArgs.patch, 'schedule') : undefined;
  const whole = isObject(cadence) ? ` to ${cadenceName(cadence, context.timezone)}` : ' like that';
  return {
    code: 'MISSING_PATCH',
    field: 'intent',
    question: `I don't understand what to do with ${jobLabel(job, context.timezone)}. Which of these?`,
    choices: [
      ...(patch ? [{ label: `change it${whole}`, value: 'change', next: update(patch) }] : []),
      { label: 'change something else', value: 'update', next: update(noChange()) },
      job.state === 'enabled' ? command('pause', 'pause it') : command('resume', 'resume it'),
      command('run_now', 'run it now'),
      command('show', 'show it'),
    ],
    parseAnswer: (answer) => readCommand(answer, jobId, context),
  };
}

/** Reads "pause it", "pause" or "move it to 9am" as an answer about a job. */
function readCommand(answer: string, jobId: string, context: IntentContext): ParsedRequest | undefined {
  const { words = [], quotes = [] } = splitWords(answer) ?? {};
  for (const said of [words, [...words, 'it']]) {
    const request = said.length > 0 ? parseRequest(said, quotes, context) : undefined;
    if (request && 'job' in request && isPronoun(request.job)) return { ...request, jobId };
  }
  return undefined;
}
