import type { Json, JsonObject } from '../../base/json/value.js';
import { spanParts } from '../../base/time/duration.js';
import { formatInstant } from '../../base/time/instant.js';
import type { Effect } from '../../engine/host.js';
import {
  innerGraphs,
  isSleep,
  isStep,
  itemsAtOnce,
  runsConcurrently,
  stepOf,
  subjourneysOf,
  taskOf,
} from '../../language/states/state-queries.js';
import { effectForm } from '../../language/tasks/registry.js';
import { type Difference, differences } from '../json-differences.js';
import { plainJson } from '../scenario-observation.js';
import type { RecordedCall } from '../scripted-backend.js';
import { virtualId } from '../virtual/simulation.js';
import type { StateListener, StateVisit } from '../virtual/state-listener.js';

/** One event of a simulated run. */
export interface TimelineEvent {
  /** RFC 3339. */
  at: string;
  sinceStartMs: number;
  state: string;
  /** The branches and subjourneys around the state. */
  within?: string;
  /** The scheduled run that it belongs to. */
  run?: string;
  what: string;
  /** Changes of the context by the state; `expected` is the value before. */
  changes: Difference[];
}

const longest = 160;

/** Records the events of states and effects. */
export class Timeline implements StateListener {
  readonly events: TimelineEvent[] = [];
  private readonly since = new WeakMap<StateVisit, number>();

  constructor(
    private readonly startedAt: number,
    /** Receives each event as it happens. */
    private readonly heard: (event: TimelineEvent) => void = () => undefined,
    /** States without events. */
    private readonly silent: ReadonlySet<StateVisit['state']> = new Set(),
  ) {}

  readonly entered = (visit: StateVisit): void => {
    const { state } = visit;
    this.since.set(visit, visit.run.host.now());
    if (isStep(state)) this.add(visit, `${state.type}: waits for a submission`);
    if (runsConcurrently(state) && itemsAtOnce(state) === undefined)
      this.add(visit, `${state.type}: ${innerGraphs(state).length} branches start`);
    for (const ref of subjourneysOf(state)) this.add(visit, `${state.type}: ${ref} starts`);
  };

  readonly left = (visit: StateVisit, step: { next: string } | { end: { phase: string; error: unknown } }): void => {
    const { state, before, frame } = visit;
    const changes = differences(plainJson(before), plainJson(frame.context));
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

  /** Records an answered effect. */
  performed(effect: Effect, answer: Json, calls: readonly RecordedCall[], now: number): void {
    const state = effect.label.split(' · ')[0]!;
    this.push({ at: now, state, what: described(effect, answer, calls), changes: [] });
  }

  /** Records an input of the run. */
  input(state: string, what: string, now: number): void {
    this.push({ at: now, state, what, changes: [] });
  }

  private said(visit: StateVisit, next: string): string {
    const { state } = visit;
    const took = visit.run.host.now() - this.since.get(visit)!;
    if (isSleep(state)) return `${state.type}: ${took === 0 ? 'was due' : `waited ${timeSpan(took)}`}`;
    const awaited = stepOf(state);
    if (!awaited) return taskOf(state)?.kind ?? state.type;
    const { timeout, next: submitted } = awaited.step;
    const late = timeout?.next === next && (next !== submitted || took >= timeout.sec * 1000);
    return `${state.type}: ${late ? `no submission within ${timeSpan(took)}` : 'submitted'}`;
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
  const summary = effectForm(name)?.summary(input, answer);
  if (!summary) return `${label.split(' · ')[1] ?? name} → ${shortJson(answer)}`;
  const { request, result, body } = summary;
  const attempts = calls.filter(({ method, url }) => `${method} ${url}` === request).length;
  const attempt = attempts > 1 ? `, attempt ${attempts}` : '';
  return `${request} → ${`${result} ${shortJson(body)}`.trim()}${attempt}`;
}

/** A value as short JSON. */
export function shortJson(value: Json | undefined, most = longest): string {
  if (value === undefined || value === null) return '';
  const text = JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

const symbols: Readonly<Record<string, string>> = {
  days: 'd',
  hours: 'h',
  minutes: 'm',
  seconds: 's',
  milliseconds: 'ms',
};

/** A span of time in short: `2d 3h`, `45s`, `250ms`. */
export function timeSpan(ms: number): string {
  const parts = spanParts(Math.round(ms)).map(([unit, count]) => `${count}${symbols[unit]}`);
  return parts.length === 0 ? '0s' : parts.join(' ');
}
