import { readFileSync, writeFileSync } from 'node:fs';
import { parts } from '../parts/index.js';
import type { Measure } from '../parts/part.js';
import { barChart } from './bar-chart.js';
import { lineChart } from './line-chart.js';
import { keptResults, type PartResults, type Sample } from './results.js';
import { markdown, tableOf } from './table.js';

const page = 'docs/benchmarks.md';

/** Writes the charts and the generated blocks of the page from the stored data of all parts. */
export function writePage(): void {
  const missing = parts.filter(({ name }) => !keptResults(name)).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`These parts have not run here yet: ${missing.join(', ')}.`);
  const results = parts.map(({ name }) => keptResults(name)!);
  const samples = results.flatMap((it) => it.samples);
  const [whole, apart] = [false, true].map((it) =>
    parts.filter((part) => it === (part.apart ?? false)).flatMap(({ measures }) => measures),
  ) as [Measure[], Measure[]];
  const table = (which: readonly Measure[]) => markdown(tableOf(which, samples));
  const charted = [...whole, ...apart].filter(({ noChart }) => !noChart);
  const blocks = {
    circumstances: circumstances(results),
    table: table(whole.filter(({ sizes }) => sizes === undefined)),
    sizes: table(whole.filter(({ sizes }) => sizes !== undefined)),
    apart: table(apart),
    charts: gallery(charted),
  };
  const text = Object.entries(blocks).reduce((page, block) => replaced(page, ...block), readFileSync(page, 'utf8'));
  writeFileSync(page, text);
  for (const measure of charted) writeFileSync(`docs/${picture(measure)}`, chart(measure, samples));
  console.log(`Wrote ${page} and its charts.`);
}

const picture = ({ id }: Measure): string => `pictures/bench-${id}.svg`;

function chart(measure: Measure, samples: readonly Sample[]): string {
  const own = samples.filter((it) => it.measure === measure.id);
  return measure.sizes === undefined ? barChart(measure, own) : lineChart(measure, own);
}

/** Two adjacent charts. */
function gallery(measures: readonly Measure[]): string {
  const images = measures.map((it) => `![${it.title}, ${it.unit}](${picture(it)})`);
  const rows = images.flatMap((image, i) => (i % 2 === 0 ? [[image, images[i + 1] ?? '']] : []));
  return markdown([['', ''], ...rows]).replaceAll('---:', '---');
}

function circumstances(results: readonly PartResults[]): string {
  const all = <T>(of: (it: PartResults) => T) => [...new Set(results.map(of))].join(', ');
  const least = Math.min(...results.map((it) => it.repeats));
  const minutes = Math.round(results.reduce((sum, it) => sum + it.seconds, 0) / 60);
  return `Measured on ${all((it) => it.date.slice(0, 10))} at commit ${all((it) => it.commit)}, with at least ${least} repeats, in ${minutes} minutes: ${all(
    ({ machine: { cores, cpu, memoryGb } }) => `${cores} cores (${cpu}), ${memoryGb} GB`,
  )}, Node ${all((it) => it.machine.node)}, Temporal CLI ${all((it) => it.machine.server)}.`;
}

/** Replaces the content between the markers of a block. */
function replaced(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- bench ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} lacks the marks of ${name}.`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}
