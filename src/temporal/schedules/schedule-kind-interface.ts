import type { Client, ScheduleOverlapPolicy } from '@temporalio/client';
import type { AttributeValues } from '../../../workflows/shared/run-search-attributes.js';
import type { Cadence } from '../../schedules/cadence/cadence.js';
import type { ScheduleDescription } from './describe-schedule.js';

/** Fields that every record has. A record lives in the memo of its Schedule's action, and so in the memo of every run. */
export interface ManagedRecord {
  /** Keys of the latest changes, newest first; the last is the one it was created with. A change is applied once, however often it is tried. */
  readonly changes: readonly string[];
  readonly updatedAt: string;
  /** RFC 3339; irregular start times are listed in the Schedule up to this time. */
  readonly writtenUntil?: string;
}

/** A Schedule with its record. */
export interface ScheduleSnapshot<R> extends ScheduleDescription {
  readonly record: R;
}

/** A kind of managed Schedule: how its record is read, and the contents of the Schedule for a record. */
export interface ScheduleKind<R extends ManagedRecord, S extends ScheduleSnapshot<R>> {
  /** Value of the search attribute `ScheduleKind`, and name of the record in the action's memo. */
  readonly name: 'binding' | 'job' | 'producer' | 'alerts';
  /** Completes a snapshot; undefined if the record is not accessible to the caller. */
  snapshot(found: ScheduleDescription, record: R, client: Client): S | undefined | Promise<S | undefined>;
  /** Whether a Schedule of this kind that lost its record is one that the caller may see; all are by default. */
  isVisible?(broken: ScheduleDescription): boolean;
  refuseUnknown(scheduleId: string): never;
  cadence(record: R): Cadence;
  /** The cadence in words. */
  describeCadence(record: R): string;
  overlap(record: R): ScheduleOverlapPolicy;
  /** Whether no further run may start. */
  isOver(record: R): boolean;
  /** The runs that may still start; undefined if there is no bound. */
  runsLeft?(snapshot: Pick<ScheduleSnapshot<R>, 'record' | 'running'>): number;
  /** The search attributes by which the Schedule is found. */
  attributes(record: R): AttributeValues;
}
