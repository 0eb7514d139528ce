import type { JsonObject } from '../../src/base/json/value.js';
import type { Deployment } from '../../src/pipelines/apply-deployment.js';
import type { PipelineDefinition, ProducerSchedule } from '../../src/pipelines/definition.js';
import type { PauseView } from '../../src/pipelines/describe-pause-reasons.js';
import type { HandlerOutcome, StartEffect } from '../../src/pipelines/messages-and-effects.js';
import type { PipelineSnapshot } from '../../src/pipelines/snapshot.js';
import type { EventView, PipelineView } from '../../src/pipelines/view.js';
import type { RunSettings } from '../journey/build-workflow-input.js';
import { ownPrefix } from '../journey/workflow-contract.js';
import { type AttributeValues, searchable } from '../shared/run-search-attributes.js';

/** The workflow of a pipeline: one for each, for as long as the pipeline exists. */
export const pipelineWorkflow = `${ownPrefix}pipeline`;

/** The workflow that a producer's Schedule starts: it signals the pipeline that the producer is due. */
export const tickWorkflow = `${ownPrefix}tick`;

/** The id of a pipeline's workflow. Operators type it. */
export function pipelineId(name: string): string {
  return `pipeline.${name}`;
}

/** Settings of a pipeline and its journeys, from the configuration with which it was deployed. */
export interface PipelineSettings extends RunSettings {
  /** Key from which the ids of children are derived, so that they cannot be guessed. */
  readonly idKey: string;
  /** The configured values that each journey declares, by its name. */
  readonly configs: Record<string, JsonObject>;
  /** Time after which a journey is followed from outside: its end may have been lost. */
  readonly watchMs: number;
  /** The current time if a scenario freezes the clock; each deployment moves it. Otherwise the clock is Temporal's. */
  readonly now?: number;
}

/** Input of an execution of a pipeline: one of `deployment` and `snapshot`. */
export interface PipelineInput {
  /** A new pipeline. */
  readonly deployment?: Deployment;
  readonly snapshot?: PipelineSnapshot;
  readonly settings: PipelineSettings;
  /** The journey of the active run, if it has not been started yet. */
  readonly start?: StartEffect;
  readonly notes?: readonly Note[];
  /** Signals that an execution ended from outside had not handled. */
  readonly unhandled?: readonly UnhandledSignal[];
}

/** A message for operators. */
export interface Note {
  readonly at: number;
  readonly text: string;
}

/** A pipeline as people see it, with its notes. */
export interface NotedView extends PipelineView {
  notes: { at: string; text: string }[];
}

export interface UnhandledSignal {
  readonly signal: string;
  readonly args: readonly unknown[];
}

/** A document with its settings. */
export interface DeployRequest extends Deployment {
  readonly settings: PipelineSettings;
}

/** Selection of a topic's events. */
export interface EventsRequest {
  readonly topic: string;
  readonly status?: EventView['status'];
  readonly limit: number;
  readonly after?: string;
}

/** Names of a pipeline's updates and queries, and of the tick signal. */
export const pipelineNames = {
  /** An update: several messages, and an answer to each. */
  take: 'take',
  deploy: 'deploy',
  view: 'view',
  events: 'events',
  definition: 'definition',
  /** Sources of topics, with positions and free capacity. */
  sources: 'sources',
  /** The input with which another execution could continue. */
  nextInput: 'nextInput',
  tick: 'tick',
} as const;

/** Memo of a pipeline. */
export interface PipelineMemo {
  readonly name: string;
  readonly version: string;
  readonly hash: string;
  readonly deployer: string;
  /** The first reason why it is paused, for lists. */
  readonly pause?: Pick<PauseView, 'reason' | 'text'>;
}

export function pipelineMemo(
  { name, version }: PipelineDefinition,
  hash: string,
  deployer: string,
  pause?: PipelineMemo['pause'],
): PipelineMemo {
  return { name, version, hash, deployer, ...(pause && { pause: { reason: pause.reason, text: pause.text } }) };
}

/** The deployed document. */
export interface DeployedDefinition {
  readonly definition: PipelineDefinition;
  readonly hash: string;
  readonly deployer: string;
}

/** Input of a tick. */
export interface TickInput {
  readonly pipeline: string;
  readonly producer: string;
  readonly schedule: ProducerSchedule;
}

/** The state of a pipeline before it was reset, or `kept` if the reset lost nothing; with a note for operators. */
export type StateBeforeReset =
  | (PipelineInput & { readonly note?: string })
  | { readonly kept: true; readonly note: string };

/** Activities of pipelines and their ticks. */
export interface PipelineActivities {
  /** Waits for the outcome of a handler's journey. */
  pipelineChildEnded(childId: string): Promise<HandlerOutcome>;
  /** Reads the state of the pipeline before this execution was reset. Null if it cannot be read. */
  pipelineBeforeReset(): Promise<StateBeforeReset | null>;
  /** Restarts a pipeline that was ended from outside. */
  pipelineRevived(name: string): Promise<void>;
}

/** Search attributes of a pipeline. It is not a run of a journey, so it has no `JourneyName`. */
export function pipelineAttributes(
  { name, version, tags, topics }: PipelineDefinition,
  deployer: string,
  status: 'running' | 'paused',
): AttributeValues {
  const hasSource = Object.values(topics).some(({ source }) => source);
  return {
    ScheduleKind: 'pipeline',
    JourneyVersion: version,
    JourneyState: status,
    JourneyTags: [`pipeline=${name}`, deployerTag(deployer), ...(hasSource ? [sourceTag] : []), ...tags],
  };
}

/** The tag of pipelines with a source, by which workers find them. */
export const sourceTag = 'source=kafka';

/** The tag of a deployer's pipelines. */
export function deployerTag(deployer: string): string {
  return searchable(`deployer=${deployer}`);
}
