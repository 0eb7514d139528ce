import { nearestName } from '../../base/problems/nearest-name.js';
import { refuse } from '../../base/problems/problem.js';
import type { BulkFilter } from '../../service/operation/bulk-schedule-changes.js';
import { type ListSchedules, type Page, scheduleStates } from '../../service/schedules-interface.js';

const largestPage = 200;
const longestValue = 1000;
/** Query parameters of a page. */
export const pageParameters = ['pageSize', 'pageToken'];

const filters = ['journeyName', 'subjectId', 'state'];

/** Parses the filters of a list of schedules; all must match. */
export function scheduleQuery(query: URLSearchParams): ListSchedules {
  const given = readQuery(query, [...filters, ...pageParameters]);
  return { ...readPage(given), ...filterOf(given) };
}

/** Parses the filters of a bulk operation on schedules. */
export function bulkQuery(query: URLSearchParams): BulkFilter {
  return filterOf(readQuery(query, filters));
}

function filterOf(given: Map<string, string>): BulkFilter {
  const state = given.get('state');
  const known = scheduleStates.find((it) => it === state);
  if (state !== undefined && known === undefined)
    refuseParameter('state', `must be one of ${scheduleStates.join(', ')}`);
  const journeyName = given.get('journeyName');
  const subjectId = given.get('subjectId');
  return {
    ...(journeyName !== undefined && { journeyName }),
    ...(subjectId !== undefined && { subjectId }),
    ...(known !== undefined && { state: known }),
  };
}

/** Parses the query of a list without filters. */
export function pageQuery(query: URLSearchParams): Page {
  return readPage(readQuery(query, pageParameters));
}

/** Reads the page parameters. */
export function readPage(given: Map<string, string>): Page {
  const size = given.get('pageSize') ?? '50';
  const pageSize = /^\d{1,4}$/.test(size) ? Number(size) : 0;
  if (pageSize < 1 || pageSize > largestPage) refuseParameter('pageSize', `must be a number from 1 to ${largestPage}`);
  const pageToken = given.get('pageToken');
  return { pageSize, ...(pageToken !== undefined && { pageToken }) };
}

/** Parses a query. Rejects unknown and repeated parameters. */
export function readQuery(query: URLSearchParams, known: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (const [name, value] of query) {
    if (!known.includes(name)) {
      const near = nearestName(name.slice(0, 100), known);
      refuseParameter(name, 'is not known', near === undefined ? undefined : `Did you mean ${near}?`);
    }
    if (value === '') refuseParameter(name, 'is empty');
    if (name !== 'pageToken' && value.length > longestValue) refuseParameter(name, 'is too long');
    if (given.has(name)) refuseParameter(name, 'is given twice');
    given.set(name, value);
  }
  return given;
}

/** Rejects a query parameter. */
export function refuseParameter(name: string, why: string, hint?: string): never {
  return refuse('QUERY_INVALID', `The query parameter ${JSON.stringify(name.slice(0, 80))} ${why}.`, {
    parameter: name.slice(0, 80),
    ...(hint === undefined ? {} : { hint }),
  });
}
