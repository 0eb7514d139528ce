import type { JsonObject } from '../base/json/value.js';
import { formatInstant } from '../base/time/instant.js';
import type { Frame } from './frame.js';
import type { Run } from './run.js';
import type { OpenStep } from './step-submissions.js';
import { stepAddress } from './steps/step-address.js';

/** The path that a run took, newest entry last, for display. Bounded: the oldest entries are dropped. */
export class VisitedStates {
  private static readonly size = 100;
  readonly entries: { frame: string; state: string; at: number }[] = [];
  dropped = 0;
  /** Called with every entry, including those that are dropped later. */
  onEntry?: (entry: { frame: string; state: string; at: number }) => void;

  add(frame: Frame, at: number): void {
    const entry = { frame: frame.id, state: frame.at, at };
    this.entries.push(entry);
    this.onEntry?.(entry);
    if (this.entries.length > VisitedStates.size * 2) this.dropped += this.entries.splice(0, VisitedStates.size).length;
  }
}

/** The status of a run, as its status query returns it. */
export interface RunStatus {
  currentState: string;
  /** All live states and what they wait for. */
  activeStates: ActiveState[];
  updatedAt: string;
  tags: string[];
  attributes: JsonObject;
}

export interface ActiveState {
  state: string;
  type: string;
  /** The address of the step, if it is in an item of a map. */
  step?: string;
  /** Progress of a map, or of a parallel with a failed branch. */
  items?: ItemProgress;
  /** The latest round of a poll. */
  round?: { number: number; max: number };
  /** Since when a step waits for its submission. */
  since?: string;
  /** When a timer fires, a wait gives up or the next round of a poll begins. */
  dueAt?: string;
  /** The path of branches and subjourneys around the state; empty at the top. */
  within?: string;
}

/** The status of a running journey, with at most so many active states. */
export function statusOfRun(run: Run, most = Number.POSITIVE_INFINITY): RunStatus {
  return {
    currentState: currentState(run),
    activeStates: [...run.tallies.keys(), ...run.parking.parked, ...run.parking.working]
      .slice(0, most)
      .map((frame) => activeState(frame, run)),
    updatedAt: formatInstant(run.updatedAt),
    tags: run.position.tags,
    attributes: run.position.attributes,
  };
}

/** The active step if there is exactly one, outside of maps; otherwise the innermost state that contains all live states. */
export function currentState(run: Run): string {
  const steps = run.steps.all();
  if (steps.length === 1 && !steps[0]!.frame.item) return steps[0]!.id;
  let frame = run.position.root;
  while (frame.progress?.frame) frame = frame.progress.frame;
  return frame.at;
}

function activeState(frame: Frame, run: Run): ActiveState {
  const { progress } = frame;
  const { since, dueAt } = progress ?? {};
  const items = run.tallies.get(frame);
  const step = openStep(frame, run);
  return {
    state: frame.at,
    type: step?.state.type ?? typeOf(frame, run),
    ...(step && frame.item && { step: step.id }),
    ...(items && { items: { ...items } }),
    ...(progress?.round && { round: { ...progress.round } }),
    ...(since === undefined ? {} : { since: formatInstant(since) }),
    ...(dueAt === undefined ? {} : { dueAt: formatInstant(dueAt) }),
    ...(frame.id === '' ? {} : { within: frame.id }),
  };
}

function openStep(frame: Frame, run: Run): OpenStep | undefined {
  const step = run.steps.get(stepAddress(frame.at, frame.item));
  return step?.frame === frame ? step : undefined;
}

function typeOf(frame: Frame, run: Run): string {
  const kind = frame.progress?.kind;
  return kind !== undefined && (run.parking.parked.has(frame) || run.tallies.has(frame)) ? kind : 'working';
}

/** Progress of a state that processes a list. */
export interface ItemProgress {
  total: number;
  /** Ended, successfully or not. */
  done: number;
  failed: number;
}
