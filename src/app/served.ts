import type { Client } from '@temporalio/client';
import type { Config } from '../config/config.js';
import type { FileFinding } from '../library/journeys.js';
import { entriesOf, type LiveLibrary } from '../library/live.js';
import type { LibraryEntry } from '../service/library.js';
import { connect } from '../temporal/connection.js';
import { changedSinceRun } from '../temporal/ran-before.js';

/**
 * Looks whether documents have changed under an unchanged version since they last ran. What was found is told; with
 * `library.changedContent: refuse` those documents are not served either.
 */
export async function checkContent(
  { library: { changedContent } }: Pick<Config, 'library'>,
  client: Client,
  library: LiveLibrary,
  entries: readonly LibraryEntry[] = entriesOf(library),
): Promise<FileFinding[]> {
  if (changedContent === 'allow') return [];
  // A call of an Api leaves no run behind.
  const journeys = entries.filter(({ definition }) => definition.kind === 'Journey');
  const refused = changedContent === 'refuse';
  return (await changedSinceRun(client, journeys)).map((entry) => {
    const { name, version } = entry.definition;
    const finding: FileFinding = {
      file: fileOf(entry) ?? name,
      code: 'VERSION_CONTENT_CHANGED',
      severity: refused ? 'error' : 'warning',
      pointer: '/metadata/version',
      message: `${name} ${version} has run with other content${refused ? ', so it is not served' : ''}.`,
      hint: 'Raise metadata.version: runs and schedules are told apart by it.',
    };
    if (refused) library.withhold(name, [finding]);
    return finding;
  });
}

/** The same, for whoever has no connection yet. */
export async function checkContentAt(
  config: Config,
  library: LiveLibrary,
  { address, entries }: { address?: string | undefined; entries?: readonly LibraryEntry[] } = {},
): Promise<FileFinding[]> {
  if (config.library.changedContent === 'allow') return [];
  const { client, close } = await connect(config, address === undefined ? {} : { address });
  return await checkContent(config, client, library, entries).finally(close);
}

function fileOf(entry: LibraryEntry): string | undefined {
  return 'file' in entry && typeof entry.file === 'string' ? entry.file : undefined;
}
