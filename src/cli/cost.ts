import type { Command } from 'commander';
import { jsonText, paint, safe } from '../app/terminal.js';
import type { Json } from '../json/value.js';
import { costOf, type JourneyCost } from '../language/cost/cost.js';
import type { Range, Tally } from '../language/cost/tally.js';
import { readApiCatalogue } from '../library/api-documents.js';
import { readJourneys } from '../library/journeys.js';
import { readPlugins, wordsWith } from '../library/plugins.js';
import { findingLine } from './findings.js';
import {
  type CatalogueOptions,
  catalogueFolders,
  configOf,
  configured,
  formatOption,
  withCatalogue,
} from './options.js';
import { table, withHead } from './output.js';

interface Options extends CatalogueOptions {
  config?: string;
  format: 'text' | 'json';
}

/** `journeyman cost`: what runs of a journey cost, before any has run. */
export function costCommand(): Command {
  return withCatalogue(configured('cost'))
    .summary('say what runs of a journey cost')
    .description(
      'Say for each way through a journey how many events it leaves in the history, how many activities, calls, timers and steps it has, and about how many bytes without data. Loops are told for one round, a map for each item. Read from the graph; nothing runs.',
    )
    .argument('[files...]', 'files and folders of journeys (default: the configured specs folder)')
    .addOption(formatOption())
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman cost specs/checkout.journey.yaml
  $ journeyman cost --json | jq '.journeys[] | {name, most: ([.paths[].cost.most.events] | max)}'

A range means that it depends: on a timeout or a submission, on how fast a service answers, on the way a branch takes.`,
    )
    .action(async (paths: string[], options: Options) => {
      const config = configOf(options);
      const { catalogue } = await readApiCatalogue(catalogueFolders(config, options));
      const words = wordsWith(await readPlugins(config.plugins.modules, config.source.baseDir));
      const { byName, findings } = await readJourneys(paths.length > 0 ? paths : [config.specs], { catalogue, words });
      const errors = findings.filter(({ severity }) => severity === 'error');
      for (const finding of errors) console.error(findingLine(finding));
      const journeys = [...byName.values()].flat().map(({ definition }) => costOf(definition));
      if (options.format === 'json') console.log(jsonText({ journeys: journeys as unknown as Json }, 2));
      else console.log(journeys.map(asText).join('\n\n') || 'No journeys there.');
      process.exitCode = errors.length > 0 || journeys.length === 0 ? 1 : 0;
    });
}

const columns: [string, keyof Tally][] = [
  ['events', 'events'],
  ['activities', 'activities'],
  ['local', 'localActivities'],
  ['calls', 'calls'],
  ['timers', 'timers'],
  ['steps', 'steps'],
];

function asText({ name, version, kind, paths, more, loops, maps, compensation, definitionBytes }: JourneyCost): string {
  const colours = paint(process.stdout);
  const cells = ({ least, most }: Range) => columns.map(([, key]) => span(least[key], most[key]));
  const rows = [
    [...columns.map(([title]) => title), 'bytes', 'way'],
    ...paths.map(({ states, scheduled, cost, bytes }) => [
      ...cells(cost),
      kind === 'Api' ? '-' : span(bytes.least, bytes.most),
      `${scheduled ? 'scheduled: ' : ''}${shortened(states).join(' → ')}`,
    ]),
    ...loops.map(({ states, perRound }) => [...cells(perRound), '', `each round of ${shortened(states).join(', ')}`]),
    ...maps.map(({ state, perItem }) => [...cells(perItem), '', `each item of ${state} adds`]),
    ...(compensation ? [[...cells(compensation), '', 'a compensation adds']] : []),
  ];
  const about = kind === 'Api' ? 'an Api: it leaves no history' : `${definitionBytes} bytes of definition`;
  const rest = more ? `\nThere are more ways than these ${paths.length}.` : '';
  return `${colours.bold(`${name} ${version}`)} ${safe(`(${about})`)}\n${table(rows, withHead(colours))}${rest}`;
}

function span(least: number, most: number): string {
  return least === most ? String(least) : `${least}-${most}`;
}

/** A long way by its ends. */
function shortened(states: readonly string[]): string[] {
  return states.length <= 8 ? [...states] : [...states.slice(0, 4), `(${states.length - 7} more)`, ...states.slice(-3)];
}
