import type { Json, JsonObject } from '../base/json/value.js';
import type { Problem } from '../base/problems/problem.js';
import type { Definition } from '../engine/definition/definition.js';
import type { Outcome } from '../engine/outcome.js';
import type { RunPhase, Scenario } from './scenario.js';
import type { RecordedCall } from './scripted-backend.js';

/** One observed run of a scenario. A runner omits the parts that it cannot observe, and expectations of them are not checked. */
export interface Observation {
  /** The start was rejected; nothing ran. */
  refused?: Problem;
  phase?: RunPhase;
  outcome?: Outcome;
  context?: JsonObject;
  currentState?: string;
  activeSteps?: string[];
  /** The journey's own states in the order they were entered. */
  states?: string[];
  /** The result of the compensation; null if there was none. */
  compensation?: ObservedCompensation | null;
  calls: RecordedCall[];
  elapsedMs?: number;
  /** When the run continues without input, in milliseconds since the start. */
  dueMs?: number;
  /** Times of all events, in milliseconds since the start. */
  momentsMs?: number[];
  /** The shortest time between an event and the next one due, which the event may have prevented. */
  closestMs?: number;
  /** Inputs of the run in their order, each with the number of calls made before it. */
  order?: DeliveredInput[];
  /** Answers to the scenario's steps, in their order; undefined for one that was never submitted. */
  answers: (SubmissionAnswer | undefined)[];
  /** The schedules that the run created, at the end. */
  schedules?: JsonObject[];
  /** For each schedule, the start instant of the run that is still active at the end, if there is one. */
  underWay?: (number | undefined)[];
  /** Notes for operators: a failed branch whose join continued, an output that does not match its schema. */
  notes?: readonly string[];
  /** Problems with the scenario itself. */
  problems: ScenarioProblem[];
}

export type ObservedCompensation = { mode: 'sync' | 'async'; phase: RunPhase; errorCode?: string };

/** An input of the run, and the number of calls before it. */
export interface DeliveredInput {
  /** The position of the input in its file. */
  pointer: string;
  callsBefore: number;
  /** Its delay against the plan, in real milliseconds. */
  lateMs: number;
}

/** The answer to a submission. */
export interface SubmissionAnswer {
  status: number;
  code?: string;
  detail?: string;
  phase?: RunPhase;
  currentState?: string;
  activeSteps?: string[];
  body: JsonObject;
}

/** Something that a scenario does not cover: a call without a reply, a step that never became active. */
export interface ScenarioProblem {
  message: string;
  pointer?: string;
  hint?: string;
}

/** Where scenarios run: in virtual time, or on a real server. */
export interface ScenarioRunner {
  run(definition: Definition, scenario: Scenario): Promise<Observation>;
}

/** JSON without prototypes, for comparison. */
export function plainJson<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** An observed compensation, from the outcome of the run and, if it is a separate run, from its own outcome. */
export function observedCompensation(
  { compensation: recorded }: Outcome,
  ended: Pick<Outcome, 'phase' | 'error'> | undefined,
): ObservedCompensation | null {
  if (!recorded) return null;
  const { phase = 'RUNNING', error = null } = (recorded.mode === 'sync' ? recorded : ended) ?? {};
  return { mode: recorded.mode, phase, ...(error && { errorCode: error.code }) };
}
