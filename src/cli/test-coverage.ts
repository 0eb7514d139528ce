import { relative } from 'node:path';
import { type Paint, safe } from '../app/terminal.js';
import { lineColumnAt } from '../document/locate.js';
import { type Coverage, type CoveredPart, type JourneyCoverage, share } from '../scenarios/coverage.js';
import { sourceOf } from '../scenarios/run-place.js';

/** A state or a transition that no scenario reached. */
export interface Uncovered {
  state: string;
  next?: string;
  line?: number;
  column?: number;
}

/** What scenarios reached, with everything they did not. */
export interface CoverageReport {
  states: ReturnType<typeof share>;
  transitions: ReturnType<typeof share>;
  journeys: {
    journey: string;
    version: string;
    file?: string;
    states: ReturnType<typeof share>;
    transitions: ReturnType<typeof share>;
    uncovered: { states: Uncovered[]; transitions: Uncovered[] };
  }[];
}

/** What scenarios reached of all journeys that were added. */
export async function coverageReport(coverage: Coverage): Promise<CoverageReport> {
  const all = coverage.report().sort((a, b) => (a.journey < b.journey ? -1 : 1));
  return {
    states: share(all.flatMap(({ states }) => states)),
    transitions: share(all.flatMap(({ transitions }) => transitions)),
    journeys: await Promise.all(all.map(ofJourney)),
  };
}

async function ofJourney({ journey, version, file, states, transitions }: JourneyCoverage) {
  const source = file === undefined ? undefined : await sourceOf(file);
  const missing = (parts: readonly CoveredPart[]): Uncovered[] =>
    parts
      .filter(({ taken }) => !taken)
      .map(({ state, next, pointer }) => ({
        state,
        ...(next !== undefined && { next }),
        ...(source && lineColumnAt(source, pointer)),
      }));
  return {
    journey,
    version,
    ...(file !== undefined && { file: relative('.', file) }),
    states: share(states),
    transitions: share(transitions),
    uncovered: { states: missing(states), transitions: missing(transitions) },
  };
}

/** Whether so much was reached, of states and of transitions. */
export function reaches({ states, transitions }: CoverageReport, percent: number): boolean {
  return states.percent >= percent && transitions.percent >= percent;
}

/** The report for people: totals, and what is missing with its place. */
export function coverageText({ states, transitions, journeys }: CoverageReport, colours: Paint): string {
  const shown = (part: ReturnType<typeof share>) => `${part.taken} of ${part.all} (${part.percent} %)`;
  const lines = [`\nCoverage: states ${shown(states)}, transitions ${shown(transitions)}`];
  for (const it of journeys) {
    const { uncovered } = it;
    if (uncovered.states.length + uncovered.transitions.length === 0) continue;
    lines.push(
      `${colours.bold(`  ${it.journey} ${it.version}`)}: states ${shown(it.states)}, transitions ${shown(it.transitions)}`,
    );
    const place = ({ line, column }: Uncovered) =>
      it.file === undefined ? '' : `  ${colours.dim(`${it.file}:${line}:${column}`)}`;
    for (const part of uncovered.states) lines.push(`    not entered: ${safe(part.state)}${place(part)}`);
    const entered = uncovered.transitions.filter(
      ({ state }) => !uncovered.states.some((other) => other.state === state),
    );
    for (const part of entered) lines.push(`    not taken: ${safe(`${part.state} → ${part.next}`)}${place(part)}`);
  }
  return `${lines.join('\n')}\n`;
}
