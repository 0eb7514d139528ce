import type { Definition, Graph, InboundBinding, State } from '../../definition/definition.js';
import type { Place } from '../../document/place.js';
import type { ReadGraph } from '../../reading/graph.js';
import { deepStates, isStep } from '../../states/graphs.js';
import type { HttpCallTask } from '../../tasks/http-call/read.js';
import { allGraphs } from './graphs.js';

type Subjourneys = Readonly<Record<string, Graph>>;

/** A schedule task: where scheduled runs start, and where that is written. */
export interface ScheduleStart {
  id: string;
  place: Place;
}

/** Every `schedule:v1` task of the document whose start is a state. */
export function scheduleStarts(graphs: readonly ReadGraph[]): ScheduleStart[] {
  const out: ScheduleStart[] = [];
  for (const { graph, place } of allGraphs(graphs))
    for (const [id, state] of Object.entries(graph.states))
      if (state.type === 'task' && state.task.kind === 'schedule:v1' && 'start' in state.task)
        out.push({ id: String(state.task.start), place: place.at('states').at(id).at('task').at('start') });
  return out;
}

/** A scheduled run has no caller: it must not meet a step, however deep. */
export function checkSchedules(main: ReadGraph, starts: readonly ScheduleStart[], subjourneys: Subjourneys): void {
  for (const { id, place } of starts) {
    const steps = [...deepStates(main.graph, id, subjourneys)]
      .filter(({ state }) => isStep(state))
      .map((visit) => `"${visit.id}"`);
    if (steps.length > 0)
      place.error(
        'SCHED_PATH_INTERACTIVE',
        `Scheduled runs from "${id}" can reach ${[...new Set(steps)].join(', ')}, where they wait for input.`,
      );
  }
}

/** A compensation runs when the caller is gone: no steps in it, nor in what it calls. */
export function checkCompensation(read: ReadGraph, subjourneys: Subjourneys): void {
  for (const { graph, place } of allGraphs([read]))
    for (const [id, state] of Object.entries(graph.states)) {
      const at = place.at('states').at(id);
      if (isStep(state)) at.error('COMP_INTERACTIVE', `"${id}" waits for input.`, undefined, 'key');
      if (state.type !== 'subjourney') continue;
      const step = firstIn(state.ref, subjourneys, isStep);
      if (step !== undefined)
        at.error('COMP_INTERACTIVE', `The subjourney "${state.ref}" waits for input at "${step}".`, undefined, 'key');
    }
}

/** A read guard runs while a caller waits and changes nothing: no pauses, no schedules, no attributes. */
export function checkGuard(guard: string, place: Place, subjourneys: Subjourneys): void {
  const found = firstIn(guard, subjourneys, (state) => isStep(state) || forbiddenInGuard(state));
  if (found !== undefined)
    place.error('GUARD_STATE_FORBIDDEN', `The guard's state "${found}" cannot run during a read.`);
}

function forbiddenInGuard(state: State): boolean {
  if (state.type === 'timer') return true;
  if (state.type === 'task') return state.task.kind === 'schedule:v1';
  return state.type === 'transform' && state.target.kind === 'attributes';
}

function firstIn(ref: string, subjourneys: Subjourneys, match: (state: State) => boolean): string | undefined {
  const graph = Object.hasOwn(subjourneys, ref) ? subjourneys[ref] : undefined;
  if (!graph) return undefined;
  for (const { id, state } of deepStates(graph, graph.start, subjourneys, new Set([ref]))) if (match(state)) return id;
  return undefined;
}

/** Warns where the whole context, with credentials in it, would become the output. */
export function checkOutput(main: ReadGraph, { http, subjourneys }: Pick<Definition, 'http' | 'subjourneys'>): void {
  const secret = credential(main.graph, subjourneys) ?? copiedCredential([http.start, ...Object.values(http.steps)]);
  if (secret === undefined) return;
  for (const [id, state] of Object.entries(main.graph.states))
    if (state.type === 'succeed' && state.outputVar === undefined)
      main.place
        .at('states')
        .at(id)
        .warn(
          'OUTPUT_FULL_CONTEXT',
          `Without outputVar the whole context is the output, context.${secret} included.`,
          undefined,
          'key',
        );
}

/** The first variable that holds validated claims, or what a token endpoint answered. */
function credential(graph: Graph, subjourneys: Subjourneys): string | undefined {
  for (const { state } of deepStates(graph, graph.start, subjourneys)) {
    if (state.type !== 'task') continue;
    const { task } = state;
    if (/^(jwt|mtls|apiKey)Validate:/.test(task.kind)) return 'authVar' in task ? String(task.authVar) : 'auth';
    if (task.kind !== 'httpCall:v1') continue;
    const { operation, url, resultVar } = task as HttpCallTask;
    if (resultVar !== undefined && /oauth|token/i.test(operation ?? url)) return resultVar;
  }
  return undefined;
}

/** The first field that a header with credentials is copied to. */
function copiedCredential(bindings: readonly InboundBinding[]): string | undefined {
  return bindings
    .flatMap(({ headersToContext }) => Object.entries(headersToContext))
    .find(([header]) => /^(proxy-)?authorization$|^cookie$|token|api-?key/i.test(header))?.[1];
}
