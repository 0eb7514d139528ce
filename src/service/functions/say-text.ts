import { isObject, type JsonObject } from '../../json/value.js';
import { describe } from '../../scheduling/cadence/describe.js';
import { readCadence } from '../../scheduling/cadence/wire.js';
import { preview } from '../../scheduling/preview.js';
import type { JobSummary } from '../jobs.js';
import type { Clarify, Invocation } from './understand.js';

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

export function isYes(words: string): boolean {
  return yes.test(words.trim());
}

export function isNo(words: string): boolean {
  return no.test(words.trim());
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

/** The command as it was understood, when it would run, and how to say yes. */
export function proposalText({ functionId, functionArgs }: Invocation, now: number, zone: string | undefined) {
  const { scheduleType, schedule, patch } = functionArgs;
  const changed = isObject(patch) ? patch.schedule : undefined;
  const read = isObject(schedule) ? { type: scheduleType ?? schedule.type ?? '', ...schedule } : changed;
  const { cadence } = isObject(read) ? readCadence(read, { now }) : {};
  const runs = cadence ? preview(cadence, now, 3, zone) : [];
  const words = [
    `I understood: ${functionId} ${JSON.stringify(functionArgs)}`,
    ...(cadence ? [`It would run ${describe(cadence)}.`] : []),
    ...(runs.length > 0
      ? [
          `Next: ${runs.map(({ local, offset }) => `${local.replace('T', ' ').slice(0, 16)} (UTC${offset})`).join(', ')}.`,
        ]
      : []),
    'Shall I do that? Answer yes or no.',
  ];
  return { words: words.join('\n'), nextRuns: runs.map(({ instant }) => instant) };
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
export function known({ jobId, name, state, schedule }: JobSummary): {
  jobId: string;
  name: string;
  state: string;
  schedule: JsonObject;
} {
  return { jobId, name: name ?? jobId, state, schedule };
}
