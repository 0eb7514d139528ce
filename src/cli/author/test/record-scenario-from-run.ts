import { writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { type Output, safe } from '../../../app/safe-terminal-text.js';
import { refuse } from '../../../base/problems/problem.js';
import type { Config } from '../../../config/config-types.js';
import { journeyFile, type LoadedJourney, readJourneys } from '../../../library/read-journeys.js';
import { readReferences } from '../../../library/read-library.js';
import { recordScenario } from '../../../scenarios/record/record-scenario.js';
import { connect } from '../../../temporal/connection.js';
import { recordedRun } from '../../../temporal/runs/history/read-run-from-history.js';
import { type CatalogueOptions, catalogueFolders } from '../../options.js';

/** Writes a scenario of a real run beside its journey. The scenario is verified before it is written. */
export async function recordRun(
  id: string,
  paths: readonly string[],
  config: Config,
  options: CatalogueOptions & { out?: string },
  { out }: { out: Output },
): Promise<void> {
  const { client, close } = await connect(config, { timeoutMs: 5_000 });
  const run = await recordedRun(client, id).finally(close);
  const { references } = await readReferences({ ...config, catalogue: catalogueFolders(config, options) });
  const { byName } = await readJourneys(paths, references);
  const { definition, file } = journeyOf(run.input.definition, byName);
  const target =
    options.out ?? join(dirname(file), `${basename(file).replace(journeyFile, '')}.${id.slice(0, 8)}.scenario.yaml`);
  const path = relative(dirname(target), file);
  const recorded = await recordScenario(run, definition, path.startsWith('.') ? path : `./${path}`, `the run ${id}`);
  try {
    writeFileSync(target, recorded.text, { flag: 'wx' });
  } catch (error) {
    refuse('SCENARIO_FILE', `${target} cannot be written: ${(error as Error).message}.`, {
      hint: 'Choose another file with --out.',
    });
  }
  out.write(`${safe(relative('.', target))} written and verified.\n`);
  if (recorded.redacted.length > 0)
    out.write(`Replaced because they look like secrets: ${safe(recorded.redacted.join(', '))}.\n`);
  if (recorded.leftOut.length > 0)
    out.write(`Not compared because they differ between runs: ${safe(recorded.leftOut.join(', '))}.\n`);
}

/** Finds the file of a run's journey. */
function journeyOf(
  { name, version }: { name: string; version: string },
  byName: ReadonlyMap<string, readonly LoadedJourney[]>,
): LoadedJourney {
  const found = byName.get(name)?.find(({ definition }) => definition.version === version);
  return (
    found ??
    refuse('SCENARIO_RECORD', `The run is of ${name} ${version}, which is not in any file here.`, {
      hint: 'Pass the folder of its journey as an argument.',
    })
  );
}
