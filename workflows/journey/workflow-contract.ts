import type { Json, JsonObject } from '../../src/base/json/value.js';
import type { BudgetRate } from '../../src/engine/budgets.js';
import type { Definition } from '../../src/engine/definition/definition.js';
import type { DurationLimits } from '../../src/engine/definition/duration-limits.js';
import type { MetadataLimits } from '../../src/engine/definition/metadata-limits.js';
import type { RequestRef } from '../../src/engine/frame.js';
import type { Outcome } from '../../src/engine/outcome.js';
import type { Position, RunInfo } from '../../src/engine/run.js';
import type { RunStatus } from '../../src/engine/run-status.js';
import type { KeptSubmission } from '../../src/engine/step-submissions.js';
import type { AnsweredKey } from '../../src/engine/steps/answered-keys.js';
import type { Limits } from '../../src/expressions/expression-engine-interface.js';
import type { CompactInput } from './build-workflow-input.js';
import type { Scheduled } from './scheduled-run.js';

/** The input of a run. It contains the definition, so that a changed file never affects a running journey. */
export interface JourneyInput {
  /** The interpreter's version at the start of the run. */
  interpreter: number;
  definition: Definition;
  info: Omit<RunInfo, 'startedAt'> & { startedAt?: number };
  context: JsonObject;
  /** Bindings of a compensation: the outcome of the compensated run. If set, the run is the definition's compensation. */
  bindings?: JsonObject;
  tags: string[];
  attributes: JsonObject;
  limits: RunLimits;
  timezone?: string;
  /** The request that started the run, if its journey uses requests. */
  request?: RequestRef;
  /** Set by continue-as-new. */
  carried?: CarriedState;
}

/** Limits of a run, from its start to its end. */
export interface RunLimits {
  expression: Limits;
  /** Maximum number of consecutive states without a wait. */
  steps: number;
  /** Budget of calls and timers, and its refill per minute. */
  calls: BudgetRate;
  /** Length of a history after which the run continues as new. */
  historyEvents: number;
  /** Limits of tags and attributes. */
  metadata: MetadataLimits;
  /** Absent if not configured. */
  duration?: DurationLimits;
}

/** The state that continue-as-new carries over. */
export interface CarriedState {
  position: Position;
  updatedAt: number;
  /** Submissions that arrived before their step was active. */
  kept: [stepId: string, submissions: KeptSubmission[]][];
  /** Answered step keys. */
  answers: [key: string, answer: KeyedAnswer][];
  /** The schedule that started the run. */
  scheduled?: Scheduled;
  /** Whether this is the first execution of a rerun: the position is that of another run. */
  rerun?: true;
  /** The version of its journey from which the run was migrated. */
  migratedFrom?: string;
  /** The run has ended, and its compensation inside it continues from here. */
  compensation?: CarriedCompensation;
}

/** A compensation inside its run when that continues as new, and the outcome of the run. */
export interface CarriedCompensation {
  position: Position;
  outcome: Outcome;
}

/** Request to migrate a parked run to another version of its journey. */
export interface RunMigration {
  definition: Definition;
  /** The configured values that the version declares. */
  config: JsonObject;
  /** Callback URLs of the version's steps. URLs that the run has already issued stay valid. */
  callbacks?: JsonObject;
  /** The run's new memo. */
  memo: JsonObject;
}

export type KeyedAnswer = AnsweredKey<StepView>;

/** The status of a run: the answer to the `status` query and to updates. */
export interface JourneyView {
  phase: 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  status: RunStatus;
  steps: string[];
  /** Whether the run has ended or waits for a timer or a step. Only in the query: updates are answered only then. */
  resting?: boolean;
  /** In the answer to an update: the caller's wait timed out, and the run is still busy. */
  working?: true;
  outcome?: Outcome;
  /** The version of a migrated run, because callers may have only the previous one. */
  journeyVersion?: string;
}

export interface StepView extends JourneyView {
  projection: JsonObject;
  /** The step was not active, and the submission is kept for it. */
  kept?: true;
}

export interface StepSubmission {
  /** The address of the step: its id, in an item of a map `<step>/<item>`. */
  stepId: string;
  payload: Json;
  /** Context fields that the step's inbound binding copied from the request. */
  fields?: JsonObject;
  traceparent?: string;
  /** The request of the submission, if the journey uses requests. */
  request?: RequestRef;
  /** Idempotency key of the submission. */
  key?: string;
  /** Hash of step and payload; goes with `key`. */
  hash?: string;
  /** A submission with the key of an earlier one is rejected with DELIVERY_REPEATED, which leaves no trace in the history. */
  dropRepeats?: true;
  /** Keep the submission if the step is not active. */
  early?: true;
  /** Answer when the submission is accepted, without waiting until the run is idle. */
  answerAtOnce?: true;
}

/** Arguments of a run's workflow: first the caller's input, which is the most useful to readers, then the rest. */
export type JourneyArguments = [context: JsonObject, rest: CompactInput];

/** The workflow of a run, as its starters see it. Its type is the journey's name. */
export type JourneyWorkflow = (...args: JourneyArguments) => Promise<Outcome>;

/** Failure of a position query that makes the worker replay the run; the query must be repeated. */
export const replayedNext = 'The run is replayed first; repeat the query.';

/** Labels of the interpreter's own timers, which belong to no state. */
export const ownTimers = { answer: 'answer the caller', yield: 'yield to other runs', deadline: 'deadline' } as const;

/** Names of a run's queries and updates. */
export const names = {
  settled: 'settled',
  submitStep: 'submitStep',
  status: 'status',
  context: 'context',
  answer: 'answer',
  guarded: 'guarded',
  moment: 'moment',
  migrate: 'migrate',
} as const;

/** A state that a run entered; `n` counts them within one execution, from 0. */
export interface EnteredState {
  n: number;
  /** The branch or subjourney; empty at the top. */
  frame: string;
  state: string;
  /** Milliseconds. */
  at: number;
}

/** The position of a run when it entered a state. */
export interface LoggedPosition extends EnteredState {
  position: Position;
}

/** The answer to the `moment` query: the entries with a known position, and the requested one. */
export interface LoggedPositions {
  known: EnteredState[];
  moment?: LoggedPosition;
}

/** Prefix of our own workflow types. Names of journeys cannot start with it. */
export const ownPrefix = 'journeyman.';

/** The workflow that starts one run of a schedule. */
export const runNowWorkflow = `${ownPrefix}run-now`;

/** The workflow of daily maintenance. */
export const maintenanceWorkflow = `${ownPrefix}maintenance`;
