import type { TimeScale } from '../../base/time/time-scale.js';
import type { Graph, Target, Task } from '../../engine/definition/definition.js';
import type { Frame } from '../../engine/frame.js';
import { behaviourOf } from '../tasks/registry.js';
import type { ServiceCall, StoppedSchedules, TaskCredential } from '../tasks/task-kind.js';
import type { DataFlow } from './context-reads-and-writes.js';
import { type State, stateTypes } from './registry.js';
import type {
  AwaitedStep,
  Edge,
  GraphEnd,
  MigrationConflict,
  Path,
  StateDifference,
  StateMigration,
  StateType,
} from './state-type.js';

function typeOf(state: State): StateType<State> {
  return stateTypes.get(state.type)!;
}

/** Edges from a state to other states of its graph. */
export function edgesOf(state: State): Edge[] {
  return typeOf(state)
    .exits(state)
    .filter((exit) => 'to' in exit);
}

/** The ends of a graph at a state; empty if the state always leads to another state. */
export function terminalExits(state: State): GraphEnd[] {
  return typeOf(state)
    .exits(state)
    .filter((exit) => 'end' in exit);
}

/** The states of the same graph that a state leads to. */
export function nextStates(state: State): string[] {
  return edgesOf(state).map(({ to }) => to);
}

/** Whether a run can end at a state. */
export function isTerminal(state: State): boolean {
  return terminalExits(state).length > 0;
}

/** Whether a state ends the run with a failure of the author's. */
export function isFailure(state: State): boolean {
  return terminalExits(state).some(({ end }) => end === 'FAILED');
}

/** A few words on what happens in a state. */
export function captionOf(state: State): string {
  return typeOf(state).caption(state);
}

/** The task of a state, if it is one. */
export function taskOf(state: State): Task | undefined {
  const awaited = typeOf(state).awaits(state);
  return awaited && 'task' in awaited ? awaited.task : undefined;
}

/** The most rounds of a state's task; 1 unless the state repeats it. */
export function roundsOf(state: State): number {
  const awaited = typeOf(state).awaits(state);
  return (awaited && 'task' in awaited && awaited.rounds) || 1;
}

/** The call of a service that the task of a state makes, if it makes one. */
export function serviceCallOf(state: State): ServiceCall | undefined {
  const task = taskOf(state);
  return task && behaviourOf(task).call(task);
}

/** The credential that the task of a state brings into the context, if it brings one. */
export function credentialOf(state: State): TaskCredential | undefined {
  const task = taskOf(state);
  return task && behaviourOf(task).credential(task);
}

/** The step of a state, if it waits for input. */
export function stepOf(state: State): AwaitedStep | undefined {
  const awaited = typeOf(state).awaits(state);
  return awaited && 'step' in awaited ? awaited : undefined;
}

/** Whether a state waits for input. */
export function isStep(state: State): boolean {
  return stepOf(state) !== undefined;
}

/** Whether a state sleeps. */
export function isSleep(state: State): boolean {
  const awaited = typeOf(state).awaits(state);
  return awaited !== undefined && 'timer' in awaited;
}

/** Whether a run parks at a state: it waits for time to pass, or for input. */
export function parks(state: State): boolean {
  return isSleep(state) || isStep(state);
}

/** Whether a state only computes values for the context. */
export function isComputation(state: State): boolean {
  return typeOf(state).instant && targetsOf(state).length > 0;
}

/** Reads and writes of the context by a state. */
export function dataOf(state: State): DataFlow<State> {
  return typeOf(state).data;
}

/** Every target that a state may write. */
export function targetsOf(state: State): readonly Target[] {
  return dataOf(state).writes(state);
}

/** A state with its times shortened. */
export function scaleState(state: State, scale: TimeScale): State {
  return typeOf(state).scale(state, scale);
}

/** Differences between two versions of a state that callers notice; none between states of two types. */
export function stateDifferences(before: State, after: State, id: string): StateDifference[] {
  return before.type === after.type ? typeOf(before).compare(before, after, id) : [];
}

/** Checks a run in the middle of a state against another version of that state; both are of one type. */
export function stateMigrationConflict(
  before: State,
  after: State,
  frame: Frame,
  migration: StateMigration,
): MigrationConflict | undefined {
  return typeOf(after).migrate(before, after, frame, migration);
}

/** A graph inside a state and its location below that state. */
export interface InnerGraph {
  graph: Graph;
  at: Path;
  name?: string;
}

/** The graphs inside a state. */
export function innerGraphs(state: State): InnerGraph[] {
  const found: InnerGraph[] = [];
  typeOf(state).inner.map(state, (graph, at, name) => {
    found.push({ graph, at, ...(name !== undefined && { name }) });
    return graph;
  });
  return found;
}

/** The way in which a state runs the graphs inside it. */
export function innerRuns(state: State): ReturnType<StateType['inner']['runs']> {
  return typeOf(state).inner.runs(state);
}

/** The number of items that a state runs at once, if it runs its graph for each item of a list. */
export function itemsAtOnce(state: State): number | undefined {
  const runs = innerRuns(state);
  return typeof runs === 'object' && 'itemsAtOnce' in runs ? runs.itemsAtOnce : undefined;
}

/** The most rounds of a state that runs its graph several times in sequence. */
export function roundsAtMost(state: State): number | undefined {
  const runs = innerRuns(state);
  return typeof runs === 'object' && 'roundsAtMost' in runs ? runs.roundsAtMost : undefined;
}

/** Whether a state runs graphs inside it concurrently. */
export function runsConcurrently(state: State): boolean {
  return innerGraphs(state).length > 0 && roundsAtMost(state) === undefined;
}

/** The subjourneys that a state calls itself. */
export function subjourneysOf(state: State): readonly string[] {
  return typeOf(state).inner.calls(state);
}

/** A graph with every state changed, including those of the graphs inside it. */
export function mapStates<G extends Graph>(graph: G, change: (state: State) => State): G {
  const states = Object.entries(graph.states).map(([id, state]) => {
    const inner = typeOf(state).inner.map(state, (it) => mapStates(it, change));
    return [id, change(inner)];
  });
  return { ...graph, states: Object.fromEntries(states) as Graph['states'] };
}

/** The state at which the runs of a schedule start, if the state creates a schedule. */
export function scheduleStart(state: State): string | undefined {
  const task = taskOf(state);
  return task && behaviourOf(task).scheduledStart(task);
}

/** The schedules that a state stops, if it stops any. */
export function schedulesStoppedBy(state: State): StoppedSchedules | undefined {
  const task = taskOf(state);
  return task && behaviourOf(task).stops(task);
}
