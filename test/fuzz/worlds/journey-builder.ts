import type { JsonObject } from '../../../src/base/json/value.js';
import type { Random } from '../dataweave/random.js';
import type { Fact, Undo } from './facts.js';

/** The language of a journey's expressions. */
export type Lang = 'dataweave' | 'jsonata';

/** The part of a journey in which a piece is placed. */
export interface Where {
  /** Names the graph: what two graphs do at one instant has no order, so they share nothing. */
  graph: string;
  depth: number;
  inItem: boolean;
  inLoop: boolean;
  /** In the journey's own graph, not in a branch, an item or a subjourney. */
  atTop: boolean;
  /** How an expression of the compensation reaches the variables of this graph; absent if it cannot. */
  seenAs?: string;
  /** In an item: takes the calls that the map's own compensation undoes. */
  itemCalls?: string[];
}

/** The variables that every graph has, all numbers. */
export const variables = ['a', 'b', 'c'] as const;

/** Collects the states of one journey, and what each of them means. */
export class JourneyBuilder {
  readonly facts = new Map<string, Fact>();
  readonly subjourneys: JsonObject = {};
  /** Undoings in the order in which the compensation makes them: pieces are built from the end of a graph to its start. */
  readonly undos: { undo: Undo; condition: string; items?: { list: string; calls: string[] } }[] = [];
  readonly features = new Set<string>();
  /** The start state of schedules that the journey creates. */
  schedules = false;
  private count = 0;

  constructor(
    readonly random: Random,
    readonly lang: Lang,
    readonly compensates: boolean,
    /** The number of states after which pieces are simple. */
    private readonly most: number,
  ) {}

  get isLarge(): boolean {
    return this.facts.size >= this.most;
  }

  id(kind: string): string {
    this.count += 1;
    return `${kind}${this.count}`;
  }

  /** Milliseconds that no other time of the journey has, nor the sum of two others, so that ties are rare. */
  ms(seconds: number): number {
    this.count += 1;
    return Math.max(1, seconds * 1_000 + ((this.count ** 3 * 37 + 11) % 997));
  }

  /** An expression that both languages understand, with DataWeave's spelling. */
  expression(text: string): JsonObject {
    const { lang } = this;
    return { lang, expr: lang === 'jsonata' ? text.replaceAll('==', '=').replaceAll('++', '&') : text };
  }

  mapper(text: string): JsonObject {
    return { mapper: this.expression(text) };
  }

  /** Adds a state to a graph, with its meaning. */
  add(states: JsonObject, id: string, state: JsonObject, fact: Fact): string {
    states[id] = state;
    this.facts.set(id, fact);
    return id;
  }

  feature(name: string): void {
    this.features.add(name);
  }
}

/** An ISO-8601 duration. */
export function duration(ms: number): string {
  return `PT${(ms / 1_000).toFixed(3)}S`;
}

/** A state that sets a variable. */
export function setState(builder: JourneyBuilder, text: string, variable: string, next: string): JsonObject {
  const transform: JsonObject = { ...builder.mapper(text), target: { kind: 'var' }, resultVar: variable };
  return { type: 'transform', transform, next };
}

/** A graph of its own. */
export type Built = { start: string; states: JsonObject };

/** Adds states to a graph that lead to `next`, and returns the first of them. */
export type Piece = (builder: JourneyBuilder, states: JsonObject, next: string, where: Where) => string;

/** The instant at which every world begins. */
export const worldStart = Date.UTC(2026, 0, 1);

/** Adds the end of a graph. */
export function graphEnd(
  builder: JourneyBuilder,
  states: JsonObject,
  { fails, named = false }: { fails: boolean; named?: boolean },
): string {
  const id = builder.id('end');
  if (fails) {
    const state = { type: 'fail', errorCode: `FAILED_${id}`, reason: id };
    return builder.add(states, id, state, { is: 'fail', code: `FAILED_${id}` });
  }
  const state = { type: 'succeed', ...(named && { outputVar: 'a' }) };
  return builder.add(states, id, state, { is: 'succeed', ...(named && { outputVar: 'a' }) });
}
