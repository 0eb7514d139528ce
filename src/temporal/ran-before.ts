import type { Client } from '@temporalio/client';
import type { LibraryEntry } from '../service/library.js';
import { asProblem } from './failures.js';
import { areRuns, quoted } from './list-runs.js';
import { decodeMapFromPayloads } from './sdk.js';
import type { RunMemo } from './views.js';

const atOnce = 10;

/**
 * Which of these documents have other content than the newest run of the same name and version: whoever reads its history, or starts it
 * again, would meet another journey under the same name.
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

/** The content hash of the newest run of this name and version. */
async function ranAs(client: Client, { definition: { name, version } }: LibraryEntry): Promise<string | undefined> {
  const { namespace, loadedDataConverter } = client.options;
  const { executions } = await client.workflowService
    .listWorkflowExecutions({
      namespace,
      pageSize: 1,
      query: [areRuns, `JourneyName = ${quoted(name)}`, `JourneyVersion = ${quoted(version)}`].join(' AND '),
    })
    .catch((error) => Promise.reject(asProblem(error)));
  const memo = await decodeMapFromPayloads(loadedDataConverter, executions?.[0]?.memo?.fields);
  return (memo?.journey as RunMemo | undefined)?.definition;
}
