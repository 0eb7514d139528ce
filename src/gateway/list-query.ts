import { nearest } from '../problems/nearest.js';
import { refuse } from '../problems/problem.js';
import type { ListRuns } from '../service/runs.js';
import { formatInstant, parseInstant } from '../time/duration.js';

const phases = ['RUNNING', 'SUCCEEDED', 'FAILED'] as const;
/** Attributes that can be filtered by under their own name; all others are filtered as `attributes.<key>`. */
const namedAttributes = ['orderId', 'paymentIntentId', 'crmCaseId'];
const equal = ['journeyName', 'journeyVersion', 'currentState', 'subjectId', 'tenantId', 'startedBy'] as const;
const times = ['startedFrom', 'startedBefore'] as const;
const known = [...equal, ...times, 'phase', 'tag', 'pageSize', 'pageToken', ...namedAttributes];
const largestPage = 200;
const longestValue = 1000;

/** The filters of a listing; all of them must match. */
export function listQuery(query: URLSearchParams): ListRuns {
  const filter: ListRuns = { tags: [], attributes: Object.create(null), pageSize: 50 };
  const seen = new Set<string>();
  for (const [name, value] of query) {
    if (value === '') invalid(name, 'is empty');
    if (name !== 'pageToken' && value.length > longestValue) invalid(name, 'is too long');
    if (name !== 'tag' && seen.has(name)) invalid(name, 'is given twice');
    seen.add(name);
    apply(filter, name, value);
  }
  return filter;
}

function apply(filter: ListRuns, name: string, value: string): void {
  const same = equal.find((it) => it === name);
  if (same) {
    filter[same] = value;
    return;
  }
  const time = times.find((it) => it === name);
  if (time) {
    const instant = parseInstant(value) ?? invalid(name, 'must be an instant, like 2030-01-31T09:00:00Z');
    filter[time] = formatInstant(instant);
    return;
  }
  switch (name) {
    case 'pageToken':
      filter.pageToken = value;
      return;
    case 'tag':
      filter.tags.push(value);
      return;
    case 'phase':
      filter.phase = phases.find((it) => it === value) ?? invalid(name, `must be one of ${phases.join(', ')}`);
      return;
    case 'pageSize':
      filter.pageSize = Number(value);
      if (!/^\d{1,4}$/.test(value) || filter.pageSize < 1 || filter.pageSize > largestPage) {
        invalid(name, `must be a number from 1 to ${largestPage}`);
      }
      return;
    default: {
      const key = namedAttributes.includes(name) ? name : /^attributes\.([\w.-]{1,64})$/.exec(name)?.[1];
      filter.attributes[key ?? unknown(name)] = value;
    }
  }
}

function unknown(name: string): never {
  const near = nearest(name.slice(0, 100), known);
  return invalid(name, 'is not known', near === undefined ? undefined : `Did you mean ${near}?`);
}

function invalid(name: string, why: string, hint?: string): never {
  return refuse('QUERY_INVALID', `The query parameter ${JSON.stringify(name.slice(0, 80))} ${why}.`, {
    parameter: name.slice(0, 80),
    ...(hint === undefined ? {} : { hint }),
  });
}
