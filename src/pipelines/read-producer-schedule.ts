import { type Cadence, firstInstant } from '../schedules/cadence/cadence.js';
import { describeCadence } from '../schedules/cadence/describe-cadence.js';
import { type Bounds, bindingBounds } from '../schedules/cadence/interval-bounds.js';
import { type CadenceReading, readCron, readInterval } from '../schedules/cadence/read-cadence-fields.js';
import type { ProducerSchedule } from './definition.js';

/** Reads the schedule of a producer. Intervals count from the first instant of 2000 in UTC, so that deployments do not move them. */
export function readSchedule(schedule: ProducerSchedule, pointer = '', bounds: Bounds = bindingBounds): CadenceReading {
  if ('interval' in schedule)
    return readInterval(schedule.interval, firstInstant, { pointer: `${pointer}/interval`, bounds });
  return readCron(schedule.cron, schedule.zone, { pointer: `${pointer}/cron`, zonePointer: `${pointer}/zone`, bounds });
}

/** The cadence of a schedule that was validated before. */
export function producerCadence(schedule: ProducerSchedule): Cadence {
  const { cadence } = readSchedule(schedule, '', {});
  if (!cadence) throw new RangeError('a schedule that was accepted cannot be read');
  return cadence;
}

/** The schedule of a producer in words, without the common origin of intervals. */
export function scheduleInWords(schedule: ProducerSchedule): string {
  return describeCadence(producerCadence(schedule)).replace(/ from 2000-01-01 00:00(?::00)? UTC$/, '');
}
