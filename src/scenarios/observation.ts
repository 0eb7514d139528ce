import type { Definition } from '../definition/definition.js';
import type { Outcome } from '../engine/outcome.js';
import type { Json, JsonObject } from '../json/value.js';
import type { Problem } from '../problems/problem.js';
import type { RecordedCall } from './backend.js';
import type { Phase, Scenario } from './scenario.js';

/** What was seen of one run of a scenario. What a runner cannot see is left out, and expectations about it are not checked. */
export interface Observation {
  /** The start was refused; nothing ran. */
  refused?: Problem;
  phase?: Phase;
  outcome?: Outcome;
  context?: JsonObject;
  currentState?: string;
  activeSteps?: string[];
  /** The journey's own states in the order they were entered. */
  states?: string[];
  /** How the compensation went; null when there was none. */
  compensation?: SeenCompensation | null;
  calls: RecordedCall[];
  elapsedMs?: number;
  /** When the run next goes on by itself, in milliseconds since the start. */
  dueMs?: number;
  /** When something happened, in milliseconds since the start. */
  momentsMs?: number[];
  /** The shortest time between something that happened and what was next in line, which it may have kept from happening. */
  closestMs?: number;
  /** What reached the run from outside, in the order it did, each with the number of calls that had been made until then. */
  order?: Delivered[];
  /** Answers to the scenario's steps, in their order; undefined for one that was never submitted. */
  answers: (Answer | undefined)[];
  /** The schedules that the run made, and what became of them by the end. */
  schedules?: JsonObject[];
  /** For each schedule the instant at which the run began that is active in the end, if there is one. */
  underWay?: (number | undefined)[];
  /** What an operator would be told about the run: a branch that failed where the join went on, an output that does not match its schema. */
  notes?: readonly string[];
  /** What went wrong with the scenario itself. */
  troubles: Trouble[];
}

export type SeenCompensation = { mode: 'sync' | 'async'; phase: Phase; errorCode?: string };

/** One input that reached the run, and what had happened before. */
export interface Delivered {
  /** Where the input stands in its file. */
  pointer: string;
  callsBefore: number;
  /** How much later than planned it was delivered, in real milliseconds. */
  lateMs: number;
}

/** The answer to a submission. */
export interface Answer {
  status: number;
  code?: string;
  detail?: string;
  phase?: Phase;
  currentState?: string;
  activeSteps?: string[];
  body: JsonObject;
}

/** Something a scenario did not foresee: a call without a reply, a step that never became active. */
export interface Trouble {
  message: string;
  pointer?: string;
  hint?: string;
}

/** Where scenarios run: in virtual time, or on a real server. */
export interface ScenarioRunner {
  run(definition: Definition, scenario: Scenario): Promise<Observation>;
}

/** JSON with the noise of prototypes removed, for comparison. */
export function plain<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** What was seen of a compensation, from the outcome that tells of it and the outcome of its own run where it has one. */
export function seenCompensation(
  { compensation: told }: Outcome,
  ended: Pick<Outcome, 'phase' | 'error'> | undefined,
): SeenCompensation | null {
  if (!told) return null;
  const { phase = 'RUNNING', error = null } = (told.mode === 'sync' ? told : ended) ?? {};
  return { mode: told.mode, phase, ...(error && { errorCode: error.code }) };
}
