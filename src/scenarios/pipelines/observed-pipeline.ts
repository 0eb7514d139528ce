import { type Json, type JsonObject, own } from '../../base/json/value.js';
import type { Answer } from '../../pipelines/messages-and-effects.js';
import { refused } from '../../pipelines/reducer-step.js';
import type { PipelineState } from '../../pipelines/state.js';
import { eventsPage, pipelineView } from '../../pipelines/view.js';
import { plainJson } from '../scenario-observation.js';

/** Observations outside a pipeline's own state. */
interface Surroundings {
  /** Events that handlers published, in order. */
  readonly published: readonly Json[];
  /** The next run of a producer; null if there is none. */
  readonly nextRun: (producer: string) => string | null;
}

/** The state of a pipeline that scenarios can check. */
export function observedPipeline(state: PipelineState, now: number, { published, nextRun }: Surroundings): JsonObject {
  const { status, pauses, topics, producers, consumers, runs, suspended } = pipelineView(state, now);
  const carried = { ...state.producers, ...state.consumers };
  return plainJson({
    status,
    pauses,
    topics,
    producers: mapped(producers, (view, name) => ({ ...view, nextRunAt: nextRun(name) })),
    consumers,
    runs: runs.reverse(),
    suspended,
    events: mapped(topics, (_, name) => eventsPage(state, name, { limit: 1_000 }).items),
    published,
    state: mapped(carried, (handler) => handler.state),
  } as unknown as JsonObject);
}

/** Events that the output of a handler publishes. */
export function publishedIn(output: Json | undefined): Json[] {
  const events = output === undefined ? undefined : own(output, 'publish');
  return Array.isArray(events) ? events : [];
}

/** The oldest suspended run of a handler, or a rejection if there is none. */
export function suspendedRun({ suspended }: PipelineState, handler: string): string | Answer {
  const run = suspended.find((it) => it.handler === handler);
  return run?.key ?? refused('RUN_NOT_SUSPENDED', `No run of ${handler} is suspended.`);
}

function mapped<T, R>(all: Readonly<Record<string, T>>, change: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value, name)]));
}
