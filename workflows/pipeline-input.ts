import type { RunInfo } from '../src/engine/run.js';
import type { JsonObject } from '../src/json/value.js';
import type { PipelineDefinition, ProducerSchedule } from '../src/pipelines/definition.js';
import type { Deployment } from '../src/pipelines/deploy.js';
import type { HandlerOutcome, StartEffect } from '../src/pipelines/message.js';
import type { Snapshot } from '../src/pipelines/snapshot.js';
import type { EventView, PipelineView } from '../src/pipelines/view.js';
import { ownPrefix, type RunLimits } from './input.js';
import { type AttributeValues, searchable } from './search-attributes.js';

/** The workflow that a pipeline is: one for each, for as long as the pipeline exists. */
export const pipelineWorkflow = `${ownPrefix}pipeline`;

/** The workflow that a producer's Schedule starts: it tells the pipeline that a time has come. */
export const tickWorkflow = `${ownPrefix}tick`;

/** The id of a pipeline's workflow. Operators type it. */
export function pipelineId(name: string): string {
  return `pipeline.${name}`;
}

/** What the journeys of a pipeline's handlers begin with besides their input, as it was configured where the pipeline was deployed. */
export interface PipelineSettings {
  /** Ids of children are made with it, so that nobody can compute them from what they stand for. */
  readonly idKey: string;
  readonly environment: string;
  /** The configured values that each journey declares, by its name. */
  readonly configs: Record<string, JsonObject>;
  readonly callModes?: RunInfo['callModes'];
  readonly schedules?: RunInfo['schedules'];
  readonly limits: RunLimits;
  readonly timezone?: string;
  /** A journey that has taken this long is looked at from outside: its end may have got lost. */
  readonly watchMs: number;
  /** The time that it is, where a scenario holds the clock; it moves with each deployment. Elsewhere the clock is Temporal's. */
  readonly now?: number;
}

/** What an execution of a pipeline goes on with: one of `deployment` and `snapshot`. */
export interface PipelineInput {
  /** A pipeline that nothing has happened to yet. */
  readonly deployment?: Deployment;
  readonly snapshot?: Snapshot;
  readonly settings: PipelineSettings;
  /** The journey of the active run, if it has not been started yet. */
  readonly start?: StartEffect;
  readonly notes?: readonly Note[];
  /** Signals that an execution which was ended from outside had not taken. */
  readonly untaken?: readonly Untaken[];
}

/** Something that an operator should know. */
export interface Note {
  readonly at: number;
  readonly text: string;
}

/** A pipeline as people see it, with its notes. */
export interface NotedView extends PipelineView {
  notes: { at: string; text: string }[];
}

export interface Untaken {
  readonly signal: string;
  readonly args: readonly unknown[];
}

/** A document and what it is to be run with. */
export interface DeployRequest extends Deployment {
  readonly settings: PipelineSettings;
}

/** Which events of a topic somebody wants to see. */
export interface EventsRequest {
  readonly topic: string;
  readonly status?: EventView['status'];
  readonly limit: number;
  readonly after?: string;
}

/** The names by which the outside reaches a pipeline. Signals: those that people use are documented. */
export const pipelineNames = {
  /** An update: several messages, and an answer to each. */
  take: 'take',
  deploy: 'deploy',
  view: 'view',
  events: 'events',
  definition: 'definition',
  /** What another execution could go on with. */
  whole: 'whole',
  tick: 'tick',
} as const;

/** What the memo of a pipeline says. */
export interface PipelineMemo {
  readonly name: string;
  readonly version: string;
  readonly hash: string;
  readonly deployer: string;
}

export function memoOf({ name, version }: PipelineDefinition, hash: string, deployer: string): PipelineMemo {
  return { name, version, hash, deployer };
}

/** The deployed document, for whoever keeps its Schedules. */
export interface DeployedDefinition {
  readonly definition: PipelineDefinition;
  readonly hash: string;
  readonly deployer: string;
}

/** What a tick is started with. */
export interface TickInput {
  readonly pipeline: string;
  readonly producer: string;
  readonly schedule: ProducerSchedule;
}

/** What a pipeline had come to before it was reset, or that it forgot nothing by that; and what to say about it, if that is known. */
export type Forgotten = (PipelineInput & { readonly note?: string }) | { readonly kept: true; readonly note: string };

/** What a pipeline and its ticks ask of their worker. */
export interface PipelineActivities {
  /** How a handler's journey ended; waits for it. */
  pipelineChildEnded(childId: string): Promise<HandlerOutcome>;
  /** What the pipeline had come to before this execution was made to begin at an earlier time; null when nobody can tell. */
  pipelineForgotten(): Promise<Forgotten | null>;
  /** Starts a pipeline again that was ended from outside. */
  pipelineRevived(name: string): Promise<void>;
}

/** What a pipeline is found by. It is no run of a journey, so it has no `JourneyName`. */
export function pipelineAttributes(
  { name, version, tags }: PipelineDefinition,
  deployer: string,
  status: 'running' | 'paused',
): AttributeValues {
  return {
    ScheduleKind: 'pipeline',
    JourneyVersion: version,
    JourneyState: status,
    JourneyTags: [`pipeline=${name}`, deployerTag(deployer), ...tags],
  };
}

/** The tag by which the pipelines of a deployer are found. */
export function deployerTag(deployer: string): string {
  return searchable(`deployer=${deployer}`);
}
