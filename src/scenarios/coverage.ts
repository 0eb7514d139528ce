import type { Definition, State } from '../engine/definition/definition.js';
import { vocabulary } from '../language/state-types-and-task-kinds.js';
import { allStates } from '../language/states/graph-traversal.js';
import { nextStates } from '../language/states/state-queries.js';
import { type StateListener, withListener } from './virtual/state-listener.js';

/** A state or transition of a journey, and whether it was taken. */
export interface CoveredPart {
  state: string;
  /** The position of the state in its document. */
  pointer: string;
  /** For a transition: the state it leads to. */
  next?: string;
  taken: boolean;
}

/** The parts of one journey that scenarios reached. */
export interface JourneyCoverage {
  journey: string;
  version: string;
  file?: string;
  states: CoveredPart[];
  transitions: CoveredPart[];
}

interface Parts {
  state: CoveredPart;
  transitions: Map<string, CoveredPart>;
}

/** Counts the states and transitions of journeys that are reached. A journey that is loaded several times counts once. */
export class Coverage implements StateListener {
  /** Runs the states and reports them to the coverage. */
  readonly vocabulary = withListener(vocabulary, this);
  private readonly journeys = new Map<
    string,
    { about: Omit<JourneyCoverage, 'states' | 'transitions'>; parts: Map<string, Parts> }
  >();
  private readonly byState = new WeakMap<State, Parts>();
  private readonly known = new WeakSet<Definition>();

  /** Adds a journey to the count, even if nothing of it is reached. */
  add(definition: Definition, file?: string): void {
    if (this.known.has(definition)) return;
    this.known.add(definition);
    const { name, version } = definition;
    const key = JSON.stringify([name, version]);
    const journey = this.journeys.get(key) ?? { about: { journey: name, version }, parts: new Map<string, Parts>() };
    if (file !== undefined) journey.about.file ??= file;
    this.journeys.set(key, journey);
    for (const { id, state, pointer } of allStates(definition)) {
      const parts = journey.parts.get(pointer) ?? partsOf(id, state, pointer);
      journey.parts.set(pointer, parts);
      this.byState.set(state, parts);
    }
  }

  readonly entered: NonNullable<StateListener['entered']> = ({ state }) => {
    const parts = this.byState.get(state);
    if (parts) parts.state.taken = true;
  };

  readonly left: NonNullable<StateListener['left']> = ({ state }, step) => {
    const transition = 'next' in step ? this.byState.get(state)?.transitions.get(step.next) : undefined;
    if (transition) transition.taken = true;
  };

  report(): JourneyCoverage[] {
    return [...this.journeys.values()].map(({ about, parts }) => ({
      ...about,
      states: [...parts.values()].map(({ state }) => state),
      transitions: [...parts.values()].flatMap(({ transitions }) => [...transitions.values()]),
    }));
  }
}

function partsOf(id: string, state: State, pointer: string): Parts {
  const next = [...new Set(nextStates(state))];
  return {
    state: { state: id, pointer, taken: false },
    transitions: new Map(next.map((it) => [it, { state: id, pointer, next: it, taken: false }])),
  };
}

/** How many of all parts were taken. */
export function coverageShare(parts: readonly CoveredPart[]): { taken: number; all: number; percent: number } {
  const taken = parts.filter((it) => it.taken).length;
  const all = parts.length;
  // Rounded down: a hundred means every one.
  return { taken, all, percent: all === 0 ? 100 : Math.floor((taken / all) * 100) };
}
