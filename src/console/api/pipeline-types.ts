import type { Json } from '../../base/json/value.js';

/** A pipeline in the list. */
export interface PipelineItem {
  readonly name: string;
  readonly version: string;
  readonly status: string;
  readonly pause?: { readonly reason: string; readonly text: string };
}

/** A run of a handler. */
export interface PipelineRunItem {
  readonly run: string;
  readonly journeyId?: string;
  readonly handler: string;
  readonly trigger: string;
  readonly attempt: number;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly status?: string;
  readonly events: number;
  readonly reservations: readonly { readonly topic: string; readonly id: string }[];
  readonly input?: Json;
  readonly output?: Json;
  readonly error?: { readonly code?: string; readonly reason?: string };
  readonly uncertain?: { readonly state: string; readonly call: string; readonly error: string };
}

/** A producer or a consumer. */
export interface HandlerItem {
  readonly journey: string;
  readonly state: string;
  readonly publishes?: readonly string[];
  readonly topics?: readonly string[];
  readonly queued?: boolean;
  readonly cadence?: string;
  readonly nextRunAt?: string | null;
  readonly last?: { readonly run: string; readonly at: string; readonly status: string };
}

/** One pipeline. */
export interface LivePipeline extends PipelineItem {
  readonly pauses: readonly {
    readonly reason: string;
    readonly at: string;
    readonly text: string;
    readonly run?: string;
  }[];
  readonly notes: readonly { readonly at: string; readonly text: string }[];
  readonly topics: Readonly<Record<string, { readonly pending: number; readonly reserved: number }>>;
  readonly producers: Readonly<Record<string, HandlerItem>>;
  readonly consumers: Readonly<Record<string, HandlerItem>>;
  readonly active?: PipelineRunItem;
  readonly suspended: readonly PipelineRunItem[];
  readonly runs: readonly PipelineRunItem[];
}

/** An event of a topic. */
export interface PipelineEventItem {
  readonly id: string;
  readonly status: string;
  readonly publishedAt?: string;
  readonly payload?: Json;
}

/** The answer to a manual trigger. */
export interface TriggerAnswer {
  readonly result: 'started' | 'queued' | 'nothing_pending' | 'duplicate';
}
