import { equal, isObject, type Json, type JsonObject, own } from '../../../src/base/json/value.js';
import { worldStart } from './journey-builder.js';
import type { EffectCall, Visit, WorldLog } from './log.js';
import type { World } from './world.js';
import { WorldClock } from './world-clock.js';

/** The end of one graph. */
export interface GraphEnd {
  visit: Visit;
  seq: number;
  at: number;
  failed: boolean;
  /** The code of its error. */
  code?: string;
  /** Null for a failure. */
  output: Json;
  kind: string;
}

/** A place in the log. */
export interface Due {
  seq: number;
  at: number;
}

/** A state with inner graphs was decided: unfinished graphs are cut short. */
export interface Decision extends Due {
  /** The frame whose end decided. */
  by: string;
}

const never = Number.POSITIVE_INFINITY;
/** The frame of a compensation; its inner frames are below it. */
export const undoing = 'compensation';

/** Books about one play, derived only from its log. */
export class Books {
  readonly byFrame = new Map<string, Visit[]>();
  /** The frames that a visit started, by name. */
  readonly children = new Map<Visit, Map<string, string>>();
  readonly parents = new Map<string, Visit>();
  readonly effects: EffectCall[];
  private readonly decisions = new Map<Visit, Decision | undefined>();
  private readonly clock: WorldClock;

  constructor(
    readonly world: World,
    readonly log: WorldLog,
  ) {
    this.clock = new WorldClock(worldStart, world.outage);
    const known = new Map<string, Visit>();
    for (const visit of log.visits) {
      known.set(`${visit.frame}/${visit.state}#${visit.number}`, visit);
      const inFrame = this.byFrame.get(visit.frame);
      if (inFrame) inFrame.push(visit);
      else this.byFrame.set(visit.frame, [visit]);
    }
    for (const frame of this.byFrame.keys()) {
      const place = /^(?:(.*)\/)?([^/]+#\d+)\.([^/.]*)$/.exec(frame);
      const parent = place && known.get(`${place[1] ?? ''}/${place[2]}`);
      if (!parent) continue;
      this.parents.set(frame, parent);
      const siblings = this.children.get(parent);
      if (siblings) siblings.set(place[3]!, frame);
      else this.children.set(parent, new Map([[place[3]!, frame]]));
    }
    this.effects = log.visits.flatMap(({ effects }) => effects);
  }

  /** The time at which a due event happens. */
  arrival(due: number): number {
    return this.clock.arrival(due);
  }

  /** The deadline of the run; a compensation has none. */
  deadlineOf(frame: string): number {
    const { deadlineMs = never } = this.world.journey;
    return this.isUndoing(frame) ? never : worldStart + deadlineMs;
  }

  fact(visit: Visit) {
    return this.world.journey.facts.get(visit.state)!;
  }

  child(visit: Visit, name: string): string | undefined {
    return this.children.get(visit)?.get(name);
  }

  /** The last context of a frame. */
  contextOf(frame: string): JsonObject {
    return this.log.frames.get(frame)!.frame.context;
  }

  endOf(frame: string): GraphEnd | undefined {
    const visit = this.byFrame.get(frame)?.at(-1);
    if (!visit?.left || (!visit.end && visit.problem === undefined)) return undefined;
    const { end, problem } = visit;
    return {
      visit,
      seq: visit.left,
      at: visit.leftAt!,
      failed: end?.phase !== 'SUCCEEDED',
      output: end?.output ?? null,
      kind: end?.terminationKind ?? 'RuntimeError',
      ...(end?.error && { code: end.error.code }),
      ...(problem !== undefined && { code: problem }),
    };
  }

  /** Whether a consequential effect started in a frame, or inside it, before `seq`. */
  acted(frame: string, seq = never): boolean {
    const inside = frame === '' ? '' : `${frame}/`;
    return this.effects.some(
      (it) => !it.safe && it.seq < seq && (it.visit.frame === frame || it.visit.frame.startsWith(inside)),
    );
  }

  /** The position from which a frame is cut short: with the whole run, or because an enclosing state was decided. */
  cutOf(frame: string): number {
    return this.log.frames.get(frame)?.scope.cutAt?.seq ?? never;
  }

  /** The position from which it should be cut short: the earliest enclosing cut or decision. */
  dueCutOf(frame: string): Due | undefined {
    const due: Due[] = [];
    for (let visit = this.parents.get(frame); visit; visit = this.parents.get(visit.frame)) {
      const decision = this.decisionOf(visit);
      if (decision) due.push(decision);
    }
    const [cut] = this.log.cuts;
    if (cut && !this.isUndoing(frame)) due.push(cut);
    return due.sort((a, b) => a.seq - b.seq)[0];
  }

  /** Whether a graph was handed over between two states, and cut short at that instant, before it continued. */
  isCutBeforeResumed(frame: string): boolean {
    const { scope } = this.log.frames.get(frame)!;
    const { left, next } = this.byFrame.get(frame)!.at(-1)!;
    const due = this.dueCutOf(frame);
    return next !== undefined && due !== undefined && due.seq > left! && scope.handedOverAt === due.at;
  }

  isUndoing(frame: string): boolean {
    return frame.startsWith(undoing);
  }

  /** The decision of a parallel or a map, derived from the ends of its inner graphs. */
  decisionOf(visit: Visit): Decision | undefined {
    if (!this.decisions.has(visit)) {
      // Graphs that end after the state itself was cut short have no effect on the decision.
      this.decisions.set(visit, undefined);
      const cut = this.cutOf(visit.frame);
      const ends = [...(this.children.get(visit)?.values() ?? [])]
        .flatMap((frame) => {
          const end = this.endOf(frame);
          return end && end.seq < cut ? [{ ...end, by: frame }] : [];
        })
        .sort((a, b) => a.seq - b.seq);
      this.decisions.set(visit, this.decide(visit, ends));
    }
    return this.decisions.get(visit);
  }

  private decide(visit: Visit, ends: (GraphEnd & { by: string })[]): Decision | undefined {
    const fact = this.fact(visit);
    const total = fact.is === 'parallel' ? fact.branches.length : fact.is === 'map' ? this.itemsOf(visit).length : 0;
    let failed = 0;
    for (const [i, end] of ends.entries()) {
      if (end.failed) failed += 1;
      const isAll = i + 1 === total;
      const succeeded = i + 1 - failed;
      const isDecided =
        fact.is === 'parallel'
          ? isAll || fact.strategy !== 'allOf' || (fact.errorPolicy === 'failFast' && failed > 0)
          : fact.is === 'map' && (isAll || failed > fact.tolerated || succeeded >= (fact.enough ?? never));
      if (isDecided) return end;
    }
    return undefined;
  }

  /** A state was decided at the instant at which one of its graphs started: their order is undefined. */
  get hasRaces(): boolean {
    for (const [visit, frames] of this.children) {
      const decision = this.decisionOf(visit);
      if (!decision || frames.size < 2) continue;
      for (const frame of frames.values()) if (this.byFrame.get(frame)![0]!.enteredAt === decision.at) return true;
    }
    return false;
  }

  /** The list of a map's items. */
  itemsOf(visit: Visit): readonly Json[] {
    const fact = this.fact(visit);
    if (fact.is !== 'map') return [];
    if (!fact.list) return fact.items;
    const list = fact.list.reduce<Json>((value, name) => own(value, name) ?? null, visit.before);
    return Array.isArray(list) ? list : [];
  }

  /** The instant at which a state that was decided, or a run that was cut short, can end: unsafe effects are awaited. */
  settledAt(seq: number, at: number, frames: (frame: string) => boolean): number {
    let latest = at;
    for (const it of this.effects)
      if (!it.safe && it.seq < seq && (it.answered ?? never) > seq && frames(it.visit.frame))
        latest = Math.max(latest, it.answeredAt ?? never);
    return latest;
  }
}

/** A copy with one field. */
export function withValue(object: JsonObject, name: string, value: Json): JsonObject {
  return { ...object, [name]: value };
}

/** A copy without the last submission. */
export function withoutPayload({ payload: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Applies the changes from `before` to `after` to `target`: objects field by field, other values as a whole. */
export function mergeChanges(target: JsonObject, before: JsonObject, after: JsonObject): JsonObject {
  const out = { ...target };
  for (const name of Object.keys(before)) if (!(name in after)) delete out[name];
  for (const [name, value] of Object.entries(after)) {
    const [was, there] = [before[name], out[name]];
    if (equal(was, value)) continue;
    out[name] = isObject(value) && isObject(there) ? mergeChanges(there, isObject(was) ? was : {}, value) : value;
  }
  return out;
}

/** Shortened JSON, for messages. */
export function shown(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
