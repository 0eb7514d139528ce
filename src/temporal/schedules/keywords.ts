import type { temporal } from '@temporalio/proto';
import { searched } from '../../../workflows/search-attributes.js';
import { type BindingRecord, readTimes } from '../../scheduling/bindings/record.js';
import type { Cadence } from '../../scheduling/cadence/cadence.js';

/** A Keyword as the server sends it. The SDK's decoder turns everything into dates and typed keys, which a long list does not need. */
export function keyword(data: Uint8Array | null | undefined): string | undefined {
  return keywords(data)[0];
}

/** The values of a list of keywords. */
export function keywords(data: Uint8Array | null | undefined): string[] {
  if (!data) return [];
  const value = JSON.parse(Buffer.from(data).toString()) as string | string[];
  return [value].flat().map(searched);
}

const longestCron = 200;

/** What a list shows of a binding, without its record. */
export interface Tagged {
  runsExecuted?: number;
  maxRuns?: number;
  interval?: string;
  cron?: string;
  timezone?: string;
  writtenUntil?: string;
  startAt?: string;
  creator?: string;
  lastResult?: string;
}

/**
 * The tags of a binding's Schedule: what a list shows and what a repair needs. The note could hold as much, but anybody may overwrite it,
 * and the Schedule's own memo can never be changed.
 */
export function tagsOf(record: BindingRecord): string[] {
  const { runsExecuted, maxRuns, interval, timezone, startAt, writtenUntil, creator, lastResult } = record;
  // Cut short to fit, it would mean something else.
  const cron = record.cron && record.cron.length <= longestCron ? record.cron : undefined;
  const times = { interval, cron, timezone, startAt, writtenUntil };
  const tags: Record<string, unknown> = { runsExecuted, maxRuns, ...times, creator, lastResult };
  return Object.entries(tags).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
}

/** What the tags of a Schedule say. */
export function tagged(attributes: temporal.api.common.v1.ISearchAttributes | null | undefined): Tagged {
  const all = keywords(attributes?.indexedFields?.JourneyTags?.data).map((tag) => {
    const at = tag.indexOf('=');
    return [tag.slice(0, at), tag.slice(at + 1)] as const;
  });
  const { runsExecuted, maxRuns, ...texts } = Object.fromEntries(all) as Record<string, string>;
  const known: Tagged = texts;
  return {
    ...known,
    ...(runsExecuted !== undefined && { runsExecuted: Number(runsExecuted) }),
    ...(maxRuns !== undefined && { maxRuns: Number(maxRuns) }),
  };
}

/** The cadence that the tags give; undefined for a Schedule that an earlier version made. */
export function cadenceOfTags({ startAt, ...times }: Tagged): Cadence | undefined {
  if (startAt === undefined || (times.interval ?? times.cron) === undefined) return undefined;
  return readTimes({ ...times, startAt }).cadence;
}
