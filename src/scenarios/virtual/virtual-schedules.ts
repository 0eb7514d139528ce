import { canonical, type JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { formatInstant } from '../../base/time/instant.js';
import type { Definition } from '../../engine/definition/definition.js';
import type { Outcome } from '../../engine/outcome.js';
import { advancesContext, withinContextLimit } from '../../engine/payload-limits.js';
import { defaultScheduleLimits } from '../../engine/run.js';
import {
  type BindingRequest,
  bindingCadence,
  type CreatedBinding,
  isExhausted,
  type StopRequest,
} from '../../schedules/bindings/binding-record.js';
import type { Cadence } from '../../schedules/cadence/cadence.js';
import { nextAfter } from '../../schedules/cadence/occurrences.js';
import { plainJson } from '../scenario-observation.js';
import type { VirtualClock } from './virtual-clock.js';

/** One ended run of a schedule. */
export interface PlayedRun {
  /** When it started; milliseconds. */
  at: number;
  endedAt: number;
  outcome: Outcome;
  /** The context of the next run. */
  context: JsonObject;
}

/** A schedule that a journey created, in virtual time. */
export interface VirtualBinding {
  readonly scheduleId: string;
  request: BindingRequest;
  runsExecuted: number;
  /** The context that the next run starts with. */
  context: JsonObject;
  readonly runs: PlayedRun[];
  /** Due times skipped because a run was active. */
  overlapped: number;
  /** A task has stopped it. */
  stopped?: true;
  /** The next time, if there is one. */
  nextAt: number | undefined;
}

/** Starts one run of a schedule and calls `ended` when it ends. */
export type StartScheduledRun = (
  binding: VirtualBinding,
  id: string,
  ended: (outcome: Outcome, context: JsonObject) => void,
) => void;

interface Planned extends VirtualBinding {
  /** The start instant of the active run. */
  active: number | undefined;
  stop?: () => void;
}

/** The schedules that runs create, stored as Temporal stores them. They start runs after `play`. */
export class VirtualBindings {
  readonly all: Planned[] = [];
  private start: StartScheduledRun | undefined;

  constructor(private readonly clock: VirtualClock) {}

  /** From now on, schedules start their runs when they are due. */
  play(start: StartScheduledRun): void {
    this.start = start;
  }

  /** Whether any of them will start a run or has an active one. */
  get live(): boolean {
    return this.all.some(({ active, nextAt }) => active !== undefined || nextAt !== undefined);
  }

  /** Creates the schedule that a task requests, or updates the existing one. An exhausted schedule does not block a new one. */
  make(request: BindingRequest): CreatedBinding {
    const same = this.all.find((it) => identity(it.request) === identity(request) && !isOver(it));
    if (same && request.onExisting === 'fail') refuse('SCHEDULE_ALREADY_EXISTS', 'The run has already created it.');
    if (same && request.onExisting === 'upsert') {
      Object.assign(same, { request, context: request.context, runsExecuted: 0 });
      this.begin(same);
      return { scheduleId: same.scheduleId };
    }
    const scheduleId = `${request.journeyName}-${this.all.length + 1}`;
    const { context } = request;
    const made: Planned = {
      scheduleId,
      request,
      context,
      runsExecuted: 0,
      runs: [],
      overlapped: 0,
      nextAt: undefined,
      active: undefined,
    };
    this.all.push(made);
    this.begin(made);
    return { scheduleId };
  }

  /** Stops the schedules of a subject and start state; returns how many. An active run completes. */
  stop({ journeyName, startStateId, subjectId }: StopRequest): number {
    const found = this.all.filter(
      ({ request, ...it }) =>
        request.journeyName === journeyName &&
        request.startStateId === startStateId &&
        request.subjectId === subjectId &&
        !isOver({ request, ...it }),
    );
    for (const binding of found) {
      binding.stopped = true;
      binding.stop?.();
      binding.nextAt = undefined;
    }
    return found.length;
  }

  /** A start in the past is a run at once; the others follow on the grid. */
  private begin(binding: Planned): void {
    if (!this.start) return;
    const { request } = binding;
    const now = this.clock.now();
    const startAt = Date.parse(request.startAt);
    const cadence = bindingCadence(request);
    const atOnce = request.cron === undefined && startAt <= now;
    this.plan(binding, cadence, atOnce ? now : nextAfter(cadence, Math.max(now, startAt - 1)));
  }

  private plan(binding: Planned, cadence: Cadence, at: number | undefined): void {
    binding.stop?.();
    binding.nextAt = at;
    if (at === undefined) return;
    binding.stop = this.clock.at(at, () => {
      this.plan(binding, cadence, nextAfter(cadence, at));
      if (binding.active !== undefined) binding.overlapped += 1;
      else this.run(binding, at);
    });
  }

  private run(binding: Planned, at: number): void {
    binding.active = at;
    const { request } = binding;
    // As Temporal names it: in whole seconds.
    const due = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
    this.start!(binding, `${binding.scheduleId}-${due}`, (ended, ends) => {
      const outcome = withinContextLimit(ended, ends, defaultScheduleLimits.contextBytes);
      const context = advancesContext(outcome) ? ends : binding.context;
      binding.active = undefined;
      binding.runs.push({ at, endedAt: this.clock.now(), outcome, context });
      // The run of a schedule that was replaced in the meantime does not pass on its context.
      if (binding.request !== request) return;
      binding.context = context;
      binding.runsExecuted += 1;
      if (!isOver(binding)) return;
      binding.stop?.();
      binding.nextAt = undefined;
    });
  }
}

/** Tags and attributes of a scheduled run. */
export function bindingMetadata({ tags }: Definition, { subjectId }: BindingRequest) {
  return { tags, attributes: subjectId === null ? {} : { subjectId } };
}

function isOver({ runsExecuted, request: { maxRuns }, stopped }: VirtualBinding): boolean {
  return stopped === true || isExhausted({ runsExecuted, maxRuns });
}

function identity({ journeyName, journeyVersion, subjectId, startStateId }: BindingRequest): string {
  return canonical([journeyName, journeyVersion, subjectId, startStateId]);
}

/** A schedule as scenarios see it. */
export function observedBinding(binding: VirtualBinding): JsonObject {
  const { scheduleId, request, runsExecuted, overlapped, nextAt, context, runs } = binding;
  const { startStateId, subjectId, maxRuns } = request;
  return plainJson({
    scheduleId,
    startStateId,
    subjectId,
    maxRuns,
    runsExecuted,
    state: isOver(binding) ? 'exhausted' : 'active',
    overlapped,
    nextRunAt: nextAt === undefined ? null : formatInstant(nextAt),
    context,
    runs: runs.map(seenRun),
  });
}

function seenRun({ at, endedAt, outcome, context }: PlayedRun): JsonObject {
  const { phase, status, output, error, terminatedAtState } = outcome;
  return {
    at: formatInstant(at),
    endedAt: formatInstant(endedAt),
    phase,
    status,
    terminatedAtState,
    output,
    ...(error && { errorCode: error.code, reason: error.reason, error }),
    context,
  };
}
