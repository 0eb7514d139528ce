import { formatInstant, parseInstant } from '../../base/time/instant.js';
import { keyedRunId, keyFault } from '../../engine/definition/keyed-run-id.js';
import type { Library } from '../../service/library-interface.js';
import type { ListRuns, RunFilter } from '../../service/runs-interface.js';
import { pageParameters, readPage, readQuery, refuseParameter } from './list-query-parameters.js';

const phases = ['RUNNING', 'SUCCEEDED', 'FAILED'] as const;
const texts = [
  'journeyName',
  'journeyVersion',
  'currentState',
  'subjectId',
  'tenantId',
  'startedBy',
  'errorCode',
  'scheduleId',
] as const;
const times = ['startedFrom', 'startedBefore', 'endedFrom', 'endedBefore'] as const;
/** Attributes with a query parameter of their own; all others are filtered as `attributes.<key>`. */
const namedAttributes = ['orderId', 'paymentIntentId', 'crmCaseId'];
/** Names of all filters of runs, without those of attributes. */
export const runFilters: readonly string[] = [...texts, ...times, 'phase', 'key', 'tag', ...namedAttributes];
const longestValue = 1000;
/** Maximum number of journeys that a key without a journey is looked up in. */
const mostKeyed = 200;

/** Parses the query of a list of runs. */
export function runListQuery(query: URLSearchParams, journeys: Library): ListRuns {
  const { filter, given } = readRunQuery(query, journeys, runFilters, pageParameters);
  return { ...filter, ...readPage(given) };
}

/** Parses filters of runs, of which all must match; also returns the parameters named by `others`. */
export function readRunQuery(
  query: URLSearchParams,
  journeys: Library,
  filters: readonly string[],
  others: readonly string[],
): { filter: RunFilter; given: Map<string, string> } {
  const { tags, attributes, rest } = separate(query, filters);
  const given = readQuery(rest, [...filters, ...others, 'tag']);
  const filter: RunFilter = { tags, attributes };
  for (const name of texts) {
    const value = given.get(name);
    if (value !== undefined) filter[name] = value;
  }
  for (const name of times) {
    const value = given.get(name);
    if (value !== undefined) filter[name] = instantIn(name, value);
  }
  const phase = given.get('phase');
  if (phase !== undefined)
    filter.phase = phases.find((it) => it === phase) ?? refuseParameter('phase', `must be one of ${phases.join(', ')}`);
  const key = given.get('key');
  if (key !== undefined) filter.ids = idsOf(key, filter.journeyName, journeys);
  return { filter, given };
}

/** Reads an instant from a query parameter. */
export function instantIn(name: string, value: string): string {
  return formatInstant(parseInstant(value) ?? refuseParameter(name, 'must be an instant, like 2030-01-31T09:00:00Z'));
}

/** Separates tags, which may be repeated, and attributes from the other parameters. */
function separate(query: URLSearchParams, filters: readonly string[]) {
  const tags: string[] = [];
  const attributes = Object.create(null) as Record<string, string>;
  const rest = new URLSearchParams();
  for (const [name, value] of query) {
    const key = namedAttributes.includes(name) ? name : /^attributes\.([\w.-]{1,64})$/.exec(name)?.[1];
    if ((name !== 'tag' && key === undefined) || !filters.includes('tag')) {
      rest.append(name, value);
      continue;
    }
    if (value === '') refuseParameter(name, 'is empty');
    if (value.length > longestValue) refuseParameter(name, 'is too long');
    if (key === undefined) tags.push(value);
    else if (Object.hasOwn(attributes, key)) refuseParameter(name, 'is given twice');
    else attributes[key] = value;
  }
  return { tags, attributes, rest };
}

/** Ids of the runs with a business key, which is unique per journey. */
function idsOf(key: string, journeyName: string | undefined, journeys: Library): string[] {
  const fault = keyFault(key);
  if (fault !== undefined) refuseParameter('key', `cannot be a business key: ${fault}`);
  if (journeyName !== undefined) return [keyedRunId(journeyName, key)];
  const keyed = journeys.names().filter((name) => journeys.find(name)?.definition.key);
  if (keyed.length > mostKeyed) refuseParameter('key', 'needs journeyName, because many journeys have keys');
  return keyed.map((name) => keyedRunId(name, key));
}
