import { ApplicationFailure } from '@temporalio/common';
import { isObject, type Json, type JsonObject } from '../../../base/json/value.js';
import { ProblemError } from '../../../base/problems/problem.js';
import type { Effect } from '../../../engine/host.js';
import type { TrailCall, TrailEntry, TrailEvent, TrailTimer, TrailVisit } from '../../../service/run-trail.js';
import type {
  OpenCall,
  OpenTimer,
  ReplayedVisit,
  ReplayListener,
  VisitEnd,
} from '../replay/observe-replayed-states.js';

type Draft<T> = { -readonly [K in keyof T]: T[K] };
type DraftVisit = Omit<Draft<TrailVisit>, 'calls' | 'timers' | 'submissions'> & {
  n: number;
  calls?: Draft<TrailCall>[];
  timers?: Draft<TrailTimer>[];
  submissions?: { at: string; payload?: Json }[];
};

/** An entry with the revision of its last change, and of a visit the contexts. */
export interface KeptEntry {
  readonly entry: TrailEntry;
  revision: number;
  before?: JsonObject;
  after?: JsonObject;
}

/** The entries of a trail, built while the run is replayed. */
export class TrailEntries implements ReplayListener {
  readonly kept: KeptEntry[] = [];
  /** The revision of changes from now on. */
  revision = 0;
  /** The execution that is replayed, in the names of its visits. */
  runId = '';
  private readonly visits = new Map<string, { readonly visit: DraftVisit; readonly kept: KeptEntry }>();
  private readonly counts = new Map<string, number>();

  /** Appends an event of the run. */
  add(event: TrailEvent): void {
    this.kept.push({ entry: { n: this.kept.length, ...event }, revision: this.revision });
  }

  entered({ id, within, state, type, n, at, before }: ReplayedVisit): void {
    if (this.visits.has(id)) return;
    const visit: DraftVisit = {
      n: this.kept.length,
      kind: 'visit',
      id,
      state,
      type,
      ...(within !== '' && { within }),
      number: this.count(`${within}/${state}`),
      ...(n !== undefined && { visit: `${this.runId}:${n}` }),
      enteredAt: iso(at),
      outcome: 'running',
    };
    this.keep(visit, before);
  }

  left(id: string, at: number, end: VisitEnd, after: JsonObject): void {
    const found = this.visits.get(id);
    if (!found) return;
    Object.assign(this.changed(found), endOf(end), { leftAt: iso(at) });
    found.kept.after = after;
  }

  called(id: string, at: number, { name, label, input }: Effect): OpenCall {
    const [, ...about] = label.split(' · ');
    return this.call(id, { kind: name, at, about: about.join(' · '), request: input });
  }

  /** Adds a call to a visit. */
  call(id: string, asked: { kind: string; at: number; about: string; request?: Json }): OpenCall {
    const found = this.visits.get(id)!;
    const { kind, at, about, request } = asked;
    const call: Draft<TrailCall> = {
      kind,
      at: iso(at),
      outcome: 'running',
      attempts: 1,
      ...(about !== '' && { about }),
      ...(request !== undefined && { request: shown(request) }),
    };
    const { visit } = found;
    visit.calls ??= [];
    visit.calls.push(call);
    this.changed(found);
    const change = (more: Partial<TrailCall>): void => {
      Object.assign(call, more);
      this.changed(found);
    };
    return {
      attempted: (attempts) => change({ attempts }),
      ended: (ended, result) => change({ endedAt: iso(ended), ...resultOf(result) }),
      abandoned: (ended) => call.outcome === 'running' && change({ endedAt: iso(ended), outcome: 'abandoned' }),
    };
  }

  waits(id: string, at: number, dueAt: number): OpenTimer {
    const found = this.visits.get(id)!;
    const { visit } = found;
    visit.timers ??= [];
    const due = iso(dueAt);
    // After continue-as-new the state waits for the same instant by another timer.
    let timer = visit.timers.find((it) => it.dueAt === due && it.firedAt === undefined && it.cancelledAt === undefined);
    if (!timer) {
      timer = { at: iso(at), dueAt: due };
      visit.timers.push(timer);
      this.changed(found);
    }
    const ended = (more: Partial<TrailTimer>): void => {
      Object.assign(timer, more);
      this.changed(found);
    };
    return {
      fired: (fired) => ended({ firedAt: iso(fired) }),
      stopped: (stopped) => timer.firedAt === undefined && ended({ cancelledAt: iso(stopped) }),
    };
  }

  submitted(id: string, at: number, payload: Json): void {
    const found = this.visits.get(id);
    if (!found) return;
    const visit = this.changed(found);
    visit.submissions ??= [];
    visit.submissions.push({ at: iso(at), payload });
  }

  unclaimed(at: number, signal: { name: string; by: string; payload: Json | undefined }): void {
    const { name, by, payload } = signal;
    this.add({
      kind: 'signal',
      at: iso(at),
      name,
      ...(by !== '' && { by }),
      ...(payload !== undefined && { payload }),
    });
  }

  /** Ends what still runs when the run has ended: nothing in it continues. */
  close(at: number): void {
    for (const found of this.visits.values()) {
      const { visit } = found;
      if (visit.outcome !== 'running') continue;
      Object.assign(this.changed(found), { outcome: 'interrupted', leftAt: iso(at) });
      for (const call of visit.calls ?? [])
        if (call.outcome === 'running') Object.assign(call, { outcome: 'abandoned', endedAt: iso(at) });
      for (const timer of visit.timers ?? [])
        if (timer.firedAt === undefined && timer.cancelledAt === undefined) timer.cancelledAt = iso(at);
    }
  }

  /** Adds a visit of which only an effect is known, or continues the latest one if that is of the same state. */
  guessed(state: string, at: number): string {
    const last = this.kept.at(-1)?.entry;
    if (last?.kind === 'visit' && last.state === state) return last.id;
    const number = this.count(`/${state}`);
    const id = `${state}~${number}`;
    this.keep(
      { n: this.kept.length, kind: 'visit', id, state, number, enteredAt: iso(at), outcome: 'unknown' },
      undefined,
    );
    return id;
  }

  private keep(visit: DraftVisit, before: JsonObject | undefined): void {
    const kept: KeptEntry = { entry: visit, revision: this.revision, ...(before && { before }) };
    this.kept.push(kept);
    this.visits.set(visit.id, { visit, kept });
  }

  private count(place: string): number {
    const number = (this.counts.get(place) ?? 0) + 1;
    this.counts.set(place, number);
    return number;
  }

  private changed({ visit, kept }: { visit: DraftVisit; kept: KeptEntry }): DraftVisit {
    kept.revision = this.revision;
    return visit;
  }
}

function endOf(end: VisitEnd): Pick<TrailVisit, 'outcome' | 'next' | 'code' | 'reason'> {
  if ('interrupted' in end) return { outcome: 'interrupted' };
  if ('failed' in end) return { outcome: 'failed', ...failureOf(end.failed) };
  if ('next' in end.step) return { outcome: 'left', next: end.step.next };
  const { phase, error } = end.step.end;
  if (phase === 'SUCCEEDED' || !error) return { outcome: 'ended' };
  return { outcome: 'failed', code: String(error.cause ?? error.code), reason: error.reason };
}

function resultOf(
  result: { readonly answer: Json } | { readonly failure: Error | undefined },
): Pick<TrailCall, 'outcome' | 'status' | 'code' | 'message' | 'response'> {
  if ('failure' in result) {
    const { code, reason } = failureOf(result.failure);
    return { outcome: 'failed', code, message: reason };
  }
  const { answer } = result;
  const later = isObject(answer) ? answer.retryLater : undefined;
  const final = isObject(later) ? (later.answer ?? null) : answer;
  const { status, error } = isObject(final) ? final : ({} as JsonObject);
  const known = { ...(typeof status === 'number' && { status }), response: shown(final) };
  // A call without an answer is data for its journey, not a failed activity.
  if (isObject(error) && status === undefined)
    return { outcome: 'failed', code: String(error.code ?? error.type), message: String(error.message), ...known };
  return { outcome: isObject(later) ? 'failed' : 'answered', ...known };
}

function failureOf(failure: Error | undefined): { code: string; reason: string } {
  if (failure instanceof ProblemError) {
    const { code, detail, title } = failure.problem;
    return { code, reason: detail ?? title };
  }
  const code = failure instanceof ApplicationFailure ? failure.type : failure?.name;
  return { code: code || 'FAILED', reason: failure?.message ?? '' };
}

/** Headers that carry credentials. */
const hidden: readonly string[] = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key'];

/** A request or response without the sealed cookie jar, the position in a trace, and headers that carry credentials. */
function shown(value: Json): Json {
  if (!isObject(value)) return value;
  const { jar: _, trace: __, ...rest } = value;
  if (!isObject(rest.headers)) return rest;
  const headers = Object.entries(rest.headers).map(([name, it]) => [
    name,
    hidden.includes(name.toLowerCase()) ? '(hidden)' : it,
  ]);
  return { ...rest, headers: Object.fromEntries(headers) as JsonObject };
}

/** An instant as in a trail. */
export function iso(instant: number): string {
  return new Date(instant).toISOString();
}
