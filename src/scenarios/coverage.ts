import type { Definition, State } from '../definition/definition.js';
import { vocabulary } from '../language/vocabulary.js';
import { allStates, exitsOf } from '../states/graphs.js';
import { listening, type StateListener } from './virtual/listening.js';

/** A state of a journey, or a way on from it, that was taken or not. */
export interface CoveredPart {
  state: string;
  /** Where the state stands in its document. */
  pointer: string;
  /** For a transition: the state it leads to. */
  next?: string;
  taken: boolean;
}

/** What scenarios reached of one journey. */
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

/** Counts which states and transitions of journeys are reached. A journey may be read more than once: it counts as one. */
export class Coverage implements StateListener {
  /** What runs the states, and tells us. */
  readonly vocabulary = listening(vocabulary, this);
  private readonly journeys = new Map<
    string,
    { about: Omit<JourneyCoverage, 'states' | 'transitions'>; parts: Map<string, Parts> }
  >();
  private readonly byState = new WeakMap<State, Parts>();
  private readonly known = new WeakSet<Definition>();

  /** Has a journey counted, also where nothing of it is reached. */
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
  const next = [...new Set(exitsOf(state))];
  return {
    state: { state: id, pointer, taken: false },
    transitions: new Map(next.map((it) => [it, { state: id, pointer, next: it, taken: false }])),
  };
}

/** How many of all parts were taken. */
export function share(parts: readonly CoveredPart[]): { taken: number; all: number; percent: number } {
  const taken = parts.filter((it) => it.taken).length;
  const all = parts.length;
  // Rounded down: a hundred means every one.
  return { taken, all, percent: all === 0 ? 100 : Math.floor((taken / all) * 100) };
}
