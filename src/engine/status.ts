import { emptyObject, type Json, type JsonObject, own } from '../json/value.js';
import { formatInstant } from '../time/duration.js';
import type { Frame } from './frame.js';
import type { Run } from './run.js';
import type { Tally } from './tally.js';

/** Where a run stands, as its status query answers. */
export interface RunStatus {
  currentState: string;
  /** Every state that is live, with what it waits for. */
  activeStates: ActiveState[];
  updatedAt: string;
  tags: string[];
  attributes: JsonObject;
}

export interface ActiveState {
  state: string;
  type: string;
  /** How far a map is, or a parallel of which a branch has failed. */
  items?: Tally;
  /** When a timer fires or a wait gives up. */
  dueAt?: string;
  /** The path of branches and subjourneys the state stands in; empty at the top. */
  within?: string;
}

/** The status of a running journey. */
export function statusOfRun(run: Run): RunStatus {
  return {
    currentState: currentState(run),
    activeStates: [...run.tallies.keys(), ...run.movement.parked, ...run.movement.working].map((frame) =>
      activeState(frame, run),
    ),
    updatedAt: formatInstant(run.updatedAt),
    tags: run.position.tags,
    attributes: run.position.attributes,
  };
}

/** The one active step if there is exactly one; otherwise the innermost state that all live ones stand in. */
export function currentState(run: Run): string {
  const steps = run.steps.all();
  if (steps.length === 1) return steps[0]!.id;
  let frame = run.position.root;
  while (frame.progress?.frame) frame = frame.progress.frame;
  return frame.at;
}

function activeState(frame: Frame, run: Run): ActiveState {
  const { progress } = frame;
  const dueAt = progress?.dueAt;
  const items = run.tallies.get(frame);
  return {
    state: frame.at,
    type: typeOf(frame, run),
    ...(items && { items: { ...items } }),
    ...(dueAt === undefined ? {} : { dueAt: formatInstant(dueAt) }),
    ...(frame.id === '' ? {} : { within: frame.id }),
  };
}

function typeOf(frame: Frame, run: Run): string {
  const step = run.steps.get(frame.at);
  if (step?.frame === frame) return step.state.type;
  const kind = frame.progress?.kind;
  return kind !== undefined && (kind === 'timer' || run.tallies.has(frame)) ? kind : 'working';
}

/** The fields that `response.outputVar` adds to an answer, never one of the reserved names. */
export function projection(
  context: JsonObject,
  outputVar: string | undefined,
  reserved: readonly string[],
): JsonObject {
  const value: Json | undefined = outputVar === undefined ? undefined : own(context, outputVar);
  const out = emptyObject();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return out;
  for (const key of Object.keys(value)) {
    if (!reserved.includes(key)) out[key] = value[key] as Json;
  }
  return out;
}
