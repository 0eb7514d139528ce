import { table } from '../../src/cli/tables-progress-and-failures.js';
import type { State } from '../../src/engine/definition/definition.js';
import { journeyDiagram } from '../../src/graph/journey-diagram.js';
import { layoutDiagram } from '../../src/graph/layout-diagram.js';
import { mulberry } from '../fuzz/loader/mutate.js';
import { journey } from '../support/journey.js';

/** The number of rounds, of which the cheapest counts. CPU time is measured because other work on the machine hardly affects it. */
const rounds = 5;

/** A journey in which every third state is a choice that leads up to `reach` states ahead, and every tenth of these back. */
function large(size: number, reach: number) {
  const random = mulberry(25);
  const at = (i: number) => `s${Math.max(0, Math.min(size - 1, i))}`;
  const state = (i: number): State => {
    if (i === size - 1) return { type: 'succeed' };
    if (reach === 0 || i % 3 > 0)
      return { type: 'transform', mapper: { lang: 'jsonata', expr: '1' }, target: { kind: 'root' }, next: at(i + 1) };
    const to = random() < 0.1 ? i - 10 : i + 1 + Math.floor(random() * reach);
    return {
      type: 'choice',
      choices: [{ when: { lang: 'jsonata', expr: `total > ${i}` }, next: at(to) }],
      default: at(i + 1),
    };
  };
  const states = Object.fromEntries(Array.from({ length: size }, (_, i) => [at(i), state(i)]));
  return journeyDiagram(journey('large', { start: 's0', states }));
}

const rows = [['states', 'choices lead', 'CPU time']];
for (const [size, reach] of [
  [100, 6],
  [300, 0],
  [300, 6],
  [300, 60],
  [900, 6],
] as const) {
  const diagram = large(size, reach);
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rounds; i++) {
    const began = process.cpuUsage();
    layoutDiagram(diagram);
    best = Math.min(best, process.cpuUsage(began).user / 1000);
  }
  rows.push([String(size), reach === 0 ? 'nowhere' : `${reach} states further`, `${Math.round(best)} ms`]);
}
console.log(table(rows));
