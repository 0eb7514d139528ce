import type { Json } from '../json/value.js';
import type { AnswerCode, Resolution } from '../pipelines/message.js';
import type { EventView, PipelineView, ProducerView, RunView, SuspendedView } from '../pipelines/view.js';
import { type Problem, refuse } from '../problems/problem.js';
import type { PipelineEntry } from './library.js';
import type { RunTrouble } from './runs.js';
import type { Page } from './schedules.js';

/**
 * What the gateway and the CLI need from the place where pipelines live. `src/temporal/pipelines/pipelines.ts` is the one implementation;
 * every method throws a ProblemError (PIPELINE_UNKNOWN, TOPIC_FULL, PIPELINE_UNRESPONSIVE, …) when it cannot do what it says.
 */
export interface Pipelines {
  list(): Promise<PipelineSummary[]>;
  show(name: string): Promise<PipelineShown>;
  /** One page of the runs that are remembered, the newest first, with what they were given and gave. */
  runs(name: string, page: Page): Promise<{ items: PipelineRun[]; nextPageToken?: string }>;
  /** One page of a topic's events: those that wait, the oldest first, then those that are over and remembered. */
  events(name: string, topic: string, query: ListEvents): Promise<{ items: EventView[]; nextPageToken?: string }>;
  /** Acknowledged means kept: neither a crash nor an operator's tools lose it. The same id is the same event. */
  publish(name: string, event: NewEvent): Promise<Answered>;
  /** Runs a producer or consumer as soon as nothing else runs. */
  trigger(name: string, handler: string, requestId: string): Promise<Answered>;
  pause(name: string, note: string): Promise<Answered>;
  resume(name: string): Promise<Answered>;
  resolve(name: string, run: string, how: Resolution): Promise<Answered>;
  /** Makes a pipeline, or gives it another document. */
  deploy(entry: PipelineEntry, deployer: string): Promise<Deployed>;
  /** Pauses the pipelines of a deployer that are not among `kept`; answers which, and why one could not be. */
  removeOthers(deployer: string, kept: readonly string[]): Promise<Removed[]>;
}

/** A pipeline whose document is gone. */
export interface Removed {
  name: string;
  /** Why it could not be paused. */
  problem?: Problem;
}

/** Refuses a pipeline that is not there, or that somebody may not know: in the same words. */
export function refuseUnknownPipeline(name: string): never {
  return refuse('PIPELINE_UNKNOWN', `There is no pipeline '${name.slice(0, 80)}'.`);
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

/** What a request came to, in one word, and the run that it is about. */
export interface Answered {
  result: AnswerCode;
  run?: string;
}

/** A pipeline as a list shows it. `ended`: somebody ended it with Temporal's tools; the next request to it starts it again. */
export interface PipelineSummary {
  name: string;
  version: string;
  status: 'running' | 'paused' | 'ended';
  deployer: string;
  startedAt: string;
  /** Why there is no more to say of it: what Temporal keeps of it cannot be read here, or no worker can do its tasks. */
  problem?: Problem;
}

/** A pipeline as a whole. */
export interface PipelineShown extends Omit<PipelineView, 'producers' | 'status' | 'active' | 'suspended' | 'runs'> {
  status: PipelineSummary['status'];
  active?: ActiveShown;
  suspended: (SuspendedView & { journeyId: string })[];
  runs: PipelineRun[];
  /** Who ended it, and what to do. */
  ended?: string;
  /** What somebody did to it with Temporal's tools, and signals that could not be taken; the newest last. */
  notes: { at: string; text: string }[];
  producers: Record<string, ProducerShown>;
}

/** The run that is active. Its journey is there once it is prepared, and so is what keeps that from going on. */
export type ActiveShown = NonNullable<PipelineView['active']> & Partial<RunTrouble> & { journeyId?: string };

export interface ProducerShown extends ProducerView {
  /** When it runs, in words. */
  cadence: string;
  /** When Temporal will start it next; null while it will not. */
  nextRunAt: string | null;
  nextRuns: string[];
  /** Its Temporal Schedule. */
  scheduleId: string;
  /** What somebody did to the Schedule with Temporal's tools. */
  drift: string[];
}

/** A run of a pipeline's handler, with the journey that it ran. */
export interface PipelineRun extends RunView {
  journeyId: string;
}

/** What a deployment came to. */
export interface Deployed {
  name: string;
  version: string;
  /** `waiting`: it applies when the active run has ended. */
  result: 'created' | 'changed' | 'unchanged' | 'waiting';
  /** Producers whose Schedules were made, changed or removed. */
  schedules: string[];
}
