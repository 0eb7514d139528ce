import type { Json, JsonObject } from '../../base/json/value.js';
import type { Occurrences } from './schedule-types.js';

/** A job. */
export interface JobItem {
  readonly jobId: string;
  readonly orchestratorId: string;
  readonly name: string | null;
  readonly state: string;
  readonly cadence: string;
  readonly schedule: { readonly type: string; readonly timezone?: string } & JsonObject;
  readonly targetAction: JsonObject;
  readonly nextRunAt: string | null;
  readonly lastRunAt: string | null;
  readonly lastResult: { readonly outcome: string; readonly code: string | null } | null;
  readonly note?: string;
  readonly occurrences?: Occurrences;
  readonly drift?: readonly string[];
}

/** One job. */
export interface JobDetails extends JobItem {
  readonly nextRuns: readonly string[];
}

/** A run of a job. */
export interface JobRunItem {
  readonly executionId: string;
  readonly jobId: string | null;
  readonly origin: 'schedule' | 'run_now' | 'channel' | 'cli' | 'http';
  readonly triggeredAt: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly phase: string;
  readonly journeyId: string | null;
  readonly result: {
    readonly outcome: string;
    readonly reason: { readonly code: string; readonly message: string } | null;
  } | null;
}

/** An orchestrator and who works for it. */
export interface OrchestratorItem {
  readonly orchestratorId: string;
  readonly journeys: readonly string[];
  readonly functions: readonly string[];
  readonly workers: readonly { readonly identity: string; readonly lastHeartbeatAt: string }[];
}

/** The answer to a request in plain English. */
export interface IntentAnswer {
  readonly text: string;
  readonly draft?: JsonObject;
  readonly clarify?: { readonly options?: readonly { readonly label: string; readonly value: Json }[] };
  readonly invocation?: JsonObject;
  readonly nextRuns?: readonly string[];
  readonly result?: Json;
}
