import type { Definition, Graph, State } from '../../definition/definition.js';
import { allStates, exitsOf, innerGraphs, isStep } from '../../states/graphs.js';
import { components } from '../checks/cycles.js';
import { rests, stateCost, workflowTask } from './state-cost.js';
import { exactly, nothing, orElse, plus, type Range, type Tally } from './tally.js';

/** A way through the journey without going round, from its start to an end. */
export interface PathCost {
  states: string[];
  /** A run that a schedule of the journey starts takes this way. */
  scheduled?: true;
  cost: Range;
  /** History without the data of requests, answers and submissions, in bytes; about. */
  bytes: { least: number; most: number };
}

/** A circle of states, and what one round of it costs. */
export interface LoopCost {
  states: string[];
  perRound: Range;
}

/** A `map`, and what each item of its list adds to the ways through it. */
export interface ItemCost {
  state: string;
  perItem: Range;
}

export interface JourneyCost {
  name: string;
  version: string;
  kind: Definition['kind'];
  definitionBytes: number;
  paths: PathCost[];
  /** How many ways there are, if not all of them are in `paths`. */
  more?: true;
  loops: LoopCost[];
  maps: ItemCost[];
  /** What a compensation adds to the ends that it follows. */
  compensation?: Range;
}

/** So many ways of one graph are looked at; documents that people write have fewer. */
const mostPaths = 200;
/** Fitted to recorded histories: what a start takes besides the definition, and an event. */
const startBytes = 1_100;
const eventBytes = 155;

const scheduledBytes = 2_400;

/** A start with its first workflow task, the update that asks for the answer, and the end. */
const start = exactly({ events: 7 });
/** A start by a schedule: one activity asks what to begin with, another hands on what it ended with. */
const scheduledStart = exactly({ events: 18, activities: 2 });
/** An asynchronous compensation is a run of its own: five events where it is started, five for its own start and end. */
const ownRun = exactly({ events: 10 });

/** What runs of a journey cost, from its graph alone. */
export function costOf(definition: Definition): JourneyCost {
  const { name, version, kind, compensation } = definition;
  const costs = new Costs(definition);
  const definitionBytes = JSON.stringify(definition).length;
  const ways = [definition.start, ...scheduledStarts(definition)].map((from, i) => ({
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
        const bytes = ({ events }: Tally) => first + eventBytes * events;
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

/** Where runs of the journey's own schedules begin. */
function scheduledStarts(definition: Definition): Set<string> {
  const starts = new Set<string>();
  for (const { state } of allStates(definition))
    if (state.type === 'task' && state.task.kind === 'schedule:v1' && 'start' in state.task)
      starts.add(String(state.task.start));
  return starts;
}

class Costs {
  private readonly called = new Map<string, Range>();
  private readonly passes: boolean;

  constructor(private readonly definition: Definition) {
    const { start: first, steps } = definition.http;
    this.passes = [first, ...Object.values(steps)].some(({ headersPassthrough }) => headersPassthrough.length > 0);
  }

  /** A whole way: with its start, its end, and what stands between a caller and the answer. */
  along(graph: Graph, states: readonly string[], scheduled = false): Range {
    const { kind, execution } = this.definition;
    let cost = kind === 'Api' ? nothing : scheduled ? scheduledStart : start;
    let asked = !scheduled;
    let rested = false;
    for (const id of states) {
      const state = graph.states[id]!;
      const own = this.state(state);
      const { most } = state.type === 'map' ? this.inside(state).reduce(plus, own) : own;
      // Whoever waits for an answer does so with a timer of 25 seconds, once anything takes time.
      if (asked && most.activities + most.localActivities > 0) {
        cost = plus(cost, exactly({ events: 2 }));
        asked = false;
      }
      if (rests(state)) [rested, asked] = [true, isStep(state)];
      else if (most.timers + most.steps > 0) [rested, asked] = [true, false];
      cost = plus(cost, own);
    }
    // A run that has rested shows its end, and one with a deadline has a timer for it.
    if (rested) cost = plus(cost, exactly({ events: 1 }));
    if (execution) cost = plus(cost, exactly({ events: 2, timers: 1 }));
    return kind === 'Api' ? withoutHistory(cost) : cost;
  }

  /** A graph inside the run, by whichever way. */
  graph(graph: Graph, beside = false): Range {
    const all = this.paths(graph, graph.start).paths.map((states) =>
      states.map((id) => this.state(graph.states[id]!, beside)).reduce(plus, nothing),
    );
    return all.length === 0 ? nothing : all.reduce(orElse);
  }

  compensation(graph: Graph & { mode: 'sync' | 'async' }): Range {
    const cost = this.graph(graph);
    if (this.definition.kind === 'Api') return withoutHistory(cost);
    return graph.mode === 'async' ? plus(cost, ownRun) : cost;
  }

  /** `beside`: other branches run at the same time, which a local activity would hold up. */
  private state(state: State, beside = false): Range {
    // Nobody knows how long the list of a map will be: its items are told by themselves.
    if (state.type === 'map') return stateCost(state, beside);
    const inside = this.inside(state);
    if (state.type === 'subjourney') inside.push(this.subjourney(state.ref, beside));
    return inside.reduce(plus, stateCost(state, this.passes || beside));
  }

  private inside(state: State): Range[] {
    return innerGraphs(state).map(({ graph }) => this.graph(graph, true));
  }

  private subjourney(ref: string, beside: boolean): Range {
    const key = `${ref} ${beside}`;
    const graph = this.definition.subjourneys[ref];
    const cost = this.called.get(key) ?? (graph ? this.graph(graph, beside) : nothing);
    this.called.set(key, cost);
    return cost;
  }

  /** Each `map`, also inside others, with one item of it. */
  maps(graph: Graph): ItemCost[] {
    return Object.entries(graph.states).flatMap(([id, state]) => {
      const inner = innerGraphs(state);
      const own = state.type === 'map' ? inner.map((it) => ({ state: id, perItem: this.item(state, it.graph) })) : [];
      return [...own, ...inner.flatMap((it) => this.maps(it.graph))];
    });
  }

  private item({ maxConcurrency }: { maxConcurrency: number }, graph: Graph): Range {
    const { least, most } = this.graph(graph, true);
    // What ends together wakes the run together.
    const shared = maxConcurrency > 1 ? workflowTask * (least.activities + least.timers + least.steps) : 0;
    const cost = { least: { ...least, events: least.events - shared }, most };
    return this.definition.kind === 'Api' ? withoutHistory(cost) : cost;
  }

  /** The ways from a state to an end that meet no state twice. */
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
      const exits = [...new Set(exitsOf(state))];
      if (exits.length === 0) paths.push([...met]);
      for (const next of exits) visit(next);
      met.delete(id);
    };
    visit(from);
    return more ? { paths, more } : { paths };
  }

  /** Each group of states that lead to each other, with one round of it at its cheapest and its dearest. */
  loops(graph: Graph): LoopCost[] {
    const ids = Object.keys(graph.states);
    const next = (id: string) => exitsOf(graph.states[id]!).filter((to) => Object.hasOwn(graph.states, to));
    const found = components(ids, next)
      .filter((group) => group.length > 1 || next(group[0]!).includes(group[0]!))
      .map((group) => {
        const members = new Set(group);
        const first = ids.find((id) => members.has(id))!;
        return { states: ids.filter((id) => members.has(id)), perRound: this.round(graph, first, members) };
      });
    const inner = Object.values(graph.states).flatMap((state) =>
      innerGraphs(state).flatMap((it) => this.loops(it.graph)),
    );
    return [...found, ...inner];
  }

  private round(graph: Graph, first: string, members: ReadonlySet<string>): Range {
    const rounds: Range[] = [];
    const met = new Set<string>();
    let looked = 0;
    const visit = (id: string, cost: Range): void => {
      if (++looked > 5_000) return;
      met.add(id);
      const own = plus(cost, this.state(graph.states[id]!));
      for (const next of new Set(exitsOf(graph.states[id]!))) {
        if (next === first) rounds.push(own);
        else if (members.has(next) && !met.has(next)) visit(next, own);
      }
      met.delete(id);
    };
    visit(first, nothing);
    return rounds.length === 0 ? nothing : rounds.reduce(orElse);
  }
}

/** An Api runs in the gateway's process: it has calls, and no history. */
function withoutHistory({ least, most }: Range): Range {
  const bare = (tally: Tally): Tally => ({ ...tally, events: 0, activities: 0, localActivities: 0 });
  return { least: bare(least), most: bare(most) };
}
