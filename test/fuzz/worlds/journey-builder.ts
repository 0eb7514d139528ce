import type { JsonObject } from '../../../src/base/json/value.js';
import type { Random } from '../dataweave/random.js';
import type { Fact, Undo } from './facts.js';

/** The language of a journey's expressions. */
export type Lang = 'dataweave' | 'jsonata';

/** The location of a piece in a journey. */
export interface Where {
  /** Names the graph: concurrent effects of two graphs are unordered, so graphs share nothing. */
  graph: string;
  depth: number;
  inItem: boolean;
  inLoop: boolean;
  /** In the journey's top-level graph, not in a branch, an item or a subjourney. */
  atTop: boolean;
  /** How an expression of the compensation reaches the variables of this graph; absent if it cannot. */
  seenAs?: string;
  /** In an item: collects the calls that the map's own compensation undoes. */
  itemCalls?: string[];
}

/** The variables that every graph has, all numbers. */
export const variables = ['a', 'b', 'c'] as const;

/** Collects the states of one journey with their meanings. */
export class JourneyBuilder {
  readonly facts = new Map<string, Fact>();
  readonly subjourneys: JsonObject = {};
  /** Undo calls in the order of the compensation: pieces are built from the end of a graph to its start. */
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

  /** Milliseconds that differ from every other time of the journey and from the sum of two others, so that ties are rare. */
  ms(seconds: number): number {
    this.count += 1;
    return Math.max(1, seconds * 1_000 + ((this.count ** 3 * 37 + 11) % 997));
  }

  /** An expression that is valid in both languages, in DataWeave's spelling. */
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

/** A separate graph. */
export type Built = { start: string; states: JsonObject };

/** Adds states to a graph that lead to `next`, and returns the first of them. */
export type Piece = (builder: JourneyBuilder, states: JsonObject, next: string, where: Where) => string;

/** The start instant of every world. */
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
