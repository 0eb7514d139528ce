import type { LineColumn } from '../base/document/source-positions.js';
import type { Json, JsonObject } from '../base/json/value.js';
import type { Duration } from '../base/time/duration.js';
import type { AuthPlugins } from '../config/config-types.js';
import type { TerminationKind } from '../engine/outcome.js';
import type { CallPattern } from './call-pattern.js';
import type { BackendRule } from './scripted-backend.js';

/** One scenario: inputs and services of a journey, and the expected result. */
export interface Scenario {
  name: string;
  /** JSON pointer of the scenario in its file. */
  pointer: string;
  input: JsonObject;
  /** Names in lower case. */
  headers: Record<string, string>;
  query: Record<string, string>;
  /** The client certificate of the start request, as PEM. */
  certificate?: string;
  /** Profiles of auth tasks. */
  plugins: AuthPlugins;
  config: JsonObject;
  environment: string;
  /** The instant at which the run starts. */
  now: number;
  seed: number;
  backend: BackendRule[];
  steps: StepInput[];
  signals: SignalInput[];
  cancel?: Trigger;
  /** Observe the run this long after its start, instead of at its end. */
  until?: Duration;
  /** Depends on the start instant or on times that cannot be shortened, so it cannot run on a real server. */
  virtualOnly: boolean;
  expect: Expectation;
  /** The position of a part of the scenario in its file. */
  place(pointer: string): LineColumn;
}

/** The time of an input. Without `at` and `afterState`: as soon as possible. */
export interface Trigger {
  pointer: string;
  /** Since the start. */
  at?: Duration;
  /** As soon as this state is entered. */
  afterState?: string;
  /** Delay after the instant of the rest of the trigger. */
  delay?: Duration;
}

export interface StepInput extends Trigger {
  step: string;
  payload: Json;
  headers: Record<string, string>;
  query: Record<string, string>;
  certificate?: string;
  /** Sent to the fixed URL of the step, for all runs. */
  hook: boolean;
  expect?: StepExpectation;
}

export interface SignalInput extends Trigger {
  step: string;
  payload: Json;
}

/** The expected answer to a submission. */
export interface StepExpectation {
  /** HTTP status. */
  status?: number;
  /** The code of the problem, if the submission must be rejected. */
  code?: string;
  phase?: RunPhase;
  currentState?: string;
  activeSteps?: string[];
  /** Fields of the response, in part. */
  includes?: JsonObject;
}

export type RunPhase = 'RUNNING' | 'SUCCEEDED' | 'FAILED';

/** The expected end of the run. Omitted parts are not checked. */
export interface Expectation {
  /** The start is rejected with this code. */
  refused?: string;
  phase?: RunPhase;
  errorCode?: string;
  /** The exact reason of the error. */
  reason?: string;
  terminationKind?: TerminationKind;
  status?: string;
  outcomeId?: string;
  output?: Json;
  outputIncludes?: Json;
  contextIncludes?: JsonObject;
  calls?: ExpectedCall[];
  /** Like `calls`, but in any order, for calls from several branches. */
  callsInAnyOrder?: ExpectedCall[];
  states?: string[];
  elapsed?: Duration;
  /** When the run continues without input, since its start. */
  dueAt?: Duration;
  currentState?: string;
  activeSteps?: string[];
  tags?: string[];
  attributes?: JsonObject;
  /** Fields of the compensation, in part; null if there must be none. */
  compensation?: JsonObject | null;
  /** The schedules that the run created and their runs, in part, in order of creation. */
  schedules?: JsonObject[];
}

export interface ExpectedCall {
  calls: CallPattern;
  body?: Json;
  bodyIncludes?: Json;
  headers?: Record<string, string>;
}
