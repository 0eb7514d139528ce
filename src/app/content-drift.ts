import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Config } from '../config/config-types.js';
import type { FileFinding } from '../library/read-journeys.js';
import { entriesOf, type LiveLibrary } from '../library/reloading-library.js';
import type { Library, LibraryEntry } from '../service/library-interface.js';
import { asProblem } from '../temporal/classify-temporal-errors.js';
import { connect } from '../temporal/connection.js';
import { queryLiteral } from '../temporal/query-literal.js';
import type { RunMemo } from '../temporal/runs/run-views.js';
import { areRuns } from '../temporal/runs/run-visibility-query.js';
import { visibilityEntry } from '../temporal/runs/visibility-entry.js';

/**
 * Reports documents whose content changed under an unchanged version since they last ran; with `library.changedContent: refuse` they are not
 * served either.
 */
export async function contentDrift(
  { library: { changedContent } }: Pick<Config, 'library'>,
  client: Client,
  library: LiveLibrary,
  entries: readonly LibraryEntry[] = entriesOf(library),
): Promise<FileFinding[]> {
  if (changedContent === 'allow') return [];
  const refused = changedContent === 'refuse';
  return (await changedSinceRun(client, journeysOf(entries))).map((entry) => {
    const { name, version } = entry.definition;
    const finding: FileFinding = {
      file: fileOf(entry) ?? name,
      code: 'VERSION_CONTENT_CHANGED',
      severity: refused ? 'error' : 'warning',
      pointer: '/metadata/version',
      message: `${name} ${version} has already run with different content${refused ? ', so it is not served' : ''}.`,
      hint: 'Raise metadata.version, which distinguishes runs and schedules.',
    };
    if (refused) library.withhold(name, [finding]);
    return finding;
  });
}

/** Like `contentDrift`, but opens its own connection. */
export async function contentDriftAt(
  config: Config,
  library: LiveLibrary,
  { address, entries }: { address?: string | undefined; entries?: readonly LibraryEntry[] } = {},
): Promise<FileFinding[]> {
  if (config.library.changedContent === 'allow') return [];
  const { client, close } = await connect(config, address === undefined ? {} : { address });
  return await contentDrift(config, client, library, entries).finally(close);
}

/** The interval of the checks while a gateway runs. */
const everyMs = 60_000;

/**
 * Logs documents whose newest run had different content under the same version, because another gateway serves other files. Each is logged once
 * until the content is the same again. Returns a function that ends the checks.
 */
export function watchContentDrift(
  config: Pick<Config, 'library'>,
  client: Client,
  library: Library,
  log: Pick<Logger, 'warn' | 'debug'>,
  intervalMs = everyMs,
): () => void {
  if (config.library.changedContent === 'allow') return () => undefined;
  let known = new Set<string>();
  const check = async () => {
    const changed = (await changedSinceRun(client, journeysOf(entriesOf(library)))).map(({ definition }) => definition);
    const names = changed.map(({ name, version }) => `${name} ${version}`);
    for (const name of names)
      if (!known.has(name))
        log.warn(
          { code: 'VERSION_CONTENT_CHANGED', journey: name },
          `${name} was started elsewhere with different content; all gateways should serve the same files`,
        );
    known = new Set(names);
  };
  const timer = setInterval(() => {
    check().catch((err) => log.debug({ err }, 'The content of journeys could not be compared'));
  }, intervalMs).unref();
  return () => clearInterval(timer);
}

/** The entries whose runs are recorded; calls of an Api are not. */
function journeysOf(entries: readonly LibraryEntry[]): LibraryEntry[] {
  return entries.filter(({ definition }) => definition.kind === 'Journey');
}

function fileOf(entry: LibraryEntry): string | undefined {
  return 'file' in entry && typeof entry.file === 'string' ? entry.file : undefined;
}

const atOnce = 10;

/**
 * Finds documents whose content differs from the newest run of the same name and version: its history, or a rerun, would refer to another
 * journey under the same name.
 */
export async function changedSinceRun(client: Client, entries: readonly LibraryEntry[]): Promise<LibraryEntry[]> {
  const changed: LibraryEntry[] = [];
  for (let from = 0; from < entries.length; from += atOnce) {
    const some = entries.slice(from, from + atOnce);
    const ran = await Promise.all(some.map((entry) => ranAs(client, entry)));
    changed.push(...some.filter(({ hash }, i) => ran[i] !== undefined && ran[i] !== hash));
  }
  return changed;
}

/** The content hash of the newest readable run of this name and version. */
async function ranAs(client: Client, { definition: { name, version } }: LibraryEntry): Promise<string | undefined> {
  const { namespace } = client.options;
  const { executions } = await client.workflowService
    .listWorkflowExecutions({
      namespace,
      pageSize: 1,
      query: [areRuns, `JourneyName = ${queryLiteral(name)}`, `JourneyVersion = ${queryLiteral(version)}`].join(
        ' AND ',
      ),
    })
    .catch((error) => Promise.reject(asProblem(error)));
  const [newest] = executions ?? [];
  const memo = newest && (await visibilityEntry(client, newest)).memo;
  return (memo?.journey as RunMemo | undefined)?.definition;
}
