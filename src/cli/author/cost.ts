import type { Command } from 'commander';
import { paint, safe, safeJson } from '../../app/safe-terminal-text.js';
import type { Json } from '../../base/json/value.js';
import type { CostRange, CostTally } from '../../language/analysis/cost/cost-counters.js';
import { costOf, type JourneyCost } from '../../language/analysis/cost/estimate-cost.js';
import { readJourneys } from '../../library/read-journeys.js';
import { readReferences } from '../../library/read-library.js';
import {
  type CatalogueOptions,
  catalogueFolders,
  commandWithConfig,
  configOf,
  formatOption,
  withCatalogue,
} from '../options.js';
import { table, withHead } from '../tables-progress-and-failures.js';
import { documentFiles } from './document-files.js';
import { findingLine } from './print-findings.js';

interface Options extends CatalogueOptions {
  config?: string;
  format: 'text' | 'json';
}

/** `journeyman cost`: estimates the cost of runs from the graph. */
export function costCommand(): Command {
  return withCatalogue(commandWithConfig('cost'))
    .summary('estimate the cost of runs of a journey')
    .description(
      'Estimate history events, activities, calls, timers, steps and bytes (without data) for each path through a journey. Loops count once, maps per item. Computed from the graph; nothing is executed.',
    )
    .argument(
      '[journeys...]',
      'names of journeys in the configured specs folder, or files and folders (default: that folder)',
    )
    .addOption(formatOption())
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman cost checkout
  $ journeyman cost specs/checkout.journey.yaml
  $ journeyman cost --json | jq '.journeys[] | {name, most: ([.paths[].cost.most.events] | max)}'

A range means that the figure depends on a timeout, a submission, the latency of a service, or the path of a branch.`,
    )
    .action(async (paths: string[], options: Options) => {
      const config = configOf(options);
      const { references } = await readReferences({ ...config, catalogue: catalogueFolders(config, options) });
      const given = paths.length > 0 ? await documentFiles(paths, config, references) : [config.specs];
      const { byName, findings } = await readJourneys(given, references);
      const errors = findings.filter(({ severity }) => severity === 'error');
      for (const finding of errors) console.error(findingLine(finding));
      const journeys = [...byName.values()].flat().map(({ definition }) => costOf(definition));
      if (options.format === 'json') console.log(safeJson({ journeys: journeys as unknown as Json }, 2));
      else console.log(journeys.map(asText).join('\n\n') || 'No journeys found.');
      process.exitCode = errors.length > 0 || journeys.length === 0 ? 1 : 0;
    });
}

const columns: [string, keyof CostTally][] = [
  ['events', 'events'],
  ['activities', 'activities'],
  ['local', 'localActivities'],
  ['calls', 'calls'],
  ['timers', 'timers'],
  ['steps', 'steps'],
];

function asText({ name, version, kind, paths, more, loops, maps, compensation, definitionBytes }: JourneyCost): string {
  const colours = paint(process.stdout);
  const cells = ({ least, most }: CostRange) => columns.map(([, key]) => span(least[key], most[key]));
  const rows = [
    [...columns.map(([title]) => title), 'bytes', 'path'],
    ...paths.map(({ states, scheduled, cost, bytes }) => [
      ...cells(cost),
      kind === 'Api' ? '-' : span(bytes.least, bytes.most),
      `${scheduled ? 'scheduled: ' : ''}${shortened(states).join(' → ')}`,
    ]),
    ...loops.map(({ states, perRound }) => [
      ...cells(perRound),
      '',
      `each iteration of ${shortened(states).join(', ')}`,
    ]),
    ...maps.map(({ state, perItem }) => [...cells(perItem), '', `each item of ${state} adds`]),
    ...(compensation ? [[...cells(compensation), '', 'compensation adds']] : []),
  ];
  const about = kind === 'Api' ? 'an Api: no history' : `${definitionBytes} bytes of definition`;
  const rest = more ? `\nOnly the first ${paths.length} paths are shown.` : '';
  return `${colours.bold(`${name} ${version}`)} ${safe(`(${about})`)}\n${table(rows, withHead(colours))}${rest}`;
}

function span(least: number, most: number): string {
  return least === most ? String(least) : `${least}-${most}`;
}

/** Shortens a long path to its ends. */
function shortened(states: readonly string[]): string[] {
  return states.length <= 8 ? [...states] : [...states.slice(0, 4), `(${states.length - 7} more)`, ...states.slice(-3)];
}
