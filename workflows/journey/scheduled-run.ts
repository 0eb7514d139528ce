import { ApplicationFailure, defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  CancellationScope,
  proxyActivities,
  setCurrentDetails,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { copy, type JsonObject } from '../../src/base/json/value.js';
import type { Outcome } from '../../src/engine/outcome.js';
import { advancesContext, withinContextLimit } from '../../src/engine/payload-limits.js';
import { defaultScheduleLimits } from '../../src/engine/run.js';
import {
  type Admission,
  type AdmissionRequest,
  type BindingRecord,
  bindingCadence,
  type FinishedRun,
  isClosed,
} from '../../src/schedules/bindings/binding-record.js';
import { isOccurrence } from '../../src/schedules/cadence/occurrences.js';
import { resetCount } from '../shared/reset-count.js';
import { pairs } from '../shared/run-search-attributes.js';
import type { Start } from './read-start.js';
import type { JourneyInput } from './workflow-contract.js';

/** The schedule that started a run, as recorded in the run's memo. */
export interface Scheduled {
  record: BindingRecord;
  /** The nominal start time of the run, in milliseconds. */
  nominal: number;
}

/** A schedule with the context of its next run. */
export interface ScheduledStart extends Scheduled {
  context: JsonObject;
}

interface Activities {
  scheduleFinished(run: FinishedRun): Promise<boolean>;
  scheduleAdmits(asking: AdmissionRequest): Promise<Admission>;
}

/*
 * Ordinary activities, not local ones: a run that leaves the worker's cache would lose a local one and wait for its task's timeout.
 * Both may be repeated. A dead worker is noticed after six seconds.
 */
const activities = proxyActivities<Activities>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '6s',
  summary: 'schedule',
});

const scheduledStart = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);

/** Reads the schedule of this run and its context from the run's own memo. Undefined for a run that a caller started. */
export function readScheduled(input: JourneyInput): ScheduledStart | undefined {
  if (!input.info.scheduled) return undefined;
  if (input.carried?.scheduled) return { ...input.carried.scheduled, context: {} };
  const { memo, typedSearchAttributes, startTime } = workflowInfo();
  const { binding, context } = memo as { binding: BindingRecord; context: JsonObject };
  const nominal = typedSearchAttributes.get(scheduledStart) ?? startTime;
  return { record: binding, nominal: nominal.getTime(), context: copy(context) };
}

/** A run with a larger delay was late because of its server, or started by hand for another time. */
const onTimeMs = 5_000;

/** The status of a run that its schedule rejects. */
export type SkipStatus = 'SKIPPED' | 'COALESCED';

/** Requests admission from the schedule. Returns the status to end with if the run is rejected. */
export async function admit({ scheduled, input }: Start): Promise<SkipStatus | undefined> {
  if (!scheduled) return undefined;
  const admission = await CancellationScope.nonCancellable(() => admissionOf(scheduled, input));
  if (admission === true) return undefined;
  return admission === 'coalesced' ? 'COALESCED' : 'SKIPPED';
}

/**
 * A run started by hand on an exhausted schedule must be skipped. A run of the grid that is on time and certainly the only one is
 * admitted without a request. Any other run requests admission: another run may be active, or a terminated one may be missing from
 * the count.
 */
async function admissionOf(scheduled: Scheduled, { carried }: JourneyInput): Promise<Admission> {
  const { record } = scheduled;
  if (resetCount() > 0) return await askSchedule(scheduled);
  if (carried) return true;
  if (isClosed(record)) return false;
  if (isOnTime(scheduled) && !record.holder && isFollowed()) return true;
  return await askSchedule(scheduled);
}

function isOnTime({ record, nominal }: Scheduled): boolean {
  const late = workflowInfo().startTime.getTime() - nominal;
  return (
    Math.abs(late) < onTimeMs &&
    nominal > Date.parse(record.occurrences.through) &&
    isOccurrence(bindingCadence(record), nominal)
  );
}

/**
 * Whether no other run of the Schedule is active. A Schedule passes on the result of the previous run, unless its overlap policy is
 * *allow all*, because it does not follow such runs. A previous run that was terminated may be missing from the count.
 */
function isFollowed(): boolean {
  const { lastResult, lastFailure } = workflowInfo();
  return lastFailure === undefined ? lastResult !== undefined : lastFailure instanceof ApplicationFailure;
}

async function askSchedule({ record, nominal }: Scheduled): Promise<Admission> {
  const { workflowId: id, firstExecutionRunId: run } = workflowInfo();
  const { scheduleId, creator, occurrences } = record;
  return await activities.scheduleAdmits({ scheduleId, creator, id, run, through: occurrences.through, nominal });
}

/** Holds a scheduled run that was reset until its schedule admits it again. */
export class ResetGuard {
  /** Resolves when the run must not continue. */
  readonly refused: Promise<'refused'>;
  private refuse!: (refused: 'refused') => void;
  private answer: Promise<boolean> | undefined;
  private known = resetCount();

  constructor(private readonly scheduled: Scheduled) {
    this.refused = new Promise((resolve) => {
      this.refuse = resolve;
    });
  }

  async refuses(): Promise<boolean> {
    return (await this.asked()) === false;
  }

  /** Undefined if the run was not reset; else resolves when the schedule admits it, and never if it does not. */
  readonly admitted = (): Promise<unknown> | undefined =>
    this.asked()?.then((admitted) => admitted || new Promise(() => undefined));

  private asked(): Promise<boolean> | undefined {
    if (this.known === resetCount()) return this.answer;
    this.known = resetCount();
    this.answer = CancellationScope.nonCancellable(async () => (await askSchedule(this.scheduled)) === true);
    this.answer.then((admitted) => !admitted && this.refuse('refused'));
    return this.answer;
  }
}

const skipDetails: Record<SkipStatus, string> = {
  SKIPPED:
    '**Skipped**; nothing was executed: its schedule is exhausted, was replaced, or had another active run; or this run was already counted.',
  COALESCED: '**Coalesced**; nothing was executed: clocks went back and showed the time of this run a second time.',
};

/** Ends a scheduled run without running anything. */
export function endSkippedRun({ scheduled, input, definition }: Start, status: SkipStatus): Outcome {
  upsertSearchAttributes(pairs({ JourneyOutcome: 'SKIPPED' }));
  setCurrentDetails(skipDetails[status]);
  const { tags, attributes } = input;
  return {
    phase: 'SUCCEEDED',
    terminationKind: 'Success',
    output: null,
    error: null,
    status,
    terminatedAtState: scheduled?.record.startStateId ?? definition.start,
    tags,
    attributes,
  };
}

/** Maximum size of a context in bytes. It shares a memo with its binding, and a server accepts up to 2 MiB. */
const mostContextBytes = 1_500_000;

/** The outcome of a scheduled run: a failure if its context is larger than the limit. */
export function withinLimit(outcome: Outcome, context: JsonObject, input: JourneyInput): Outcome {
  const configured = (input.info.schedules ?? defaultScheduleLimits).contextBytes;
  return withinContextLimit(outcome, context, Math.min(configured, mostContextBytes));
}

/** Counts the run in its schedule. The activity reads the next context from the run's memo, so the run must not close first. */
export async function recordFinish(
  { record, nominal }: Scheduled,
  outcome: Outcome,
  context: JsonObject,
  startedAt: number,
) {
  if (advancesContext(outcome)) upsertMemo({ context });
  const { workflowId: id, firstExecutionRunId: run } = workflowInfo();
  await activities.scheduleFinished({
    scheduleId: record.scheduleId,
    creator: record.creator,
    id,
    run,
    nominal,
    startedAt,
    handsOn: advancesContext(outcome),
    result: outcome.error?.code ?? outcome.phase,
  });
}
