import { relative } from 'node:path';
import { type Paint, safe } from '../../../app/safe-terminal-text.js';
import { lineColumnAt } from '../../../base/document/locate-pointer.js';
import { type Coverage, type CoveredPart, coverageShare, type JourneyCoverage } from '../../../scenarios/coverage.js';
import { readSourceFile } from '../../../scenarios/locate-run-end-in-source.js';

/** A state or a transition that no scenario reached. */
export interface Uncovered {
  state: string;
  next?: string;
  line?: number;
  column?: number;
}

/** Coverage of states and transitions, with the uncovered ones. */
export interface CoverageReport {
  states: ReturnType<typeof coverageShare>;
  transitions: ReturnType<typeof coverageShare>;
  journeys: {
    journey: string;
    version: string;
    file?: string;
    states: ReturnType<typeof coverageShare>;
    transitions: ReturnType<typeof coverageShare>;
    uncovered: { states: Uncovered[]; transitions: Uncovered[] };
  }[];
}

/** Computes the coverage of all added journeys. */
export async function coverageReport(coverage: Coverage): Promise<CoverageReport> {
  const all = coverage.report().sort((a, b) => (a.journey < b.journey ? -1 : 1));
  return {
    states: coverageShare(all.flatMap(({ states }) => states)),
    transitions: coverageShare(all.flatMap(({ transitions }) => transitions)),
    journeys: await Promise.all(all.map(ofJourney)),
  };
}

async function ofJourney({ journey, version, file, states, transitions }: JourneyCoverage) {
  const source = file === undefined ? undefined : await readSourceFile(file);
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
    states: coverageShare(states),
    transitions: coverageShare(transitions),
    uncovered: { states: missing(states), transitions: missing(transitions) },
  };
}

/** Reports whether the coverage of states and of transitions reaches the threshold. */
export function meetsThreshold({ states, transitions }: CoverageReport, percent: number): boolean {
  return states.percent >= percent && transitions.percent >= percent;
}

/** The report as text: totals, and uncovered parts with their location. */
export function coverageText({ states, transitions, journeys }: CoverageReport, colours: Paint): string {
  const shown = (part: ReturnType<typeof coverageShare>) => `${part.taken} of ${part.all} (${part.percent} %)`;
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
