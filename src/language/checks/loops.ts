import type { Definition, Graph, State } from '../../definition/definition.js';
import type { ReadGraph } from '../../reading/graph.js';
import type { Use } from '../../reading/reading.js';
import { exitsOf, innerGraphs, isStep } from '../../states/graphs.js';
import type { HttpCallTask } from '../../tasks/http-call/read.js';
import type { Uses } from '../flow/uses.js';
import { components } from './cycles.js';
import { allGraphs } from './graphs.js';

/** Reads the clock or the run's own start, which is a way to stop in time. */
const clock = /\b(now|platform\s*\.\s*run|today|millis)\b/;
/** Gives something else at every round. */
const changing = /\b(now|uuid|random|randomInt|millis|platform)\b/;

/** Warns of circles that nothing bounds, and of calls in them that would be made again as if for the first time. */
export function checkLoops(graphs: readonly ReadGraph[], definition: Definition, uses: Uses): void {
  const bounded = definition.execution !== undefined;
  for (const { graph, place, broken } of allGraphs(graphs)) {
    if (broken) continue;
    const states = place.at('states');
    for (const ids of circles(graph)) {
      const loop = new Loop(graph, ids, (id) => uses.in(states.at(id).pointer));
      const names = ids.map((id) => `"${id}"`).join(', ');
      const at = states.at(ids[0]!);
      if (!bounded && loop.isEndless)
        at.warn('LOOP_UNBOUNDED', `No way leads out of the circle of ${names}.`, undefined, 'key');
      else if (!bounded && loop.polls) {
        const message = `The circle of ${names} goes on until a service says otherwise: nothing in it counts or looks at the clock.`;
        at.warn('LOOP_UNBOUNDED', message, undefined, 'key');
      }
      for (const id of loop.repeated())
        states
          .at(id)
          .warn('CALL_REPEATED', `Each round makes the same call again, with a new Idempotency-Key.`, undefined, 'key');
    }
  }
}

/** The groups of states that lead to each other. */
function circles(graph: Graph): string[][] {
  const next = (id: string) => exitsOf(graph.states[id]!).filter((to) => Object.hasOwn(graph.states, to));
  const ids = Object.keys(graph.states);
  return components(ids, next)
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

  /** Somebody's input moves it on; what stands inside a state or is called may wait too. */
  get waits(): boolean {
    return this.members.some(([, state]) => isStep(state) || hidden(state));
  }

  /** No way leads out of it. Calls without a pause are another rule's. */
  get isEndless(): boolean {
    const inside = new Set(this.members.map(([id]) => id));
    const leaves = this.members.some(([, state]) => exitsOf(state).some((to) => !inside.has(to)));
    return !leaves && !this.waits && (this.has('timer') || !this.has('task'));
  }

  private has(type: State['type']): boolean {
    return this.members.some(([, state]) => state.type === type);
  }

  /** It calls and sleeps, and changes nothing itself that could make it stop. */
  get polls(): boolean {
    if (this.waits || !this.has('timer') || !this.has('task') || this.has('transform')) return false;
    return !this.members.some(([id]) => this.usesOf(id).some((use) => clock.test(textOf(use))));
  }

  /** Unsafe calls whose request is the same at every round: a retry that the service cannot tell from a new order. */
  repeated(): string[] {
    if (this.waits) return [];
    const written = this.members.flatMap(([, state]) => writtenBy(state));
    if (written.includes('')) return [];
    return this.members.flatMap(([id, state]) => {
      if (state.type !== 'task' || state.task.kind !== 'httpCall:v1') return [];
      const { method, mode, headers } = state.task as HttpCallTask;
      if ((method !== 'POST' && method !== 'PATCH') || mode === 'notify') return [];
      if (Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key')) return [];
      return this.usesOf(id).some((use) => differs(use, written)) ? [] : [id];
    });
  }
}

/** Whether what happens in a state cannot be seen from its own fields. */
function hidden(state: State): boolean {
  return innerGraphs(state).length > 0 || state.type === 'subjourney';
}

/** The top-level fields that a state writes; the empty name stands for all of them. */
function writtenBy(state: State): string[] {
  if (state.type === 'transform') {
    const { target } = state;
    return [target.kind === 'var' ? target.name : target.kind === 'path' ? target.path[0]! : ''];
  }
  if (state.type !== 'task') return [];
  const { resultVar, authVar, target, errorMapping } = state.task as Partial<HttpCallTask> & {
    authVar?: string;
    target?: unknown;
  };
  if (target !== undefined || errorMapping !== undefined) return [''];
  return [resultVar, authVar].filter((name) => name !== undefined);
}

/** Whether what is sent may be something else at the next round. */
function differs(use: Use, written: readonly string[]): boolean {
  if ('parts' in use.reads)
    return use.reads.parts.some(
      (part) => 'root' in part && (part.root !== 'context' || written.includes(part.path[0]!)),
    );
  const text = textOf(use);
  if (changing.test(text) || /\bcontext\b(?!\s*[.[])/.test(text) || /\bpayload\b/.test(text)) return true;
  return written.some((name) => text.includes(name));
}

function textOf({ place, reads }: Use): string {
  const text = 'parts' in reads ? place.value : place.at('expr').value;
  return typeof text === 'string' ? text : JSON.stringify(place.value);
}
