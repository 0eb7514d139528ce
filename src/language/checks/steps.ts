import type { Graph } from '../../definition/definition.js';
import type { Place } from '../../document/place.js';
import type { ReadGraph } from '../../reading/graph.js';
import { deepStates, innerGraphs, isStep } from '../../states/graphs.js';
import { allGraphs } from './graphs.js';

type Subjourneys = Readonly<Record<string, Graph>>;

/** Step ids are URLs of one run: no two steps of a file may share one, nor may one step be reached from two concurrent branches. */
export function checkSteps(graphs: readonly ReadGraph[], subjourneys: Subjourneys): void {
  const first = new Map<string, Place>();
  for (const { graph, place } of allGraphs(graphs)) {
    for (const [id, state] of Object.entries(graph.states)) {
      const at = place.at('states').at(id);
      if (state.type === 'parallel') checkBranches(state.branches, at, subjourneys);
      if (!isStep(state)) continue;
      const other = first.get(id);
      if (other) at.error('STEP_ID_DUP', `There is another step "${id}" at ${other.pointer}.`, undefined, 'key');
      else first.set(id, at);
    }
  }
}

function checkBranches(branches: readonly (Graph & { name: string })[], place: Place, subjourneys: Subjourneys): void {
  const owner = new Map<string, string>();
  for (const [i, branch] of branches.entries()) {
    const own = new Set<string>();
    for (const { id, state } of inSubjourneys(branch, subjourneys)) if (isStep(state)) own.add(id);
    for (const id of own) {
      const other = owner.get(id);
      if (other === undefined) owner.set(id, branch.name);
      else
        place
          .at('parallel')
          .at('branches')
          .at(i)
          .error(
            'STEP_ID_DUP',
            `The step "${id}" can be active in the branches "${other}" and "${branch.name}" at once.`,
            'Give each branch a subjourney of its own, with its own step ids.',
          );
    }
  }
}

function* inSubjourneys(branch: Graph, subjourneys: Subjourneys): ReturnType<typeof deepStates> {
  for (const { state } of deepStates(branch, branch.start, {}))
    if (state.type === 'subjourney' && Object.hasOwn(subjourneys, state.ref)) {
      const inner = subjourneys[state.ref]!;
      yield* deepStates(inner, inner.start, subjourneys, new Set([state.ref]));
    }
}

/** Refuses subjourneys that call themselves, directly or through others; warns about those nobody calls. */
export function checkSubjourneys(graphs: readonly ReadGraph[], alsoUsed: ReadonlySet<string>): void {
  const calls = new Map<string, Set<string>>();
  const used = new Set(alsoUsed);
  for (const { graph, within, id } of graphs) {
    const targets = new Set<string>();
    for (const ref of callsOf(graph)) targets.add(ref);
    for (const ref of targets) used.add(ref);
    if (within.role === 'subjourney') calls.set(id, targets);
  }
  for (const { id, place, within } of graphs) {
    if (within.role !== 'subjourney') continue;
    const path = cycle(id, calls);
    if (path) place.error('SUBJ_RECURSION', `The subjourney calls itself: ${path.join(' → ')}.`, undefined, 'key');
    // One that is called by a name nobody knows may be this one.
    const sought = place.report.findings.some(({ code }) => code === 'SUBJ_REF_UNKNOWN');
    if (!used.has(id) && !sought) place.warn('SUBJ_UNUSED', `Nothing calls the subjourney "${id}".`, undefined, 'key');
  }
}

function* callsOf(graph: Graph): Generator<string> {
  for (const state of Object.values(graph.states)) {
    if (state.type === 'subjourney') yield state.ref;
    for (const { graph: inner } of innerGraphs(state)) yield* callsOf(inner);
  }
}

function cycle(from: string, calls: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const seen = new Set<string>();
  const open: string[][] = [[from]];
  for (let path = open.shift(); path; path = open.shift()) {
    for (const next of calls.get(path.at(-1)!) ?? []) {
      if (next === from) return [...path, from];
      if (seen.has(next)) continue;
      seen.add(next);
      open.push([...path, next]);
    }
  }
  return undefined;
}
