import type { Place } from '../../../base/document/placed-value.js';
import type { Graph } from '../../../engine/definition/definition.js';
import type { ReadGraph } from '../../read/read-graph.js';
import { statesReachableFrom, subjourneysIn } from '../../states/graph-traversal.js';
import { type InnerGraph, innerGraphs, isStep, subjourneysOf } from '../../states/state-queries.js';
import { allGraphs } from './reachability.js';

type Subjourneys = Readonly<Record<string, Graph>>;

/** Checks that step ids are unambiguous, because they are part of URLs: no two steps share one, and no step can be reached from two concurrent branches. */
export function checkSteps(graphs: readonly ReadGraph[], subjourneys: Subjourneys): void {
  const first = new Map<string, Place>();
  for (const { graph, place } of allGraphs(graphs)) {
    for (const [id, state] of Object.entries(graph.states)) {
      const at = place.at('states').at(id);
      checkBranches(innerGraphs(state), at, subjourneys);
      if (!isStep(state)) continue;
      const other = first.get(id);
      if (other) at.error('STEP_ID_DUP', `There is another step "${id}" at ${other.pointer}.`, undefined, 'key');
      else first.set(id, at);
    }
  }
}

function checkBranches(branches: readonly InnerGraph[], place: Place, subjourneys: Subjourneys): void {
  const owner = new Map<string, string>();
  for (const { graph, at, name = '' } of branches) {
    const own = new Set<string>();
    for (const { id, state } of inSubjourneys(graph, subjourneys)) if (isStep(state)) own.add(id);
    for (const id of own) {
      const other = owner.get(id);
      if (other === undefined) owner.set(id, name);
      else
        at.reduce((it: Place, part) => it.at(part), place).error(
          'STEP_ID_DUP',
          `The step "${id}" can be active in the branches "${other}" and "${name}" at once.`,
          'Give each branch a subjourney of its own, with its own step ids.',
        );
    }
  }
}

function* inSubjourneys(branch: Graph, subjourneys: Subjourneys): ReturnType<typeof statesReachableFrom> {
  for (const { state } of statesReachableFrom(branch, branch.start, {}))
    for (const ref of subjourneysOf(state)) {
      if (!Object.hasOwn(subjourneys, ref)) continue;
      const inner = subjourneys[ref]!;
      yield* statesReachableFrom(inner, inner.start, subjourneys, new Set([ref]));
    }
}

/** Refuses subjourneys that call themselves, directly or indirectly, and warns about those that are never called. */
export function checkSubjourneys(graphs: readonly ReadGraph[], alsoUsed: ReadonlySet<string>): void {
  const calls = new Map<string, Set<string>>();
  const used = new Set(alsoUsed);
  for (const { graph, within, id } of graphs) {
    const targets = new Set(subjourneysIn(graph));
    for (const ref of targets) used.add(ref);
    if (within.role === 'subjourney') calls.set(id, targets);
  }
  for (const { id, place, within } of graphs) {
    if (within.role !== 'subjourney') continue;
    const path = cycle(id, calls);
    if (path) place.error('SUBJ_RECURSION', `The subjourney calls itself: ${path.join(' → ')}.`, undefined, 'key');
    // If a reference to an unknown subjourney is reported, it may be a misspelling of this one.
    const sought = place.report.findings.some(({ code }) => code === 'SUBJ_REF_UNKNOWN');
    if (!used.has(id) && !sought) place.warn('SUBJ_UNUSED', `Nothing calls the subjourney "${id}".`, undefined, 'key');
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
