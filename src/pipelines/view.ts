import type { JourneyError } from '../engine/outcome.js';
import type { Problem } from '../problems/problem.js';
import { formatInstant } from '../time/duration.js';
import { handlerOf } from './definition.js';
import { isAsleep, isPaused } from './scheduling.js';
import type { EndedRun, Handler, Pause, PipelineState, RunHead, RunStatus, SkipReason } from './state.js';
import type { TopicEvent } from './topics.js';

/** A pipeline as people see it; plain JSON. When producers run next is known to Temporal, not to the pipeline. */
export interface PipelineView {
  name: string;
  version: string;
  hash: string;
  deployedAt: string;
  deployer: string;
  status: 'running' | 'paused';
  pauses: (Omit<Pause, 'at'> & { at: string })[];
  /** A document that waits for the active run, or that could not be applied. */
  deployment?: { hash: string; problem?: Problem };
  topics: Record<string, { pending: number; reserved: number; subscribers: string[] }>;
  producers: Record<string, ProducerView>;
  consumers: Record<string, ConsumerView>;
  active?: RunView & { phase: string };
  suspended: SuspendedView[];
  /** The newest first. */
  runs: RunView[];
  counts: PipelineState['counts'];
}

interface HandlerView {
  journey: string;
  publishes: string[];
  queued: boolean;
  last?: { run: string; at: string; status: RunStatus };
}

export interface ProducerView extends HandlerView {
  state: 'idle' | 'running';
  skipped?: { reason: SkipReason; slot: string; count: number };
}

export interface ConsumerView extends HandlerView {
  topics: string[];
  state: 'ready' | 'sleeping' | 'running';
  /** What ends its sleep: a time, or an event in one of these topics, or somebody who triggers it. */
  wakes?: { at: string; topics: string[]; hinted: boolean };
}

export interface RunView {
  run: string;
  handler: string;
  trigger: string;
  attempt: number;
  slot?: string;
  startedAt: string;
  endedAt?: string;
  status?: RunStatus;
  events: number;
  reservations: { topic: string; id: string }[];
  input?: EndedRun['input'];
  output?: EndedRun['output'];
  published?: number;
  error?: JourneyError;
  resolution?: string;
}

export interface SuspendedView extends RunView {
  error: JourneyError;
}

/** What people see of a pipeline. */
export function viewOf(state: PipelineState, now: number): PipelineView {
  const { definition, topics, active } = state;
  const subscribers = (topic: string) =>
    Object.entries(definition.consumers).flatMap(([name, it]) => (it.topics.includes(topic) ? [name] : []));
  const deployment = state.next ?? state.refused;
  return {
    name: definition.name,
    version: definition.version,
    hash: state.hash,
    deployedAt: formatInstant(state.deployedAt),
    deployer: state.deployer,
    status: isPaused(state) ? 'paused' : 'running',
    pauses: state.pauses.map((pause) => ({ ...pause, at: formatInstant(pause.at) })),
    ...(deployment && {
      deployment: { hash: deployment.hash, ...('problem' in deployment && { problem: deployment.problem }) },
    }),
    topics: byName(topics.names, (name) => {
      const pending = topics.pending(name);
      return { pending, reserved: topics.size(name) - pending, subscribers: subscribers(name) };
    }),
    producers: byName(Object.keys(state.producers), (name) => {
      const { skipped, due, ...producer } = state.producers[name]!;
      return {
        ...handlerView(state, name, producer, due !== undefined),
        state: active?.handler === name ? 'running' : 'idle',
        ...(skipped && { skipped: { ...skipped, slot: formatInstant(skipped.slot) } }),
      } satisfies ProducerView;
    }),
    consumers: byName(Object.keys(state.consumers), (name) => {
      const consumer = state.consumers[name]!;
      const { topics: subscribed } = definition.consumers[name]!;
      const asleep = isAsleep(consumer, now);
      const { until, hinted } = consumer.sleep ?? { until: 0 };
      return {
        ...handlerView(state, name, consumer, false),
        topics: subscribed,
        state: active?.handler === name ? 'running' : asleep ? 'sleeping' : 'ready',
        ...(asleep && { wakes: { at: formatInstant(until), topics: subscribed, hinted: hinted ?? false } }),
      } satisfies ConsumerView;
    }),
    ...(active && { active: { ...headView(active), phase: active.phase, ...reserved(active.reservations) } }),
    suspended: state.suspended.map((run) => ({
      ...headView(run),
      endedAt: formatInstant(run.endedAt),
      status: 'suspended',
      ...reserved(run.reservations),
      error: run.error,
    })),
    runs: state.runs.map(runView).reverse(),
    counts: state.counts,
  };
}

/** An event as people see it. */
export type EventView = Partial<TopicEvent> & {
  id: string;
  status: 'pending' | 'reserved' | 'consumed' | 'skipped';
  run?: string;
  attempts?: number;
  /** When it was over. */
  at?: string;
};

/** The events of a topic: those that wait, the oldest first, then those that are over and not yet forgotten. */
export function eventsOf(
  { topics }: PipelineState,
  topic: string,
  { status, limit }: { status?: EventView['status']; limit: number },
): EventView[] {
  const found: EventView[] = [];
  for (const event of topics.all(topic)) {
    if (found.length >= limit) break;
    const view: EventView =
      'view' in event
        ? {
            ...event.view,
            status: event.reservedBy === undefined ? 'pending' : 'reserved',
            ...(event.reservedBy !== undefined && { run: event.reservedBy }),
            attempts: event.attempts,
          }
        : { topic, id: event.id, status: event.status, at: formatInstant(event.at) };
    if (status === undefined || view.status === status) found.push(view);
  }
  return found;
}

function handlerView({ definition }: PipelineState, name: string, handler: Handler, due: boolean): HandlerView {
  const { journey, publishes } = handlerOf(definition, name)!;
  const { last, triggered } = handler;
  return {
    journey,
    publishes,
    queued: due || triggered === true,
    ...(last && { last: { ...last, at: formatInstant(last.at) } }),
  };
}

function headView({ key, handler, trigger, attempt, slot, startedAt }: RunHead) {
  return {
    run: key,
    handler,
    trigger,
    attempt,
    ...(slot !== undefined && { slot: formatInstant(slot) }),
    startedAt: formatInstant(startedAt),
  };
}

function runView({ bytes: _, endedAt, status, events, reservations, ...run }: EndedRun): RunView {
  const { input, output, published, error, resolution } = run;
  return {
    ...headView(run),
    endedAt: formatInstant(endedAt),
    status,
    ...reserved(reservations),
    events,
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(published !== undefined && { published }),
    ...(error && { error }),
    ...(resolution && { resolution }),
  };
}

function reserved(reservations: readonly (readonly [string, string])[]) {
  return {
    events: reservations.length,
    reservations: reservations.slice(0, 10).map(([topic, id]) => ({ topic, id })),
  };
}

function byName<T>(names: readonly string[], of: (name: string) => T): Record<string, T> {
  const all = Object.create(null) as Record<string, T>;
  for (const name of names) all[name] = of(name);
  return all;
}
