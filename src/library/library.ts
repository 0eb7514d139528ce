import type { Config } from '../config/config.js';
import type { LoadOptions, ProfileFacts } from '../reading/load-options.js';
import { type Library, libraryOf } from '../service/library.js';
import { readApiCatalogue } from './api-documents.js';
import { type FileFinding, readJourneys } from './journeys.js';
import { readPipelines } from './pipelines.js';
import { readPlugins, wordsWith } from './plugins.js';

/** The journeys, Apis and pipelines that a folder holds, and what was wrong with its files; a document with errors is not in the library. */
export interface FolderLibrary extends Library {
  readonly findings: readonly FileFinding[];
}

/** The profiles that tasks may name, by kind. A kind without any is left out: its profiles are configured elsewhere, or not yet. */
export function profilesOf({ modules: _, ...auth }: Config['plugins']): NonNullable<LoadOptions['profiles']> {
  const byKind = Object.entries(auth).map(([plugin, { profiles }]) => {
    const facts = Object.entries(profiles).map(([name, profile]): [string, ProfileFacts] => {
      // A certificate stands nowhere but in its connection.
      const lacksSource = plugin !== 'mtlsValidate' && (profile as { source?: unknown }).source === undefined;
      return [name, { lacksSource }];
    });
    return [`${plugin}:v1`, Object.fromEntries(facts)] as const;
  });
  return Object.fromEntries(byKind.filter(([, facts]) => Object.keys(facts).length > 0));
}

/** Reads the configured specs folder and OpenAPI catalogue. */
export async function readLibrary({
  specs,
  catalogue: folders,
  limits,
  plugins,
  source,
}: Pick<Config, 'specs' | 'catalogue'> & Partial<Config>): Promise<FolderLibrary> {
  const { catalogue, findings: apiFindings } = await readApiCatalogue(folders);
  const options = {
    catalogue,
    words: wordsWith(await readPlugins(plugins?.modules ?? [], source?.baseDir)),
    ...(limits && { minScheduleIntervalSec: limits.scheduleIntervalSec }),
    ...(plugins && { profiles: profilesOf(plugins) }),
  };
  const journeys = await readJourneys([specs], options);
  const { byName, findings } = journeys;
  const newest = [...byName.keys()].sort().map((name) => byName.get(name)![0]!);
  const { pipelines, findings: pipelineFindings } = await readPipelines([specs], journeys, options);
  return { ...libraryOf(newest, pipelines), findings: [...apiFindings, ...findings, ...pipelineFindings] };
}
