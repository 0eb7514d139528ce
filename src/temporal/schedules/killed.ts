import type { Client } from '@temporalio/client';
import { accountedFor, type BindingRecord, isExhausted } from '../../scheduling/bindings/record.js';
import { statusOf } from './run-status.js';
import type { Snapshot } from './snapshot.js';

/**
 * The record including runs that were ended from outside: a run counts itself just before it closes, and these could not. Each run is known
 * by its id, so none counts twice, and one that was started by hand and did nothing does not count at all.
 */
export async function countKilled(client: Client, { record, recent, running }: Snapshot): Promise<BindingRecord> {
  if (isExhausted(record)) return record;
  const known = [...record.accounted, ...running.map(({ run }) => run)];
  const killed: string[] = [];
  for (const action of recent)
    if (!known.includes(action.run) && (await statusOf(client, action)) === 'killed') killed.push(action.run);
  if (killed.length === 0) return record;
  const runsExecuted = Math.min(record.maxRuns, record.runsExecuted + killed.length);
  return accountedFor({ ...record, runsExecuted, lastResult: 'TERMINATED' }, killed);
}
