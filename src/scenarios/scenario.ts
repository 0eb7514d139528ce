import type { AuthPlugins } from '../config/config.js';
import type { LineColumn } from '../document/positions.js';
import type { TerminationKind } from '../engine/outcome.js';
import type { Json, JsonObject } from '../json/value.js';
import type { Duration } from '../time/duration.js';
import type { BackendRule } from './backend.js';
import type { CallPattern } from './call-pattern.js';

/** One scenario: what a journey meets, and what must come of it. */
export interface Scenario {
  name: string;
  /** JSON pointer of the scenario in its file. */
  pointer: string;
  input: JsonObject;
  /** Names in lower case. */
  headers: Record<string, string>;
  query: Record<string, string>;
  /** The certificate of whoever starts the run, as PEM. */
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
  /** Look at the run this long after its start, instead of at its end. */
  until?: Duration;
  /** It depends on the start instant or on times that cannot be shortened, so it cannot run on a real server. */
  virtualOnly: boolean;
  expect: Expectation;
  /** Where a part of the scenario stands in its file. */
  place(pointer: string): LineColumn;
}

/** When something reaches the run. Without `at` and `afterState`: as soon as it can. */
export interface Trigger {
  pointer: string;
  /** Since the start. */
  at?: Duration;
  /** As soon as this state is entered. */
  afterState?: string;
  /** This long after the moment the rest of the trigger names. */
  delay?: Duration;
}

export interface StepInput extends Trigger {
  step: string;
  payload: Json;
  headers: Record<string, string>;
  query: Record<string, string>;
  certificate?: string;
  expect?: StepExpectation;
}

export interface SignalInput extends Trigger {
  step: string;
  payload: Json;
}

/** What the answer to a submission must be. */
export interface StepExpectation {
  /** HTTP status. */
  status?: number;
  /** The problem's code, when it must be refused. */
  code?: string;
  phase?: Phase;
  currentState?: string;
  activeSteps?: string[];
  /** Fields of the response, in part. */
  includes?: JsonObject;
}

export type Phase = 'RUNNING' | 'SUCCEEDED' | 'FAILED';

/** What must be true of the run in the end. Whatever is left out may be anything. */
export interface Expectation {
  /** The start itself is refused with this code. */
  refused?: string;
  phase?: Phase;
  errorCode?: string;
  /** The reason of the error, word for word. */
  reason?: string;
  terminationKind?: TerminationKind;
  status?: string;
  outcomeId?: string;
  output?: Json;
  outputIncludes?: Json;
  contextIncludes?: JsonObject;
  calls?: ExpectedCall[];
  /** Like `calls`, where branches make them in any order. */
  callsInAnyOrder?: ExpectedCall[];
  states?: string[];
  elapsed?: Duration;
  /** When the run next goes on by itself, counted from its start. */
  dueAt?: Duration;
  currentState?: string;
  activeSteps?: string[];
  tags?: string[];
  attributes?: JsonObject;
  /** How the compensation went, in part; null when there must be none. */
  compensation?: JsonObject | null;
  /** The schedules that the run made and their runs, in part, in the order they were made. */
  schedules?: JsonObject[];
}

export interface ExpectedCall {
  calls: CallPattern;
  body?: Json;
  bodyIncludes?: Json;
  headers?: Record<string, string>;
}
