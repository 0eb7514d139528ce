import type { Definition, Graph, State } from '../../../engine/definition/definition.js';
import type { Use } from '../../read/document-reading-state.js';
import type { ReadGraph } from '../../read/read-graph.js';
import {
  innerGraphs,
  isComputation,
  isSleep,
  isStep,
  nextStates,
  serviceCallOf,
  subjourneysOf,
  targetsOf,
  taskOf,
} from '../../states/state-queries.js';
import type { Uses } from '../flow/context-shapes.js';
import { stronglyConnectedComponents } from './busy-cycles.js';
import { allGraphs } from './reachability.js';

/** Reads of the clock or of the run's start, with which a loop can limit its time. */
const clock = /\b(now|platform\s*\.\s*run|today|millis)\b/;
/** Values that differ in every round. */
const changing = /\b(now|uuid|random|randomInt|millis|platform)\b/;

/** Warns of cycles without a bound, and of calls in them that every round repeats with a new Idempotency-Key. */
export function checkUnboundedLoops(graphs: readonly ReadGraph[], definition: Definition, uses: Uses): void {
  const bounded = definition.execution !== undefined;
  for (const { graph, place, broken, inRounds } of allGraphs(graphs)) {
    if (broken) continue;
    const states = place.at('states');
    const loopOf = (ids: string[]) => new Loop(graph, ids, (id) => uses.in(states.at(id).pointer));
    const repeated = new Set(inRounds ? loopOf(Object.keys(graph.states)).repeated() : []);
    for (const ids of cyclesOf(graph)) {
      const loop = loopOf(ids);
      const names = ids.map((id) => `"${id}"`).join(', ');
      const at = states.at(ids[0]!);
      if (!bounded && loop.isEndless)
        at.warn('LOOP_UNBOUNDED', `No path leads out of the cycle of ${names}.`, undefined, 'key');
      else if (!bounded && loop.polls) {
        const message = `The cycle of ${names} ends only when a service says so: nothing in it counts or reads the clock.`;
        at.warn('LOOP_UNBOUNDED', message, undefined, 'key');
      }
      for (const id of loop.repeated()) repeated.add(id);
    }
    for (const id of repeated)
      states
        .at(id)
        .warn('CALL_REPEATED', `Each round makes the same call again, with a new Idempotency-Key.`, undefined, 'key');
  }
}

/** The cycles of a graph, each with its states in document order. */
function cyclesOf(graph: Graph): string[][] {
  const next = (id: string) => nextStates(graph.states[id]!).filter((to) => Object.hasOwn(graph.states, to));
  const ids = Object.keys(graph.states);
  return stronglyConnectedComponents(ids, next)
    .filter((group) => group.length > 1 || next(group[0]!).includes(group[0]!))
    .map((group) => {
      const members = new Set(group);
      return ids.filter((id) => members.has(id));
    });
}

class Loop {
  private readonly members: [string, State][];

  constructor(
    graph: Graph,
    ids: readonly string[],
    private readonly usesOf: (id: string) => Use[],
  ) {
    this.members = ids.map((id) => [id, graph.states[id]!]);
  }

  /** Whether a round may wait for input. Inner graphs and subjourneys count as waiting. */
  get waits(): boolean {
    return this.members.some(([, state]) => isStep(state) || runsOthers(state));
  }

  /** Whether no path leads out of the loop. Loops with calls and no pause are reported by `checkBusyCycles`. */
  get isEndless(): boolean {
    const inside = new Set(this.members.map(([id]) => id));
    const leaves = this.members.some(([, state]) => nextStates(state).some((to) => !inside.has(to)));
    return !leaves && !this.waits && (this.has(isSleep) || !this.has(isTask));
  }

  private has(matches: (state: State) => boolean): boolean {
    return this.members.some(([, state]) => matches(state));
  }

  /** Whether the loop calls and sleeps, and computes nothing that could end it. */
  get polls(): boolean {
    if (this.waits || !this.has(isSleep) || !this.has(isTask) || this.has(isComputation)) return false;
    return !this.members.some(([id]) => this.usesOf(id).some((use) => clock.test(textOf(use))));
  }

  /** Unsafe calls with the same request in every round, which the service cannot tell from new orders. */
  repeated(): string[] {
    if (this.waits) return [];
    const written = this.members.flatMap(([, state]) => writtenBy(state));
    if (written.includes('')) return [];
    return this.members.flatMap(([id, state]) => {
      if (!serviceCallOf(state)?.http?.repeatsOrder) return [];
      return this.usesOf(id).some((use) => differs(use, written)) ? [] : [id];
    });
  }
}

/** Whether a state runs other states: inner graphs or subjourneys. */
function runsOthers(state: State): boolean {
  return innerGraphs(state).length > 0 || subjourneysOf(state).length > 0;
}

function isTask(state: State): boolean {
  return taskOf(state) !== undefined;
}

/** The top-level fields that a state writes; an empty name means all fields. */
function writtenBy(state: State): string[] {
  return targetsOf(state).map((target) => {
    if (target.kind === 'var') return target.name;
    return target.kind === 'path' ? target.path[0]! : '';
  });
}

/** Whether the value of a use may differ in the next round. */
function differs(use: Use, written: readonly string[]): boolean {
  if ('parts' in use.reads)
    return use.reads.parts.some(
      (part) => 'root' in part && (part.root !== 'context' || written.includes(part.path[0]!)),
    );
  const text = textOf(use);
  if (changing.test(text) || /\bcontext\b(?!\s*[.[])/.test(text) || /\bpayload\b/.test(text)) return true;
  return written.some((name) => text.includes(name));
}

function textOf({ place }: Use): string {
  return typeof place.value === 'string' ? place.value : JSON.stringify(place.value);
}
