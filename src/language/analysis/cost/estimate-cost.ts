import type { Definition, Graph, State } from '../../../engine/definition/definition.js';
import { scheduleStarts } from '../../states/graph-traversal.js';
import {
  innerGraphs,
  isFailure,
  isSleep,
  isStep,
  itemsAtOnce,
  nextStates,
  parks,
  roundsAtMost,
  roundsOf,
  stepOf,
  subjourneysOf,
  taskOf,
} from '../../states/state-queries.js';
import { behaviourOf } from '../../tasks/registry.js';
import { stronglyConnectedComponents } from '../checks/busy-cycles.js';
import { type CostRange, type CostTally, exactly, nothing, orElse, plus, upTo, workflowTask } from './cost-counters.js';

/** A parked run updates its search attributes, which is one event. */
const upsertEvent = 1;

const sleepCost = exactly({ events: 2 + upsertEvent + workflowTask, timers: 1 });

/** The cost of a state without its inner graphs. `contended`: a safe effect may need an ordinary activity, because headers are forwarded or other branches run. */
function stateCost(state: State, contended: boolean): CostRange {
  const task = taskOf(state);
  if (task) return pollCost(behaviourOf(task).cost(task, contended), roundsOf(state));
  if (isSleep(state)) return sleepCost;
  const awaited = stepOf(state);
  return awaited ? stepCost(awaited.step.timeout !== undefined) : nothing;
}

/** A task that is repeated up to so many times, with a pause in between. */
function pollCost(once: CostRange, rounds: number): CostRange {
  if (rounds === 1) return once;
  const pauses = { least: nothing.least, most: upTo(rounds - 1, sleepCost).most };
  return plus(upTo(rounds, once), pauses);
}

/** A step ends by an update (accepted and completed), by a signal, or by the timer of its timeout. */
function stepCost(timed: boolean): CostRange {
  const timer = timed ? 2 : 0;
  const base = { steps: 1, timers: timed ? 1 : 0 };
  const submitted = exactly({ ...base, events: upsertEvent + workflowTask + 2 + timer });
  return orElse(submitted, exactly({ ...base, events: upsertEvent + workflowTask + (timed ? timer : 1) }));
}

/** A path through the journey from its start to an end, without repeated states. */
export interface PathCost {
  states: string[];
  /** The path of a run that a schedule of the journey starts. */
  scheduled?: true;
  cost: CostRange;
  /** Approximate size of the history in bytes, without the data of requests, responses and submissions. */
  bytes: { least: number; most: number };
}

/** A cycle of states, or a state that repeats its graph, and the cost of one round. */
export interface LoopCost {
  states: string[];
  perRound: CostRange;
}

/** A `map`, and the cost that each item of its list adds to a path. */
export interface ItemCost {
  state: string;
  perItem: CostRange;
}

export interface JourneyCost {
  name: string;
  version: string;
  kind: Definition['kind'];
  definitionBytes: number;
  paths: PathCost[];
  /** Set if there are more paths than those in `paths`. */
  more?: true;
  loops: LoopCost[];
  maps: ItemCost[];
  /** The cost of the compensation, in addition to the path that it follows. */
  compensation?: CostRange;
}

/** Upper bound for the paths of one graph; typical documents have fewer. */
const mostPaths = 200;
/** Bytes of a start besides the definition, and of an event, fitted to recorded histories. */
const startBytes = 1_100;
const eventBytes = 155;

const scheduledBytes = 2_400;

/** A start with its first workflow task, the update that waits for the response, and the end. */
const start = exactly({ events: 7 });
/** A start by a schedule: one activity loads the context, another stores the final context. */
const scheduledStart = exactly({ events: 18, activities: 2 });
/** An asynchronous compensation is a separate run: five events in the parent, and five for its own start and end. */
const ownRun = exactly({ events: 10 });

/** Estimates the cost of a journey's runs from its graph. */
export function costOf(definition: Definition): JourneyCost {
  const { name, version, kind, compensation } = definition;
  const costs = new Costs(definition);
  const definitionBytes = JSON.stringify(definition).length;
  const ways = [definition.start, ...scheduleStarts(definition)].map((from, i) => ({
    ...costs.paths(definition, from),
    scheduled: i > 0,
  }));
  const more = ways.some((it) => it.more);
  return {
    name,
    version,
    kind,
    definitionBytes,
    paths: ways.flatMap(({ paths, scheduled }) =>
      paths.map((states) => {
        const cost = costs.along(definition, states, scheduled);
        const first = (scheduled ? scheduledBytes : startBytes) + definitionBytes;
        const bytes = ({ events }: CostTally) => first + eventBytes * events;
        const about = { cost, bytes: { least: bytes(cost.least), most: bytes(cost.most) } };
        return { states, ...(scheduled && { scheduled }), ...about };
      }),
    ),
    ...(more && { more }),
    loops: costs.loops(definition),
    maps: [definition, ...Object.values(definition.subjourneys), ...(compensation ? [compensation] : [])].flatMap(
      (graph) => costs.maps(graph),
    ),
    ...(compensation && { compensation: costs.compensation(compensation) }),
  };
}

class Costs {
  private readonly called = new Map<string, CostRange>();
  private readonly passes: boolean;

  constructor(private readonly definition: Definition) {
    const { start: first, steps } = definition.http;
    this.passes = [first, ...Object.values(steps)].some(({ headersPassthrough }) => headersPassthrough.length > 0);
  }

  /** The cost of a whole path: its start, its states, its end, and the timer of a caller that waits for the response. */
  along(graph: Graph, states: readonly string[], scheduled = false): CostRange {
    const { kind, execution } = this.definition;
    let cost = kind === 'Api' ? nothing : scheduled ? scheduledStart : start;
    let callerWaits = !scheduled;
    let parked = false;
    for (const id of states) {
      const state = graph.states[id]!;
      const own = this.state(state);
      const { most } = itemsAtOnce(state) === undefined ? own : this.inside(state).reduce(plus, own);
      // A waiting caller has a timer of 25 seconds. If it ends within the workflow task, after local calls only, it leaves no event.
      if (callerWaits && most.activities + most.localActivities > 0) {
        const timer = exactly({ events: 2 });
        cost = plus(cost, own.least.activities > 0 ? timer : orElse(nothing, timer));
        callerWaits = false;
      }
      if (parks(state)) [parked, callerWaits] = [true, isStep(state)];
      else if (most.timers + most.steps > 0) [parked, callerWaits] = [true, false];
      cost = plus(cost, own);
    }
    // A run that has parked or fails updates its search attributes at its end; a run with a deadline has a timer for it.
    const last = graph.states[states.at(-1)!];
    if (parked || (last && isFailure(last))) cost = plus(cost, exactly({ events: 1 }));
    if (execution) cost = plus(cost, exactly({ events: 2, timers: 1 }));
    return kind === 'Api' ? withoutHistory(cost) : cost;
  }

  /** The cost of a graph inside the run, over all its paths. */
  graph(graph: Graph, beside = false): CostRange {
    const all = this.paths(graph, graph.start).paths.map((states) =>
      states.map((id) => this.state(graph.states[id]!, beside)).reduce(plus, nothing),
    );
    return all.length === 0 ? nothing : all.reduce(orElse);
  }

  compensation(graph: Graph & { mode: 'sync' | 'async' }): CostRange {
    const cost = this.graph(graph);
    if (this.definition.kind === 'Api') return withoutHistory(cost);
    return graph.mode === 'async' ? plus(cost, ownRun) : cost;
  }

  /** `beside`: other branches run at the same time and would be blocked by a local activity. */
  private state(state: State, beside = false): CostRange {
    // The length of a list is not known in advance: the cost of an item is reported separately.
    if (itemsAtOnce(state) !== undefined) return stateCost(state, beside);
    const inside = [...this.inside(state, beside), ...subjourneysOf(state).map((ref) => this.subjourney(ref, beside))];
    return inside.reduce(plus, stateCost(state, this.passes || beside));
  }

  private inside(state: State, beside = false): CostRange[] {
    const rounds = roundsAtMost(state);
    if (rounds === undefined) return innerGraphs(state).map(({ graph }) => this.graph(graph, true));
    return innerGraphs(state).map(({ graph }) => upTo(rounds, this.graph(graph, beside)));
  }

  private subjourney(ref: string, beside: boolean): CostRange {
    const key = `${ref} ${beside}`;
    const graph = this.definition.subjourneys[ref];
    const cost = this.called.get(key) ?? (graph ? this.graph(graph, beside) : nothing);
    this.called.set(key, cost);
    return cost;
  }

  /** The cost of one item for each `map`, including those in inner graphs. */
  maps(graph: Graph): ItemCost[] {
    return Object.entries(graph.states).flatMap(([id, state]) => {
      const inner = innerGraphs(state);
      const atOnce = itemsAtOnce(state);
      const own = atOnce === undefined ? [] : inner.map((it) => ({ state: id, perItem: this.item(atOnce, it.graph) }));
      return [...own, ...inner.flatMap((it) => this.maps(it.graph))];
    });
  }

  private item(atOnce: number, graph: Graph): CostRange {
    const { least, most } = this.graph(graph, true);
    // Items that end together share a workflow task.
    const shared = atOnce > 1 ? workflowTask * (least.activities + least.timers + least.steps) : 0;
    const cost = { least: { ...least, events: least.events - shared }, most };
    return this.definition.kind === 'Api' ? withoutHistory(cost) : cost;
  }

  /** The paths from a state to an end that visit no state twice. */
  paths(graph: Graph, from: string): { paths: string[][]; more?: true } {
    const paths: string[][] = [];
    const met = new Set<string>();
    let more = false;
    let looked = 0;
    const visit = (id: string): void => {
      const state = graph.states[id];
      if (!state || met.has(id)) return;
      if (paths.length >= mostPaths || ++looked > 20_000) {
        more = true;
        return;
      }
      met.add(id);
      const exits = [...new Set(nextStates(state))];
      if (exits.length === 0) paths.push([...met]);
      for (const next of exits) visit(next);
      met.delete(id);
    };
    visit(from);
    return more ? { paths, more } : { paths };
  }

  /** The cycles of a graph, each with the cost of one round. */
  loops(graph: Graph): LoopCost[] {
    const ids = Object.keys(graph.states);
    const next = (id: string) => nextStates(graph.states[id]!).filter((to) => Object.hasOwn(graph.states, to));
    const found = stronglyConnectedComponents(ids, next)
      .filter((group) => group.length > 1 || next(group[0]!).includes(group[0]!))
      .map((group) => {
        const members = new Set(group);
        const first = ids.find((id) => members.has(id))!;
        return { states: ids.filter((id) => members.has(id)), perRound: this.round(graph, first, members) };
      });
    const inner = Object.entries(graph.states).flatMap(([id, state]) =>
      innerGraphs(state).flatMap((it) => [
        ...(roundsAtMost(state) === undefined ? [] : [{ states: [id], perRound: this.graph(it.graph) }]),
        ...this.loops(it.graph),
      ]),
    );
    return [...found, ...inner];
  }

  private round(graph: Graph, first: string, members: ReadonlySet<string>): CostRange {
    const rounds: CostRange[] = [];
    const met = new Set<string>();
    let looked = 0;
    const visit = (id: string, cost: CostRange): void => {
      if (++looked > 5_000) return;
      met.add(id);
      const own = plus(cost, this.state(graph.states[id]!));
      for (const next of new Set(nextStates(graph.states[id]!))) {
        if (next === first) rounds.push(own);
        else if (members.has(next) && !met.has(next)) visit(next, own);
      }
      met.delete(id);
    };
    visit(first, nothing);
    return rounds.length === 0 ? nothing : rounds.reduce(orElse);
  }
}

/** The cost without history: an Api runs in the gateway's process and has no history. */
function withoutHistory({ least, most }: CostRange): CostRange {
  const bare = (tally: CostTally): CostTally => ({ ...tally, events: 0, activities: 0, localActivities: 0 });
  return { least: bare(least), most: bare(most) };
}
