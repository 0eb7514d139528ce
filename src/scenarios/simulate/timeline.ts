import type { Effect } from '../../engine/host.js';
import type { Json, JsonObject } from '../../json/value.js';
import { isObject, own } from '../../json/value.js';
import { formatInstant } from '../../time/duration.js';
import type { RecordedCall } from '../backend.js';
import { type Difference, differences } from '../diff.js';
import { plain } from '../observation.js';
import type { StateListener, StateVisit } from '../virtual/listening.js';
import { virtualId } from '../virtual/simulation.js';

/** One thing that happened in a simulated run. */
export interface TimelineEvent {
  /** RFC 3339. */
  at: string;
  sinceStartMs: number;
  state: string;
  /** The branches and subjourneys it stands in. */
  within?: string;
  /** The run of a schedule it belongs to. */
  run?: string;
  what: string;
  /** What the state changed in its context: `expected` is what was there before. */
  changes: Difference[];
}

const longest = 160;

/** Writes down what states and effects do. */
export class Timeline implements StateListener {
  readonly events: TimelineEvent[] = [];
  private readonly since = new WeakMap<StateVisit, number>();

  constructor(
    private readonly startedAt: number,
    /** Hears of each event as it happens. */
    private readonly heard: (event: TimelineEvent) => void = () => undefined,
    /** States that nobody wants to hear of. */
    private readonly silent: ReadonlySet<StateVisit['state']> = new Set(),
  ) {}

  readonly entered = (visit: StateVisit): void => {
    const { state } = visit;
    this.since.set(visit, visit.run.host.now());
    if (state.type === 'wait' || state.type === 'webhook') this.add(visit, `${state.type}: waits for a submission`);
    if (state.type === 'parallel') this.add(visit, `parallel: ${state.branches.length} branches begin`);
    if (state.type === 'subjourney') this.add(visit, `subjourney: ${state.ref} begins`);
  };

  readonly left = (visit: StateVisit, step: { next: string } | { end: { phase: string; error: unknown } }): void => {
    const { state, before, frame } = visit;
    const changes = differences(plain(before), plain(frame.context));
    if ('next' in step) this.add(visit, `${this.said(visit, step.next)} → ${step.next}`, changes);
    else {
      const error = step.end.error as JsonObject | null;
      const why = error ? ` ${String(error.cause ?? error.code)}: ${String(error.reason)}` : '';
      this.add(visit, `${state.type}: ${step.end.phase}${why}`, changes);
    }
  };

  readonly failed: NonNullable<StateListener['failed']> = (visit, { problem: { code, detail, title, hint } }) => {
    this.add(visit, `${visit.state.type}: fails with ${code}: ${detail ?? title}${hint ? ` (${hint})` : ''}`);
  };

  /** An effect was answered. */
  performed(effect: Effect, answer: Json, calls: readonly RecordedCall[], now: number): void {
    const state = effect.label.split(' · ')[0]!;
    this.push({ at: now, state, what: described(effect, answer, calls), changes: [] });
  }

  /** Something reached the run from outside. */
  input(state: string, what: string, now: number): void {
    this.push({ at: now, state, what, changes: [] });
  }

  private said(visit: StateVisit, next: string): string {
    const { state } = visit;
    const took = visit.run.host.now() - this.since.get(visit)!;
    if (state.type === 'timer') return `timer: ${took === 0 ? 'was due' : `waited ${span(took)}`}`;
    if (state.type !== 'wait' && state.type !== 'webhook') return state.type === 'task' ? state.task.kind : state.type;
    const late = state.timeout?.next === next && (next !== state.next || took >= state.timeout.sec * 1000);
    return `${state.type}: ${late ? `nobody submitted it within ${span(took)}` : 'submitted'}`;
  }

  private add({ state, id, frame, run }: StateVisit, what: string, changes: Difference[] = []): void {
    if (this.silent.has(state)) return;
    const within = frame.id === '' ? {} : { within: frame.id };
    const own = run.info.id === virtualId ? {} : { run: run.info.id };
    this.push({ at: run.host.now(), state: id, ...within, ...own, what, changes });
  }

  private push({ at, ...rest }: Omit<TimelineEvent, 'at' | 'sinceStartMs'> & { at: number }): void {
    const event = { at: formatInstant(at), sinceStartMs: at - this.startedAt, ...rest };
    this.events.push(event);
    this.heard(event);
  }
}

function described({ name, input, label }: Effect, answer: Json, calls: readonly RecordedCall[]): string {
  if (name === 'http' && isObject(input)) {
    const error = own(answer, 'error');
    const got = isObject(error)
      ? String(error.type)
      : `${String(own(answer, 'status') ?? 'sent')} ${short(own(answer, 'body'))}`;
    const same = calls.filter(({ method, url }) => method === input.method && url === input.url).length;
    const tries = same > 1 ? `, attempt ${same}` : '';
    return `${String(input.method)} ${String(input.url)} → ${got.trim()}${tries}`;
  }
  const about = label.split(' · ')[1] ?? name;
  return `${about} → ${short(answer)}`;
}

/** A value in little space. */
export function short(value: Json | undefined, most = longest): string {
  if (value === undefined || value === null) return '';
  const text = JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A span of time as people say it: `2d 3h`, `45s`, `250ms`. */
export function span(ms: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
    ['ms', 1],
  ] as const;
  let left = Math.round(ms);
  const parts = units.flatMap(([name, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count > 0 ? [`${count}${name}`] : [];
  });
  return parts.length === 0 ? '0s' : parts.join(' ');
}
