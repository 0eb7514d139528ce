import type { Definition } from '../../definition/definition.js';
import { handsOn, withinContextLimit } from '../../engine/handing-on.js';
import type { Outcome } from '../../engine/outcome.js';
import { defaultScheduleLimits } from '../../engine/run.js';
import { canonical, type JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { type BindingRequest, cadenceOf, isExhausted, type MadeBinding } from '../../scheduling/bindings/record.js';
import type { Cadence } from '../../scheduling/cadence/cadence.js';
import { nextAfter } from '../../scheduling/cadence/occurrences.js';
import type { VirtualClock } from './clock.js';

/** One run that a schedule started, once it has ended. */
export interface PlayedRun {
  /** When it started; milliseconds. */
  at: number;
  endedAt: number;
  outcome: Outcome;
  /** The context that the next run starts from. */
  context: JsonObject;
}

/** A schedule of a journey's own runs, in virtual time. */
export interface VirtualBinding {
  readonly scheduleId: string;
  request: BindingRequest;
  runsExecuted: number;
  /** What the next run starts from. */
  context: JsonObject;
  readonly runs: PlayedRun[];
  /** Times that came while a run was active. */
  overlapped: number;
  /** When it comes next, if it does. */
  nextAt: number | undefined;
}

/** What starts one run of a schedule; `ended` must be called with its end. */
export type StartRun = (
  binding: VirtualBinding,
  id: string,
  ended: (outcome: Outcome, context: JsonObject) => void,
) => void;

interface Planned extends VirtualBinding {
  /** When the run began that is active now. */
  active: number | undefined;
  stop?: () => void;
}

/** The schedules that runs make, kept as Temporal keeps them. They start runs only once somebody says how. */
export class VirtualBindings {
  readonly all: Planned[] = [];
  private start: StartRun | undefined;

  constructor(private readonly clock: VirtualClock) {}

  /** From now on schedules start their runs, at their times. */
  play(start: StartRun): void {
    this.start = start;
  }

  /** Whether any of them will start a run, or waits for one to end. */
  get live(): boolean {
    return this.all.some(({ active, nextAt }) => active !== undefined || nextAt !== undefined);
  }

  /** Makes the schedule that a task asks for, or changes the existing one. One that has had all its runs is in nobody's way. */
  make(request: BindingRequest): MadeBinding {
    const same = this.all.find((it) => identity(it.request) === identity(request) && !isOver(it));
    if (same && request.onExisting === 'fail') refuse('SCHEDULE_ALREADY_EXISTS', 'The run has made it before.');
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

  /** A start that has come already is a run at once; the others follow on the grid. */
  private begin(binding: Planned): void {
    if (!this.start) return;
    const { request } = binding;
    const now = this.clock.now();
    const startAt = Date.parse(request.startAt);
    const cadence = cadenceOf(request);
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
    this.start!(binding, `${binding.scheduleId}-${new Date(at).toISOString()}`, (ended, ends) => {
      const outcome = withinContextLimit(ended, ends, defaultScheduleLimits.contextBytes);
      const context = handsOn(outcome) ? ends : binding.context;
      binding.active = undefined;
      binding.runs.push({ at, endedAt: this.clock.now(), outcome, context });
      // The run of a schedule that was replaced meanwhile hands nothing on.
      if (binding.request !== request) return;
      binding.context = context;
      binding.runsExecuted += 1;
      if (!isOver(binding)) return;
      binding.stop?.();
      binding.nextAt = undefined;
    });
  }
}

/** What a scheduled run has as tags and attributes. */
export function bindingMetadata({ tags }: Definition, { subjectId }: BindingRequest) {
  return { tags, attributes: subjectId === null ? {} : { subjectId } };
}

function isOver({ runsExecuted, request: { maxRuns } }: VirtualBinding): boolean {
  return isExhausted({ runsExecuted, maxRuns });
}

function identity({ journeyName, journeyVersion, subjectId, startStateId }: BindingRequest): string {
  return canonical([journeyName, journeyVersion, subjectId, startStateId]);
}
