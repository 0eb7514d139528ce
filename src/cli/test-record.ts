import { writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { type Output, safe } from '../app/terminal.js';
import type { Config } from '../config/config.js';
import { readApiCatalogue } from '../library/api-documents.js';
import { journeyFile, type LoadedJourney, readJourneys } from '../library/journeys.js';
import { readPlugins, wordsWith } from '../library/plugins.js';
import { refuse } from '../problems/problem.js';
import { recordScenario } from '../scenarios/record/record.js';
import { connect } from '../temporal/connection.js';
import { recordingOf } from '../temporal/recording.js';
import { type CatalogueOptions, catalogueFolders } from './options.js';

/** Writes the scenario of a real run beside its journey. It holds, or nothing is written. */
export async function recordRun(
  id: string,
  paths: readonly string[],
  config: Config,
  options: CatalogueOptions & { out?: string },
  { out }: { out: Output },
): Promise<void> {
  const { client, close } = await connect(config, { timeoutMs: 5_000 });
  const run = await recordingOf(client, id).finally(close);
  const { catalogue } = await readApiCatalogue(catalogueFolders(config, options));
  const words = wordsWith(await readPlugins(config.plugins.modules, config.source.baseDir));
  const { byName } = await readJourneys(paths, { catalogue, words });
  const { definition, file } = journeyOf(run.input.definition, byName);
  const target =
    options.out ?? join(dirname(file), `${basename(file).replace(journeyFile, '')}.${id.slice(0, 8)}.scenario.yaml`);
  const path = relative(dirname(target), file);
  const recorded = await recordScenario(run, definition, path.startsWith('.') ? path : `./${path}`, `the run ${id}`);
  try {
    writeFileSync(target, recorded.text, { flag: 'wx' });
  } catch (error) {
    refuse('SCENARIO_FILE', `${target} cannot be written: ${(error as Error).message}.`, {
      hint: 'Name another file with --out.',
    });
  }
  out.write(`${safe(relative('.', target))} is written; it holds.\n`);
  if (recorded.redacted.length > 0)
    out.write(`Replaced, because they look like secrets: ${safe(recorded.redacted.join(', '))}.\n`);
  if (recorded.leftOut.length > 0)
    out.write(`Not expected, because they differ from run to run: ${safe(recorded.leftOut.join(', '))}.\n`);
}

/** The journey that a run is of, as it stands in a file now. */
function journeyOf(
  { name, version }: { name: string; version: string },
  byName: ReadonlyMap<string, readonly LoadedJourney[]>,
): LoadedJourney {
  const found = byName.get(name)?.find(({ definition }) => definition.version === version);
  return (
    found ??
    refuse('SCENARIO_RECORD', `The run is of ${name} ${version}, which no file here holds.`, {
      hint: 'Name the folder of its journey as an argument.',
    })
  );
}
