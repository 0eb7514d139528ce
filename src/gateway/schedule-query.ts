import { nearest } from '../problems/nearest.js';
import { refuse } from '../problems/problem.js';
import type { BulkFilter } from '../service/schedule-bulk.js';
import { type ListSchedules, type Page, scheduleStates } from '../service/schedules.js';

const largestPage = 200;
const longestValue = 1000;
/** What a query names to get one page of a list. */
export const paging = ['pageSize', 'pageToken'];

const filters = ['journeyName', 'subjectId', 'state'];

/** The filters for a list of schedules; all of them must match. */
export function scheduleQuery(query: URLSearchParams): ListSchedules {
  const given = read(query, [...filters, ...paging]);
  return { ...page(given), ...filterOf(given) };
}

/** The same filters for acting on all of them together, without pages. */
export function bulkQuery(query: URLSearchParams): BulkFilter {
  return filterOf(read(query, filters));
}

function filterOf(given: Map<string, string>): BulkFilter {
  const state = given.get('state');
  const known = scheduleStates.find((it) => it === state);
  if (state !== undefined && known === undefined) invalid('state', `must be one of ${scheduleStates.join(', ')}`);
  const journeyName = given.get('journeyName');
  const subjectId = given.get('subjectId');
  return {
    ...(journeyName !== undefined && { journeyName }),
    ...(subjectId !== undefined && { subjectId }),
    ...(known !== undefined && { state: known }),
  };
}

/** Which page of a list is wanted. */
export function pageQuery(query: URLSearchParams): Page {
  return page(read(query, paging));
}

/** The page that a query names. */
export function page(given: Map<string, string>): Page {
  const size = given.get('pageSize') ?? '50';
  const pageSize = /^\d{1,4}$/.test(size) ? Number(size) : 0;
  if (pageSize < 1 || pageSize > largestPage) invalid('pageSize', `must be a number from 1 to ${largestPage}`);
  const pageToken = given.get('pageToken');
  return { pageSize, ...(pageToken !== undefined && { pageToken }) };
}

/** The parameters of a query, each once; others than `known` are refused. */
export function read(query: URLSearchParams, known: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (const [name, value] of query) {
    if (!known.includes(name)) {
      const near = nearest(name.slice(0, 100), known);
      invalid(name, 'is not known', near === undefined ? undefined : `Did you mean ${near}?`);
    }
    if (value === '') invalid(name, 'is empty');
    if (name !== 'pageToken' && value.length > longestValue) invalid(name, 'is too long');
    if (given.has(name)) invalid(name, 'is given twice');
    given.set(name, value);
  }
  return given;
}

/** Refuses a parameter. */
export function invalid(name: string, why: string, hint?: string): never {
  return refuse('QUERY_INVALID', `The query parameter ${JSON.stringify(name.slice(0, 80))} ${why}.`, {
    parameter: name.slice(0, 80),
    ...(hint === undefined ? {} : { hint }),
  });
}
