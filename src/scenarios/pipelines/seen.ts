import { type Json, type JsonObject, own } from '../../json/value.js';
import type { Answer } from '../../pipelines/message.js';
import type { PipelineState } from '../../pipelines/state.js';
import { refused } from '../../pipelines/step.js';
import { eventsPage, viewOf } from '../../pipelines/view.js';
import { plain } from '../observation.js';

/** What is not in a pipeline's own state. */
interface Beside {
  /** What handlers published, in order. */
  readonly published: readonly Json[];
  /** When a producer comes next; null where it never does. */
  readonly nextRun: (producer: string) => string | null;
}

/** Everything that can be expected of a pipeline. */
export function seenOf(state: PipelineState, now: number, { published, nextRun }: Beside): JsonObject {
  const { status, pauses, topics, producers, consumers, runs, suspended } = viewOf(state, now);
  const carried = { ...state.producers, ...state.consumers };
  return plain({
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

/** What the output of a handler publishes. */
export function publishedIn(output: Json | undefined): Json[] {
  const events = output === undefined ? undefined : own(output, 'publish');
  return Array.isArray(events) ? events : [];
}

/** The oldest suspended run of a handler, or that there is none. */
export function suspendedRun({ suspended }: PipelineState, handler: string): string | Answer {
  const run = suspended.find((it) => it.handler === handler);
  return run?.key ?? refused('RUN_NOT_SUSPENDED', `No run of ${handler} is suspended.`);
}

function mapped<T, R>(all: Readonly<Record<string, T>>, change: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value, name)]));
}
