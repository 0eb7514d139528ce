import { ApplicationFailure, defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  CancellationScope,
  proxyActivities,
  setCurrentDetails,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { handsOn, withinContextLimit } from '../src/engine/handing-on.js';
import type { Outcome } from '../src/engine/outcome.js';
import { defaultScheduleLimits } from '../src/engine/run.js';
import { isBounded } from '../src/engine/version.js';
import { copy, type JsonObject } from '../src/json/value.js';
import { isOn } from '../src/scheduling/bindings/occurrences.js';
import {
  type Admission,
  type AskingRun,
  type BindingRecord,
  cadenceOf,
  type FinishedRun,
  isClosed,
} from '../src/scheduling/bindings/record.js';
import type { JourneyInput } from './input.js';
import { resetCount } from './reset.js';
import { pairs } from './search-attributes.js';

/** What a scheduled run knows of the schedule that started it. */
export interface Scheduled {
  record: BindingRecord;
  /** Milliseconds; when the run should have started. */
  nominal: number;
}

interface Activities {
  scheduleFinished(run: FinishedRun): Promise<boolean>;
  scheduleAdmits(asking: AskingRun): Promise<Admission>;
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

/** A run that starts farther from its time than this was held up with its server, or started by hand for another time. */
const onTimeMs = 5_000;

/**
 * A schedule that has had all its runs starts no more; a run started by hand must then do nothing. A run of the grid that is on time
 * and surely alone needs no further look; any other asks, because it may stand beside another, or a terminated run may be missing
 * from its count.
 */
export async function admission(scheduled: Scheduled, { interpreter, carried }: JourneyInput): Promise<Admission> {
  const { record } = scheduled;
  const asksMore = interpreter >= asksUnlessFollowed;
  if (asksMore && resetCount() > 0) return await admitted(scheduled);
  if (carried) return true;
  if (isClosed(record)) return false;
  if (isOnTime(scheduled) && !record.holder && (!asksMore || isFollowed())) return true;
  return await admitted(scheduled);
}

/** From this version of the interpreter, a run on time asks too, unless its Schedule follows it. */
const asksUnlessFollowed = 2;

function isOnTime({ record, nominal }: Scheduled): boolean {
  const late = workflowInfo().startTime.getTime() - nominal;
  return (
    Math.abs(late) < onTimeMs && nominal > Date.parse(record.occurrences.through) && isOn(cadenceOf(record), nominal)
  );
}

/**
 * Whether the Schedule lets no other run start beside this one. It tells a run how the previous one ended, unless it was told to let runs
 * overlap (*allow all*): it does not follow those. A previous run that was ended from outside may be missing from the count.
 */
function isFollowed(): boolean {
  const { lastResult, lastFailure } = workflowInfo();
  return lastFailure === undefined ? lastResult !== undefined : lastFailure instanceof ApplicationFailure;
}

async function admitted({ record, nominal }: Scheduled): Promise<Admission> {
  const { workflowId: id, firstExecutionRunId: run } = workflowInfo();
  const { scheduleId, creator, occurrences } = record;
  return await activities.scheduleAdmits({ scheduleId, creator, id, run, through: occurrences.through, nominal });
}

/** What becomes of a scheduled run that somebody resets, while it runs or after: it asks again before it does anything more. */
export class ResetGuard {
  /** Settles when the run must not go on. */
  readonly refused: Promise<'refused'>;
  private refuse!: (refused: 'refused') => void;
  private answer: Promise<boolean> | undefined;
  private known = resetCount();

  constructor(
    private readonly scheduled: Scheduled,
    private readonly input: JourneyInput,
  ) {
    this.refused = new Promise((resolve) => {
      this.refuse = resolve;
    });
  }

  async refuses(): Promise<boolean> {
    return (await this.asked()) === false;
  }

  /** Undefined when nobody reset the run; else waits for the answer, for ever if it is no. */
  readonly passed = (): Promise<unknown> | undefined =>
    this.asked()?.then((admitted) => admitted || new Promise(() => undefined));

  private asked(): Promise<boolean> | undefined {
    if (this.known === resetCount() || this.input.interpreter < asksUnlessFollowed) return this.answer;
    this.known = resetCount();
    this.answer = CancellationScope.nonCancellable(async () => (await admitted(this.scheduled)) === true);
    this.answer.then((admitted) => !admitted && this.refuse('refused'));
    return this.answer;
  }
}

const whySkipped =
  '**Skipped**, nothing was run: its schedule has had all its runs, was replaced, or had another run active; or it had counted already.';
const whyCoalesced =
  '**Coalesced**, nothing was run: clocks went back, and showed the time of this run for the second time.';

/** The outcome of a run that was started when there was nothing left to run, while another was active, or in a repeated hour. */
export function skipped({ record }: Scheduled, { tags, attributes }: JourneyInput, coalesced = false): Outcome {
  upsertSearchAttributes(pairs({ JourneyOutcome: 'SKIPPED' }));
  setCurrentDetails(coalesced ? whyCoalesced : whySkipped);
  return {
    phase: 'SUCCEEDED',
    terminationKind: 'Success',
    output: null,
    error: null,
    status: coalesced ? 'COALESCED' : 'SKIPPED',
    terminatedAtState: record.startStateId,
    tags,
    attributes,
  };
}

/** A context shares a memo with its binding, and a server takes up to 2 MiB. */
const mostContextBytes = 1_500_000;

/** The outcome of a scheduled run, which must not hand on more than the limit. */
export function withinLimit(outcome: Outcome, context: JsonObject, input: JourneyInput): Outcome {
  const configured = (input.info.schedules ?? defaultScheduleLimits).contextBytes;
  // Whatever is configured, a memo cannot hold more.
  const contextBytes = isBounded(input.interpreter) ? Math.min(configured, mostContextBytes) : configured;
  return withinContextLimit(outcome, context, contextBytes);
}

/** Counts the run in its schedule and hands its context on in the run's memo, where the activity finds it. The run must not close first. */
export async function finish({ record, nominal }: Scheduled, outcome: Outcome, context: JsonObject, startedAt: number) {
  if (handsOn(outcome)) upsertMemo({ context });
  await activities.scheduleFinished({
    scheduleId: record.scheduleId,
    creator: record.creator,
    run: workflowInfo().firstExecutionRunId,
    nominal,
    startedAt,
    handsOn: handsOn(outcome),
    result: outcome.error?.code ?? outcome.phase,
  });
}
