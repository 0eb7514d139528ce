import type { Problem } from '../base/problems/problem.js';
import { formatInstant } from '../base/time/instant.js';
import type { JourneyError } from '../engine/outcome.js';
import type { InterruptedCall } from '../engine/run.js';
import { isAsleep } from './choose-next-run.js';
import { handlerOf } from './definition.js';
import { isPaused, type PauseView, pausesOf } from './describe-pause-reasons.js';
import type { TopicCapacity } from './messages-and-effects.js';
import type { EndedRun, Handler, HandlerRunStatus, PipelineState, RunHead, SkipReason, SourceState } from './state.js';
import { capacityOf } from './topics/deliver-source-records.js';
import type { TopicEvent } from './topics/topic-event-store.js';

/** A pipeline as people see it; plain JSON. The next runs of producers are known to Temporal, not to the pipeline. */
export interface PipelineView {
  name: string;
  version: string;
  hash: string;
  deployedAt: string;
  deployer: string;
  status: 'running' | 'paused';
  /** Reasons for a pause; suspended runs are among them. */
  pauses: PauseView[];
  /** A document that waits for the active run, or that could not be applied. */
  deployment?: { hash: string; problem?: Problem };
  topics: Record<string, TopicView>;
  producers: Record<string, ProducerView>;
  consumers: Record<string, ConsumerView>;
  active?: HandlerRunView & { phase: string };
  suspended: SuspendedView[];
  /** The newest first. */
  runs: HandlerRunView[];
  counts: PipelineState['counts'];
}

export interface TopicView {
  pending: number;
  reserved: number;
  subscribers: string[];
  /** Bytes of its events. */
  bytes: number;
  /** Room for further events; the bytes are shared by all topics. */
  room: TopicCapacity;
  source?: TopicSourceView;
}

/** A topic's source, as of the last delivery. */
export interface TopicSourceView {
  kafka: { topic: string; group: string };
  /** Events taken from it. */
  taken: number;
  /** Records that were not taken yet. */
  lag: number;
  /** Offsets that Kafka deleted before they were taken. */
  lost: number;
  /** The next offset of each partition. */
  next: Record<string, number>;
}

interface HandlerView {
  journey: string;
  publishes: string[];
  queued: boolean;
  last?: { run: string; at: string; status: HandlerRunStatus };
}

export interface ProducerView extends HandlerView {
  state: 'idle' | 'running';
  skipped?: { reason: SkipReason; slot: string; count: number };
}

export interface ConsumerView extends HandlerView {
  topics: string[];
  state: 'ready' | 'sleeping' | 'running' | 'paused';
  /** End of its sleep: a time, or an event in one of these topics. */
  wakes?: { at: string; topics: string[]; hinted: boolean };
  /** Number of pending events that `prepare` sees, by topic, where it does not see all. */
  sees?: Record<string, { seen: number; pending: number }>;
}

export interface HandlerRunView {
  run: string;
  handler: string;
  trigger: string;
  attempt: number;
  slot?: string;
  startedAt: string;
  endedAt?: string;
  status?: HandlerRunStatus;
  events: number;
  reservations: { topic: string; id: string }[];
  input?: EndedRun['input'];
  output?: EndedRun['output'];
  published?: number;
  error?: JourneyError;
  resolution?: string;
}

export interface SuspendedView extends HandlerRunView {
  error: JourneyError;
  /** The call with an unknown result. */
  uncertain?: InterruptedCall;
}

/** The view of a pipeline. */
export function pipelineView(state: PipelineState, now: number): PipelineView {
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
    pauses: pausesOf(state),
    ...(deployment && {
      deployment: { hash: deployment.hash, ...('problem' in deployment && { problem: deployment.problem }) },
    }),
    topics: byName(topics.names, (name) => {
      const pending = topics.pending(name);
      return {
        pending,
        reserved: topics.size(name) - pending,
        subscribers: subscribers(name),
        bytes: topics.bytesOf(name),
        room: capacityOf(state, name),
        ...(Object.hasOwn(state.sources, name) && { source: sourceView(state.sources[name]!) }),
      };
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
      const paused = isPaused(state);
      const unseen = definition.consumers[name]!.prepare
        ? subscribed.filter((topic) => topics.pending(topic) > definition.policy.window)
        : [];
      const asleep = !paused && isAsleep(consumer, now);
      const { until, hinted } = consumer.sleep ?? { until: 0 };
      return {
        ...handlerView(state, name, consumer, false),
        topics: subscribed,
        state: active?.handler === name ? 'running' : paused ? 'paused' : asleep ? 'sleeping' : 'ready',
        ...(asleep && { wakes: { at: formatInstant(until), topics: subscribed, hinted: hinted ?? false } }),
        ...(unseen.length > 0 && {
          sees: byName(unseen, (topic) => ({ seen: definition.policy.window, pending: topics.pending(topic) })),
        }),
      } satisfies ConsumerView;
    }),
    ...(active && { active: { ...headView(active), phase: active.phase, ...reserved(active.reservations) } }),
    suspended: state.suspended.map((run) => ({
      ...headView(run),
      endedAt: formatInstant(run.endedAt),
      status: 'suspended',
      ...reserved(run.reservations),
      error: run.error,
      ...(run.uncertain && { uncertain: run.uncertain }),
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
  /** Time at which it was consumed or skipped. */
  at?: string;
};

/** A page of a topic's events. */
export interface EventsPage {
  /** Whether the pipeline has the topic. */
  known: boolean;
  items: EventView[];
  /** Token of the next page; absent on the last. */
  next?: string;
}

/** The most bytes of events on a page. */
const pageBytes = 1_000_000;

/**
 * The events of a topic: live ones first, the oldest first, then settled ones that are not yet forgotten. `after` is the place of the last
 * event of the page before, so that events consumed meanwhile do not hide others.
 */
export function eventsPage(
  { topics }: PipelineState,
  topic: string,
  {
    status,
    limit,
    after = '',
  }: { status?: EventView['status'] | undefined; limit: number; after?: string | undefined },
): EventsPage {
  const items: EventView[] = [];
  let bytes = 0;
  let settled = 0;
  let last = '';
  const [, kind, place] = /^([ps])(\d{1,15})$/.exec(after) ?? [];
  const from = Number(place ?? 0);
  for (const event of topics.all(topic)) {
    const isLive = 'view' in event;
    if (!isLive) settled += 1;
    const seen = isLive ? kind === 's' || (kind === 'p' && event.seq <= from) : kind === 's' && settled <= from;
    if (seen) continue;
    const view: EventView = isLive
      ? {
          ...event.view,
          status: event.reservedBy === undefined ? 'pending' : 'reserved',
          ...(event.reservedBy !== undefined && { run: event.reservedBy }),
          attempts: event.attempts,
        }
      : { topic, id: event.id, status: event.status, at: formatInstant(event.at) };
    if (status !== undefined && view.status !== status) continue;
    if (items.length >= limit || bytes >= pageBytes) return { known: true, items, next: last };
    items.push(view);
    bytes += isLive ? event.bytes : 0;
    last = isLive ? `p${event.seq}` : `s${settled}`;
  }
  return { known: topics.names.includes(topic), items };
}

function sourceView({ kafka, partitions, taken, lost }: SourceState): TopicSourceView {
  const positions = Object.entries(partitions);
  return {
    kafka,
    taken,
    lag: positions.reduce((sum, [, [next, end]]) => sum + Math.max(0, end - next), 0),
    lost,
    next: Object.fromEntries(positions.map(([partition, [next]]) => [partition, next])),
  };
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

function runView({ bytes: _, endedAt, status, events, reservations, ...run }: EndedRun): HandlerRunView {
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
