import type { Request, Response } from 'express';
import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import { libraryVisibleTo } from '../../service/access.js';
import type { Library } from '../../service/library-interface.js';
import { eachWithProblem } from '../../service/operation/apply-to-each-id.js';
import type { ListRuns, RunFilter, Runs } from '../../service/runs-interface.js';
import { auditRunChange, cancelled } from '../audit-runs.js';
import { bodyWith } from '../request-body.js';
import { factsOf } from '../request-facts.js';
import type { Route } from '../route.js';
import { type RunOperationParts, readRerun, rerunAudited } from './rerun-and-migrate-runs.js';
import { readRunQuery, runFilters } from './run-filter-parameters.js';

const base = '/api/v1/journeys/bulk';
/** Maximum number of runs of one request. */
const mostRuns = 100;
/** Each operation is about runs of one phase. */
const filters = runFilters.filter((name) => name !== 'phase');
const selecting = ['ids', 'filter', 'limit'];

/** Routes that cancel or retry several runs, by their ids or by a filter with a bound. */
export function bulkRunRoutes(parts: RunOperationParts): Route[] {
  const { runs: all, journeys, automation } = parts;
  const roles = ['operator'] as const;
  const runsFor = (response: Response): Runs => all.as(factsOf(response).principal.access);

  async function cancel(request: Request, response: Response): Promise<void> {
    const runs = runsFor(response);
    const selection = readSelection(bodyWith(request, selecting, 'INPUT_INVALID'), known(response));
    await answer(response, selection, 'RUNNING', async (id) => {
      const run = await runs.cancel(id);
      if (run.changed) await auditRunChange(automation.audit, 'run.cancelled', response, id, cancelled(run));
      return { changed: run.changed, phase: run.phase };
    });
  }

  async function retry(request: Request, response: Response): Promise<void> {
    const body = bodyWith(request, [...selecting, 'definition', 'despiteCompensation'], 'INPUT_INVALID');
    const selection = readSelection(body, known(response));
    const options = readRerun(body);
    await answer(response, selection, 'FAILED', async (id) => {
      const run = await rerunAudited(parts, 'run.retried', response, { ...options, id, unlessRerun: true });
      return { changed: !run.repeated, ...(run.repeated && { reason: 'RERUN_EXISTS' }), run };
    });
  }

  async function answer(
    response: Response,
    selection: Selection,
    phase: NonNullable<RunFilter['phase']>,
    work: (id: string) => Promise<JsonObject>,
  ): Promise<void> {
    const { ids, more } =
      'ids' in selection ? { ...selection, more: false } : await select(runsFor(response), selection, phase);
    const results = await eachWithProblem(ids, work);
    const items = results.map(({ id: journeyId, ...it }) =>
      'problem' in it ? { journeyId, changed: false, problem: it.problem } : { journeyId, ...it.done },
    );
    response.json({ items, more });
  }

  function known(response: Response): Library {
    return libraryVisibleTo(factsOf(response).principal.access, journeys);
  }

  return [
    { method: 'post', path: `${base}/cancel`, roles, action: 'cancel', answer: cancel },
    { method: 'post', path: `${base}/retry`, roles, action: 'start', answer: retry },
  ];
}

type Selection = { ids: string[] } | { filter: RunFilter; limit: number };

/** Reads either ids, or a filter with a bound. */
function readSelection(body: JsonObject, journeys: Library): Selection {
  const [ids, filter, limit] = selecting.map((name) => own(body, name));
  if (ids !== undefined) {
    if (filter !== undefined || limit !== undefined)
      refuse('INPUT_INVALID', 'ids and filter exclude each other.', { pointer: '/ids' });
    return { ids: readIds(ids) };
  }
  if (!isObject(filter) || Object.keys(filter).length === 0)
    return refuse('INPUT_INVALID', 'Either ids, or a filter with at least one field, is required.', {
      pointer: '/filter',
      hint: 'Send {"ids": ["…"]}, or {"filter": {"journeyName": "…"}, "limit": 50}.',
    });
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > mostRuns)
    return refuse('INPUT_INVALID', `limit must be a number from 1 to ${mostRuns}.`, { pointer: '/limit' });
  return { filter: readFilter(filter, journeys), limit };
}

function readIds(ids: Json): string[] {
  const isList = Array.isArray(ids) && ids.length >= 1 && ids.length <= mostRuns;
  if (isList && ids.every((id) => typeof id === 'string' && id !== '')) return [...new Set(ids as string[])];
  return refuse('INPUT_INVALID', `ids must be a list of 1 to ${mostRuns} ids of runs.`, { pointer: '/ids' });
}

/** Reads a filter with the fields of a list's query. */
function readFilter(filter: JsonObject, journeys: Library): RunFilter {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter))
    for (const text of name === 'tag' && Array.isArray(value) ? value : [value]) {
      if (typeof text === 'string') query.append(name, text);
      else refuse('INPUT_INVALID', 'A filter must be a text.', { pointer: `/filter/${name.slice(0, 80)}` });
    }
  try {
    return readRunQuery(query, journeys, filters, []).filter;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'QUERY_INVALID') throw error;
    const { detail, parameter, hint } = error.problem;
    return refuse('INPUT_INVALID', detail, {
      pointer: `/filter/${String(parameter)}`,
      ...(hint !== undefined && { hint }),
    });
  }
}

/** The ids of the newest matching runs, and whether there are more. */
async function select(
  runs: Runs,
  { filter, limit }: { filter: RunFilter; limit: number },
  phase: NonNullable<RunFilter['phase']>,
): Promise<{ ids: string[]; more: boolean }> {
  const query: ListRuns = { ...filter, phase, pageSize: limit };
  const ids: string[] = [];
  do {
    const { items, nextPageToken } = await runs.list(query);
    ids.push(...items.map(({ journeyId }) => journeyId));
    if (nextPageToken === undefined) return { ids: ids.slice(0, limit), more: ids.length > limit };
    query.pageToken = nextPageToken;
  } while (ids.length < limit);
  return { ids: ids.slice(0, limit), more: true };
}
