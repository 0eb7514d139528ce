import { type Bounds, bindingBounds } from '../scheduling/cadence/bounds.js';
import { type Cadence, firstInstant } from '../scheduling/cadence/cadence.js';
import { type Reading, readCron, readInterval } from '../scheduling/cadence/read.js';
import type { ProducerSchedule } from './definition.js';

/** Reads when a producer runs. Intervals are counted from the first instant of 2000 in UTC, so that no deployment ever moves them. */
export function readSchedule(schedule: ProducerSchedule, pointer = '', bounds: Bounds = bindingBounds): Reading {
  if ('interval' in schedule)
    return readInterval(schedule.interval, firstInstant, { pointer: `${pointer}/interval`, bounds });
  return readCron(schedule.cron, schedule.zone, { pointer: `${pointer}/cron`, zonePointer: `${pointer}/zone`, bounds });
}

/** The cadence of a producer whose schedule was read before. */
export function cadenceOf(schedule: ProducerSchedule): Cadence {
  const { cadence } = readSchedule(schedule, '', {});
  if (!cadence) throw new RangeError('a schedule that was accepted cannot be read');
  return cadence;
}
