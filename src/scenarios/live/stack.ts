import type { Client } from '@temporalio/client';
import type { AuthPlugins } from '../../config/config.js';
import type { Definition } from '../../definition/definition.js';
import type { Json, JsonObject } from '../../json/value.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import type { Snapshot } from '../../pipelines/snapshot.js';

/** What one scenario needs from the stack. */
export interface StackScenario {
  /** The journeys that can be started. */
  journeys: Definition[];
  /** Configuration by journey. */
  config: Record<string, JsonObject>;
  environment: string;
  /** Profiles of auth tasks. */
  plugins?: AuthPlugins;
  /** The header in which its gateway takes a caller's certificate, as behind a proxy. */
  certificateHeader: string;
  /** Origin → origin, for its calls. */
  rewrite: Record<string, string>;
  /** Whether runs that schedules start are part of it; otherwise they make no calls. */
  scheduledRuns: boolean;
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
  /** The times of a Schedule after one instant and up to another, as Temporal says. */
  times(scheduleId: string, after: number, until: number): Promise<number[]>;
  /** Lets Temporal start what a Schedule starts at one of its times. */
  startAt(scheduleId: string, time: number): Promise<unknown>;
  /** Deletes it, and ends its runs. */
  removeSchedule(scheduleId: string): Promise<void>;
  /** Ends the runs of a journey that go on, as far as Temporal lists them. */
  endRuns(journeyName: string): Promise<void>;
}

/** A deployed pipeline whose clock the scenario holds. */
export interface ScenarioPipeline {
  /** It becomes this late. */
  at(now: number): Promise<void>;
  /** The times of a producer after one instant and up to another, as Temporal says. */
  times(producer: string, after: number, until: number): Promise<number[]>;
  /** One of these times has come; resolves when the pipeline was told. */
  tick(producer: string, time: number): Promise<void>;
  snapshot(): Promise<Snapshot>;
  /** What the journey of a committed run gave. */
  outputOf(run: string): Promise<Json>;
  remove(): Promise<void>;
}
