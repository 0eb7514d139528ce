import { type BindingRecord, readTimes } from '../../../schedules/bindings/binding-record.js';
import type { Cadence } from '../../../schedules/cadence/cadence.js';
import { readTags } from '../describe-schedule.js';

const maxCronLength = 200;

/** Fields of a binding that are visible in a list, without its record. */
export interface BindingTags {
  runsExecuted?: number;
  maxRuns?: number;
  interval?: string;
  cron?: string;
  timezone?: string;
  writtenUntil?: string;
  startAt?: string;
  anchor?: string;
  creator?: string;
  lastResult?: string;
  stopped?: string;
}

/**
 * The tags of a binding's Schedule: the fields that a list shows and a repair needs. The note could contain the same, but operators may
 * overwrite it, and the Schedule's own memo is immutable.
 */
export function bindingTags(record: BindingRecord): string[] {
  const { runsExecuted, maxRuns, interval, anchor, timezone, startAt, writtenUntil, creator, lastResult, stopped } =
    record;
  // A shortened expression would mean something else.
  const cron = record.cron && record.cron.length <= maxCronLength ? record.cron : undefined;
  const times = { interval, anchor, cron, timezone, startAt, writtenUntil };
  const tags: Record<string, unknown> = { runsExecuted, maxRuns, ...times, creator, lastResult, stopped };
  return Object.entries(tags).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
}

/** Reads the tags of a binding's Schedule. */
export function readBindingTags(described: Parameters<typeof readTags>[0]): BindingTags {
  const { runsExecuted, maxRuns, ...texts } = readTags(described);
  const known: BindingTags = texts;
  return {
    ...known,
    ...(runsExecuted !== undefined && { runsExecuted: Number(runsExecuted) }),
    ...(maxRuns !== undefined && { maxRuns: Number(maxRuns) }),
  };
}

/** The cadence in the tags; undefined if it is incomplete. */
export function cadenceOfTags({ startAt, ...times }: BindingTags): Cadence | undefined {
  if (startAt === undefined || (times.interval ?? times.cron) === undefined) return undefined;
  return readTimes({ ...times, startAt }).cadence;
}
