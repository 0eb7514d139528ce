import { type Notice, readBack } from '../../intents/read-back.js';
import type { Clarify, IntentContext, Invocation, KnownJob } from '../../intents/types.js';
import type { Json } from '../../json/value.js';
import type { JobSummary, NamedJob } from '../jobs.js';

/** Fixed words. */
export const answers = {
  left: 'All right, nothing was changed.',
  yesOrNo: 'Please answer yes or no.',
  cannot: 'That cannot be done.',
} as const;

const yes =
  /^(?:yes|y|yep|yeah|yup|ok|okay|sure|correct|right|confirm|confirmed|do it|go ahead|go|please do)(?:,? (?:please|do it|thanks|thank you))?[.!]*$/i;
const no =
  /^(?:no|n|nope|nah|cancel|stop|wrong|never ?mind|forget it|don'?t|do not|leave it)(?:,? (?:please|thanks|thank you))?[.!]*$/i;

export function isYes(words: Json): boolean {
  return typeof words === 'string' && yes.test(words.trim());
}

export function isNo(words: Json): boolean {
  return typeof words === 'string' && no.test(words.trim());
}

/** Why nothing came of it, and what would work. */
export function noneText(reason: string): string {
  if (reason === 'DISMISSED') return answers.left;
  if (reason === 'UTTERANCE_TOO_LONG') return 'That is too long for me. Say it in a sentence or two.';
  return 'I look after jobs that run on a schedule. For example: "post hello in #team every Friday at 9am", "list jobs", "pause the weekly report".';
}

/** The question with its options, numbered. */
export function questionText({ question, options = [] }: Clarify): string {
  return [question, ...options.map(({ label }, i) => `${i + 1}. ${label}`)].join('\n');
}

const remarks: Record<Notice, string> = { JOB_IS_PAUSED_STAYS_PAUSED: 'The job is paused and stays paused.' };

/** The command as it was understood, when it would run, and how to say yes. */
export function proposalText(invocation: Invocation, context: IntentContext): { words: string; nextRuns: string[] } {
  const { cadence, next = [], notices = [] } = readBack(invocation, context) ?? {};
  const times = next.map(({ local, offset, note }) => {
    const remark = note === undefined ? '' : `, ${note}`;
    return `${local.replace('T', ' ').slice(0, 16)} (UTC${offset}${remark})`;
  });
  const words = [
    `I understood: ${invocation.functionId} ${JSON.stringify(invocation.functionArgs)}`,
    ...(cadence === undefined ? [] : [`It would run ${cadence}.`]),
    ...(times.length === 0 ? [] : [`Next: ${times.join(', ')}.`]),
    ...notices.map((it) => remarks[it]),
    'Shall I do that? Answer yes or no.',
  ];
  return { words: words.join('\n'), nextRuns: next.map(({ instant }) => instant) };
}

const doing: Readonly<Record<string, string>> = {
  'schedule.create': 'made',
  'schedule.update': 'changed',
  'schedule.pause': 'paused',
  'schedule.resume': 'resumed',
  'schedule.delete': 'deleted',
};

/** What a function did, in a line or a few. */
export function doneText(functionId: string, result: unknown): string {
  const it = (result ?? {}) as Partial<JobSummary> & {
    items?: readonly JobSummary[];
    executionId?: string;
    changed?: boolean;
  };
  if (functionId === 'schedule.list') {
    return it.items?.length ? it.items.map(jobLine).join('\n') : 'There are no jobs.';
  }
  if (functionId === 'schedule.run_now') return `A run was started: ${it.executionId}.`;
  if (it.jobId === undefined) return JSON.stringify(result ?? null);
  const done = doing[functionId];
  const line = jobLine(it as JobSummary);
  if (done === undefined) return line;
  return it.changed === false ? `Nothing to change: ${line}` : `The job was ${done}: ${line}`;
}

function jobLine({ jobId, name, state, cadence, nextRunAt }: JobSummary): string {
  const called = name === null ? jobId : `${name} (${jobId})`;
  return `${called}, ${state}, ${cadence}${nextRunAt === null ? '' : `, next ${nextRunAt}`}`;
}

/** The fields of a job that people speak about it by. */
export function known({ jobId, name, state, schedule = {} }: NamedJob): KnownJob {
  return { jobId, name: name ?? jobId, state, schedule };
}
