import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { Access } from '../../service/access.js';
import {
  type FailureCount,
  failuresByCode,
  type ListRuns,
  type RunCounts,
  type RunFilter,
  type RunView,
} from '../../service/runs-interface.js';
import { nextPage, pageToken } from '../page-token.js';
import { countExecutions } from '../schedules/scheduled-executions.js';
import { newestOnly } from './newest-executions.js';
import { describedView, isGuarded } from './run-views.js';
import { areWaiting, isReached, runQuery } from './run-visibility-query.js';
import { visibilityEntry } from './visibility-entry.js';

/** Lists one page of runs, newest first, from visibility. */
export async function listRuns(
  client: Client,
  query: ListRuns,
  access: Access,
): Promise<{ items: RunView[]; nextPageToken?: string }> {
  const { infos, ...more } = await listPage(client, runQuery(query, access), query, access);
  return { items: (await newestOnly(client, infos)).map((info) => describedView(info)), ...more };
}

/** Lists one page of the running runs that wait for a step. */
export async function listWaiting(
  client: Client,
  query: ListRuns,
  access: Access,
): Promise<{ infos: WorkflowExecutionInfo[]; nextPageToken?: string }> {
  return await listPage(client, `${runQuery(query, access)} AND ${areWaiting}`, query, access);
}

async function listPage(
  client: Client,
  filter: string,
  { pageSize, pageToken: token }: Pick<ListRuns, 'pageSize' | 'pageToken'>,
  access: Access,
): Promise<{ infos: WorkflowExecutionInfo[]; nextPageToken?: string }> {
  const response = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query: filter,
    pageSize,
    nextPageToken: pageToken(token, filter),
  });
  const all = await Promise.all(response.executions.map((raw) => visibilityEntry(client, raw)));
  // A run that cannot be decrypted may be guarded.
  const infos = all.filter(
    (info) => isReached(access, info) && (access.listsGuarded || !(info.unreadable || isGuarded(info))),
  );
  return { infos, ...nextPage(response.nextPageToken, filter) };
}

/** Number of newest runs that are counted for callers from whom guarded runs are hidden: the server cannot leave those out. */
const mostListed = 1_000;
/** Number of newest failed runs in which error codes are looked up; the server counts by one code, but cannot group by all. */
const failuresListed = 200;
const mostCodes = 20;

/** Counts runs by phase and error code. */
export async function countRuns(client: Client, filter: RunFilter, access: Access): Promise<RunCounts> {
  if (!access.listsGuarded) return await countListed(client, filter, access);
  const { phases, openSteps } = await countPhases(client, filter, access);
  const failed = phases.FAILED === 0 ? [] : await failures(client, filter, access);
  const counted = failed.reduce((sum, { count }) => sum + count, 0);
  return {
    total: phases.RUNNING + phases.SUCCEEDED + phases.FAILED,
    phases,
    openSteps,
    failures: failed,
    otherFailures: Math.max(0, phases.FAILED - counted),
    of: null,
  };
}

async function countPhases(client: Client, filter: RunFilter, access: Access) {
  const inPhase = (phase: RunView['phase']) =>
    filter.phase === undefined || filter.phase === phase
      ? countExecutions(client, runQuery({ ...filter, phase }, access))
      : 0;
  const [RUNNING, SUCCEEDED, FAILED, openSteps] = await Promise.all([
    inPhase('RUNNING'),
    inPhase('SUCCEEDED'),
    inPhase('FAILED'),
    countExecutions(client, `${runQuery(filter, access)} AND ${areWaiting}`),
  ]);
  return { phases: { RUNNING, SUCCEEDED, FAILED }, openSteps };
}

/** The codes of the newest failures, each with the number of all failures. */
async function failures(client: Client, filter: RunFilter, access: Access): Promise<FailureCount[]> {
  const failed: RunFilter = { ...filter, phase: 'FAILED' };
  const { items } = await listRuns(client, { ...failed, pageSize: failuresListed }, access);
  const codes = failuresByCode(items).slice(0, mostCodes);
  const counts = codes.map(async ({ code }) => ({
    code,
    count: await countExecutions(client, runQuery({ ...failed, errorCode: code }, access)),
  }));
  return (await Promise.all(counts)).sort((a, b) => b.count - a.count);
}

async function countListed(client: Client, filter: RunFilter, access: Access): Promise<RunCounts> {
  const runs: RunView[] = [];
  let waiting = 0;
  let pageToken: string | undefined;
  do {
    const page = await listRuns(client, { ...filter, pageSize: 200, ...(pageToken && { pageToken }) }, access);
    runs.push(...page.items);
    waiting += page.items.filter(({ waits }) => waits).length;
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined && runs.length < mostListed);
  const inPhase = (wanted: RunView['phase']) => runs.filter(({ phase }) => phase === wanted).length;
  const codes = failuresByCode(runs);
  const counted = codes.slice(0, mostCodes);
  const phases = { RUNNING: inPhase('RUNNING'), SUCCEEDED: inPhase('SUCCEEDED'), FAILED: inPhase('FAILED') };
  return {
    total: runs.length,
    phases,
    openSteps: waiting,
    failures: counted,
    otherFailures: phases.FAILED - counted.reduce((sum, { count }) => sum + count, 0),
    of: pageToken === undefined ? null : runs.length,
  };
}
