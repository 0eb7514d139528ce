import type { Json } from '../base/json/value.js';
import { type Problem, refuse } from '../base/problems/problem.js';
import type { AnswerCode, Resolution } from '../pipelines/messages-and-effects.js';
import type { EventView, HandlerRunView, PipelineView, ProducerView, SuspendedView } from '../pipelines/view.js';
import type { PipelineEntry } from './library-interface.js';
import type { RunTrouble } from './runs-interface.js';
import type { Page } from './schedules-interface.js';

/**
 * Port for pipelines, implemented in `src/temporal/pipelines/temporal-pipelines.ts`. Every method throws a ProblemError (PIPELINE_UNKNOWN, TOPIC_FULL,
 * PIPELINE_UNRESPONSIVE, …) on failure.
 */
export interface Pipelines {
  list(): Promise<PipelineSummary[]>;
  show(name: string): Promise<PipelineDetails>;
  /** One page of the stored runs, newest first, with their events and output. */
  runs(name: string, page: Page): Promise<{ items: PipelineRun[]; nextPageToken?: string }>;
  /** One page of a topic's events: pending ones, the oldest first, then stored finished ones. */
  events(name: string, topic: string, query: ListEvents): Promise<{ items: EventView[]; nextPageToken?: string }>;
  /** Publishes an event; idempotent by id. An acknowledged event survives crashes and operations with Temporal's tools. */
  publish(name: string, event: NewEvent): Promise<RequestResult>;
  /** Runs a producer or consumer once the active run has ended. */
  trigger(name: string, handler: string, requestId: string): Promise<RequestResult>;
  pause(name: string, note: string): Promise<RequestResult>;
  resume(name: string): Promise<RequestResult>;
  resolve(name: string, run: string, how: Resolution): Promise<RequestResult>;
  /** Creates or updates a pipeline. */
  deploy(entry: PipelineEntry, deployer: string, takeOver?: boolean): Promise<DeploymentResult>;
  /** Pauses the pipelines of a deployer that are not in `kept`; returns them, with the problem of any that could not be paused. */
  removeOthers(deployer: string, kept: readonly string[]): Promise<RemovedPipeline[]>;
}

/** A pipeline whose document was removed. */
export interface RemovedPipeline {
  name: string;
  /** The reason why it could not be paused. */
  problem?: Problem;
}

/** Throws PIPELINE_UNKNOWN, for a pipeline that does not exist or that the caller must not see. */
export function refuseUnknownPipeline(name: string): never {
  return refuse('PIPELINE_UNKNOWN', `The pipeline '${name.slice(0, 80)}' does not exist.`);
}

export const eventStatuses: readonly EventView['status'][] = ['pending', 'reserved', 'consumed', 'skipped'];
export const resolutions: readonly Resolution[] = ['retry', 'did_not_happen', 'skip'];

export interface ListEvents extends Page {
  status?: EventView['status'];
}

export interface NewEvent {
  topic: string;
  id: string;
  payload: Json;
}

/** The result of a request, and the run that it concerns. */
export interface RequestResult {
  result: AnswerCode;
  run?: string;
}

/** A pipeline in a list. `ended`: ended with Temporal's tools; the next request starts it again. */
export interface PipelineSummary {
  name: string;
  version: string;
  status: 'running' | 'paused' | 'ended';
  deployer: string;
  startedAt: string;
  /** The first reason why it is paused. */
  pause?: { reason: string; text: string };
  /** The reason why its details are missing: they cannot be decrypted here, or no worker can complete its tasks. */
  problem?: Problem;
}

/** A pipeline with all details. */
export interface PipelineDetails extends Omit<PipelineView, 'producers' | 'status' | 'active' | 'suspended' | 'runs'> {
  status: PipelineSummary['status'];
  active?: ActiveRunDetails;
  suspended: (SuspendedView & { journeyId: string })[];
  runs: PipelineRun[];
  /** Who ended it, and how to restart it. */
  ended?: string;
  /** Operations with Temporal's tools and rejected signals, the newest last. */
  notes: { at: string; text: string }[];
  producers: Record<string, ProducerDetails>;
}

/** The active run, with its journey and anything that blocks it, once prepared. */
export type ActiveRunDetails = NonNullable<PipelineView['active']> & Partial<RunTrouble> & { journeyId?: string };

export interface ProducerDetails extends ProducerView {
  /** The cadence in plain English. */
  cadence: string;
  /** The next start by Temporal; null if none is planned. */
  nextRunAt: string | null;
  nextRuns: string[];
  /** Its Temporal Schedule. */
  scheduleId: string;
  /** Changes of the Schedule made with Temporal's tools. */
  drift: string[];
}

/** A run of a pipeline's handler, with its journey. */
export interface PipelineRun extends HandlerRunView {
  journeyId: string;
}

/** The result of a deployment. */
export interface DeploymentResult {
  name: string;
  version: string;
  /** `waiting`: it applies when the active run has ended. */
  result: 'created' | 'changed' | 'unchanged' | 'waiting';
  /** Producers whose Schedules were created, updated or deleted. */
  schedules: string[];
  /** The reason why it stays paused. */
  pause?: string;
}
