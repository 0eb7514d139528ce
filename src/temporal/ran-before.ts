import type { Client } from '@temporalio/client';
import type { LibraryEntry } from '../service/library.js';
import { asProblem } from './failures.js';
import { areRuns } from './list-runs.js';
import { listedOf } from './listed.js';
import { quoted } from './quoted.js';
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

/** The content hash of the newest run of this name and version, where there is one that can be read. */
async function ranAs(client: Client, { definition: { name, version } }: LibraryEntry): Promise<string | undefined> {
  const { namespace } = client.options;
  const { executions } = await client.workflowService
    .listWorkflowExecutions({
      namespace,
      pageSize: 1,
      query: [areRuns, `JourneyName = ${quoted(name)}`, `JourneyVersion = ${quoted(version)}`].join(' AND '),
    })
    .catch((error) => Promise.reject(asProblem(error)));
  const [newest] = executions ?? [];
  const memo = newest && (await listedOf(client, newest)).memo;
  return (memo?.journey as RunMemo | undefined)?.definition;
}
