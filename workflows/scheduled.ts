import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  proxyActivities,
  setCurrentDetails,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Outcome } from '../src/engine/outcome.js';
import { defaultScheduleLimits } from '../src/engine/run.js';
import { isBounded } from '../src/engine/version.js';
import { jsonBytes } from '../src/json/size.js';
import { copy, type JsonObject } from '../src/json/value.js';
import { isOn } from '../src/scheduling/bindings/occurrences.js';
import {
  type AskingRun,
  type BindingRecord,
  cadenceOf,
  type FinishedRun,
  isExhausted,
} from '../src/scheduling/bindings/record.js';
import type { JourneyInput } from './input.js';
import { pairs } from './search-attributes.js';

/** What a scheduled run knows of the schedule that started it. */
export interface Scheduled {
  record: BindingRecord;
  /** Milliseconds; when the run should have started. */
  nominal: number;
}

interface Activities {
  scheduleFinished(run: FinishedRun): Promise<boolean>;
  scheduleAdmits(asking: AskingRun): Promise<boolean>;
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

/** The schedule of this run and the context it hands over, from the run's own memo; undefined for a run that somebody started. */
export function readScheduled(input: JourneyInput): (Scheduled & { context: JsonObject }) | undefined {
  if (!input.info.scheduled) return undefined;
  if (input.carried?.scheduled) return { ...input.carried.scheduled, context: {} };
  const { memo, typedSearchAttributes, startTime } = workflowInfo();
  const { binding, context } = memo as { binding: BindingRecord; context: JsonObject };
  const nominal = typedSearchAttributes.get(scheduledStart) ?? startTime;
  return { record: binding, nominal: nominal.getTime(), context: copy(context) };
}

/** A run that starts farther from its time than this was away with its server, or was started by hand for another time. */
const onTimeMs = 5_000;

/**
 * A schedule that has had all its runs starts none; only somebody's hand does, and that run must do nothing. A run of the grid that is on
 * time needs no further look; any other asks, because it may stand beside another, or a run that was terminated is missing in its count.
 */
export async function isRefused({ record, nominal }: Scheduled): Promise<boolean> {
  if (isExhausted(record)) return true;
  const { scheduleId, creator, holder } = record;
  const { through } = record.occurrences;
  const { startTime, workflowId: id, firstExecutionRunId: run } = workflowInfo();
  const isOnTime = Math.abs(startTime.getTime() - nominal) < onTimeMs && nominal > Date.parse(through);
  if (isOnTime && !holder && isOn(cadenceOf(record), nominal)) return false;
  return !(await activities.scheduleAdmits({ scheduleId, creator, id, run, through }));
}

/** The outcome of a run that was started by hand when there was nothing to run any more, or while another was active. */
export function skipped({ record }: Scheduled, { tags, attributes }: JourneyInput): Outcome {
  upsertSearchAttributes(pairs({ JourneyOutcome: 'SKIPPED' }));
  setCurrentDetails(
    '**Skipped**, nothing was run: its schedule has had all its runs, was replaced, or had another run active.',
  );
  return {
    phase: 'SUCCEEDED',
    terminationKind: 'Success',
    output: null,
    error: null,
    status: 'SKIPPED',
    terminatedAtState: record.startStateId,
    tags,
    attributes,
  };
}

/** A context stands in a memo beside its binding, of which a server takes 2 MiB. */
const mostContextBytes = 1_500_000;

/** A run must not hand on more than the limit: it fails instead, and the next one starts where this one did. */
export function withinLimit(outcome: Outcome, context: JsonObject, input: JourneyInput): Outcome {
  const configured = (input.info.schedules ?? defaultScheduleLimits).contextBytes;
  // Whatever is configured, a memo cannot hold more.
  const contextBytes = isBounded(input.interpreter) ? Math.min(configured, mostContextBytes) : configured;
  const bytes = jsonBytes(context);
  if (bytes <= contextBytes || !handsOn(outcome)) return outcome;
  return {
    ...outcome,
    phase: 'FAILED',
    terminationKind: 'RuntimeError',
    output: null,
    error: {
      code: 'CONTEXT_TOO_LARGE',
      reason: `The context has ${bytes} bytes; the limit is ${contextBytes}. The next run starts from the previous one.`,
    },
    status: 'CONTEXT_TOO_LARGE',
  };
}

/** Counts the run in its schedule and hands its context on: as the run's memo, where the activity finds it. The run must not close before. */
export async function finish({ record, nominal }: Scheduled, outcome: Outcome, context: JsonObject, startedAt: number) {
  if (handsOn(outcome)) upsertMemo({ context });
  await activities.scheduleFinished({
    scheduleId: record.scheduleId,
    creator: record.creator,
    run: workflowInfo().firstExecutionRunId,
    nominal,
    startedAt,
    handsOn: handsOn(outcome),
  });
}

/** Ends that the journey's author wrote advance the context; timeouts, cancels and internal errors do not. */
function handsOn({ terminationKind }: Outcome): boolean {
  return terminationKind === 'Success' || terminationKind === 'Fail';
}
