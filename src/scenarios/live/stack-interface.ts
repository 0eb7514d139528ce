import type { Client } from '@temporalio/client';
import type { Json, JsonObject } from '../../base/json/value.js';
import type { AuthPlugins } from '../../config/config-types.js';
import type { Definition } from '../../engine/definition/definition.js';
import type { ExternalAnswer } from '../../engine/definition/external-activity-types.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import type { PipelineSnapshot } from '../../pipelines/snapshot.js';

/** A scenario's requirements for the stack. */
export interface StackScenario {
  /** The journeys that can be started. */
  journeys: Definition[];
  /** Configuration by journey. */
  config: Record<string, JsonObject>;
  environment: string;
  /** Profiles of auth tasks. */
  plugins?: AuthPlugins;
  /** Values of secrets, by reference, in place of the configured ones. */
  secrets?: Record<string, string>;
  /** The header in which its gateway accepts a client certificate, as behind a proxy. */
  certificateHeader: string;
  /** Origin → replacement origin, for its calls. */
  rewrite: Record<string, string>;
  /** Activities of other workers, scripted. None is called that is not. */
  activities?: ScriptedActivities;
  /** Whether scheduled runs are part of it; otherwise they make no calls. */
  scheduledRuns: boolean;
}

/** Scripted activities of other workers. */
export interface ScriptedActivities {
  /** The types that its journeys call. */
  types: readonly string[];
  /** The result of one attempt. It never resolves if the attempt is to time out. */
  perform(activity: string, args: Json[]): Promise<ExternalAnswer>;
}

/** A gateway for one scenario. */
export interface ScenarioGateway {
  url: string;
  deploy(pipeline: PipelineDefinition, now: number): Promise<ScenarioPipeline>;
  close(): Promise<void>;
}

/** A Temporal server with a worker, and a gateway for each scenario. */
export interface Stack {
  readonly client: Client;
  serve(scenario: StackScenario): Promise<ScenarioGateway>;
  /** The times of a Schedule within an interval, computed by Temporal. */
  times(scheduleId: string, after: number, until: number): Promise<number[]>;
  /** Makes Temporal start the run of a Schedule for one of its times. */
  startAt(scheduleId: string, time: number): Promise<unknown>;
  /** Deletes a Schedule and terminates its runs. */
  removeSchedule(scheduleId: string): Promise<void>;
  /** Terminates the running runs of a journey that Temporal lists. */
  endRuns(journeyName: string): Promise<void>;
}

/** A deployed pipeline whose clock the scenario controls. */
export interface ScenarioPipeline {
  /** Sets its clock. */
  at(now: number): Promise<void>;
  /** The times of a producer within an interval, computed by Temporal. */
  times(producer: string, after: number, until: number): Promise<number[]>;
  /** Sends a tick for one of these times; resolves when the pipeline has received it. */
  tick(producer: string, time: number): Promise<void>;
  snapshot(): Promise<PipelineSnapshot>;
  /** The output of the journey of a committed run. */
  outputOf(run: string): Promise<Json>;
  remove(): Promise<void>;
}
