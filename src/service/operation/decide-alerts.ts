import { formatInstant } from '../../base/time/instant.js';
import type { RunView } from '../runs-interface.js';
import type { PendingMessage } from './alert-outbox-and-text.js';
import type { Faults } from './faults-and-attention.js';

/** Kinds of conditions, with their heading in a message and the page of the console that lists them. */
export const alertKinds = {
  blockedRun: { heading: 'Blocked runs', page: '/' },
  pipeline: { heading: 'Pipelines', page: '/pipelines' },
  schedule: { heading: 'Schedules', page: '/schedules' },
  job: { heading: 'Jobs', page: '/jobs' },
  compensation: { heading: 'Failed compensations', page: '/' },
  failedRun: { heading: 'Failed runs', page: '/runs?phase=FAILED' },
} as const;

export type AlertKind = keyof typeof alertKinds;

/** Something that needs a person. */
export interface Condition {
  /** The same as long as the condition lasts. */
  readonly id: string;
  readonly kind: AlertKind;
  /** The pipeline, schedule, job or run. */
  readonly title: string;
  /** The known facts, and what to do. */
  readonly text: string;
  /** Its page in the console, from `/console`. */
  readonly page: string;
  /** It has happened, and so does not recover. */
  readonly isEvent?: true;
}

/** The conditions found at one moment. */
export interface Found {
  readonly conditions: readonly Condition[];
  /** Whether a condition that was not found may last nevertheless, because nobody could look. */
  isUnknown(id: string, kind: AlertKind): boolean;
}

const segment = encodeURIComponent;

/** The conditions that faults and failed runs are; `except` names kinds to leave out. */
export function conditionsOf(faults: Faults, failed: readonly RunView[], except: readonly AlertKind[] = []): Found {
  const { blockedRuns, failedCompensations, pipelines, schedules, jobs, unavailable, activeJobs } = faults;
  const conditions: Condition[] = [
    ...blockedRuns.map(({ journeyId, journeyName, attempt }) => ({
      ...condition('blockedRun', journeyId, `${journeyName} ${journeyId}`, runPage(journeyId)),
      text: `Its workflow task failed ${attempt} times. It continues once a worker can complete the task; see the worker’s log.`,
    })),
    ...pipelines.map(({ name, text }) => ({
      ...condition('pipeline', name, name, `/pipelines/${segment(name)}`),
      text,
    })),
    ...schedules.map(({ scheduleId, journeyName, subjectId, why, text }) => ({
      ...condition(
        'schedule',
        `${scheduleId} ${why}`,
        label(journeyName, subjectId),
        `/schedules/${segment(scheduleId)}`,
      ),
      text,
      ...(why === 'exhausted' && { isEvent: true as const }),
    })),
    ...jobs.map(({ orchestratorId, jobId, name, why, text }) => ({
      ...condition('job', `${jobId} ${why}`, name ?? jobId, `/jobs/${segment(orchestratorId)}/${segment(jobId)}`),
      text,
    })),
    ...failedCompensations.map(({ journeyId, journeyName, text }) => ({
      ...condition('compensation', journeyId, `${journeyName} ${journeyId}`, runPage(journeyId)),
      text,
      isEvent: true as const,
    })),
    ...failed.map(({ journeyId, journeyName, code }) => ({
      ...condition('failedRun', journeyId, journeyName, runPage(journeyId)),
      text: `A run failed${code === undefined ? '' : ` with ${code}`}. See why, and retry it once the cause is gone.`,
      isEvent: true as const,
    })),
  ];
  return {
    conditions: conditions.filter(({ kind }) => !except.includes(kind)),
    isUnknown: (id, kind) =>
      unavailable.includes(parts[kind]) || (kind === 'job' && activeJobs.some((job) => id.startsWith(`job ${job} `))),
  };
}

/** The part of the faults that has the conditions of a kind. */
const parts: Record<AlertKind, string> = {
  blockedRun: 'blockedRuns',
  pipeline: 'pipelines',
  schedule: 'schedules',
  job: 'jobs',
  compensation: 'failedCompensations',
  failedRun: 'failedRuns',
};

function condition(kind: AlertKind, id: string, title: string, page: string) {
  return { id: `${kind} ${id}`, kind, title, page };
}

function runPage(id: string): string {
  return `/runs/${segment(id)}`;
}

function label(journeyName: string, subjectId: string | null): string {
  return subjectId === null ? journeyName : `${journeyName} ${subjectId}`;
}

/** A condition that was found and has not been forgotten. */
interface KnownCondition {
  readonly kind: AlertKind;
  readonly title: string;
  readonly isEvent?: true;
  /** Whether it has been reported. */
  readonly isTold: boolean;
}

/** The record of alerts, which all gateways share. */
export interface AlertState {
  readonly known: Readonly<Record<string, KnownCondition>>;
  /** Until when conditions of a kind are collected, because one was reported. */
  readonly quietUntil: Readonly<Partial<Record<AlertKind, string>>>;
  readonly outbox: readonly PendingMessage[];
}

export const noAlerts: AlertState = { known: {}, quietUntil: {}, outbox: [] };

/** Conditions to report. */
export interface News {
  readonly begun: readonly Condition[];
  /** Those that were reported and are over. */
  readonly recovered: readonly Pick<KnownCondition, 'kind' | 'title'>[];
}

/**
 * Decides what to report: the first condition of a kind at once, then those of the next `windowMs` together. A condition is reported once,
 * and once more when it is over.
 */
export function decideNews(
  before: AlertState,
  { conditions, isUnknown }: Found,
  now: number,
  windowMs: number,
): { state: AlertState; news: News } {
  const current = new Set(conditions.map(({ id }) => id));
  const titles = new Set(conditions.map(({ kind, title }) => `${kind} ${title}`));
  const isDue = (kind: AlertKind) => now >= Date.parse(before.quietUntil[kind] ?? '1970-01-01T00:00:00Z');
  const begun = conditions.filter(({ id, kind }) => isDue(kind) && before.known[id]?.isTold !== true);
  const gone = Object.entries(before.known).filter(([id]) => !current.has(id));
  const unseen = gone.filter(([id, { kind }]) => isUnknown(id, kind));
  // One that nobody was told about, or that is now another condition of the same thing, ends silently.
  const over = gone.filter(
    ([id, it]) => !isUnknown(id, it.kind) && it.isTold && !it.isEvent && !titles.has(`${it.kind} ${it.title}`),
  );
  const recovered = over.filter(([, { kind }]) => isDue(kind)).map(([, { kind, title }]) => ({ kind, title }));
  const later = over.filter(([, { kind }]) => !isDue(kind));
  const told = new Set(begun.map(({ id }) => id));
  const found = conditions.map(({ id, kind, title, isEvent }): [string, KnownCondition] => {
    const isTold = told.has(id) || before.known[id]?.isTold === true;
    return [id, { kind, title, isTold, ...(isEvent && { isEvent }) }];
  });
  const quiet = formatInstant(now + windowMs);
  const quietUntil = Object.fromEntries([...begun, ...recovered].map(({ kind }) => [kind, quiet]));
  return {
    state: {
      ...before,
      known: Object.fromEntries([...found, ...unseen, ...later]),
      quietUntil: { ...before.quietUntil, ...quietUntil },
    },
    news: { begun, recovered },
  };
}
