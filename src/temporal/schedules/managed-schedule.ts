import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import type { BeforeRun } from '../../schedules/bindings/binding-record.js';
import { countInWords } from '../../schedules/cadence/duration-wording.js';
import { nextAfter } from '../../schedules/cadence/occurrences.js';
import { alreadyExists, asProblem } from '../classify-temporal-errors.js';
import { decodeScheduleOverlapPolicy, encodeMapToPayloads } from '../sdk-internals.js';
import { extendedTimes, graceMs, isOnGrid, nominalTime, realTimes } from './check-and-extend-start-times.js';
import { describeSchedule, keyword, type ScheduleDescription } from './describe-schedule.js';
import { startPatch, untilStarted, type WhileActive } from './request-run-now.js';
import type { ManagedRecord, ScheduleKind, ScheduleSnapshot } from './schedule-kind-interface.js';
import {
  deleteSchedule,
  encodeWrite,
  type ScheduleTimes,
  type ScheduleWrite,
  writeSchedule,
} from './write-schedule.js';

type Decide<R, S> = (snapshot: S) => ScheduleWrite<R> | undefined | Promise<ScheduleWrite<R> | undefined>;

const keptKeys = 20;
const attempts = 100;
const repairAttempts = 10;

/** A Temporal Schedule with one of our records. The kinds are bindings, jobs and producers. */
export class ManagedSchedule<R extends ManagedRecord, S extends ScheduleSnapshot<R> = ScheduleSnapshot<R>> {
  constructor(
    private readonly client: Client,
    readonly id: string,
    private readonly kind: ScheduleKind<R, S>,
  ) {}

  /** Reads the Schedule; throws if it does not exist, or lost its record (SCHEDULE_BROKEN). */
  async read(): Promise<S> {
    return (await this.find()) ?? this.kind.refuseUnknown(this.id);
  }

  /** Reads the Schedule; undefined if it does not exist. */
  async find(): Promise<S | undefined> {
    const found = await describeSchedule(this.client, this.id);
    if (!found) return undefined;
    const record = found.memo[this.kind.name] as R | undefined;
    if (record) return await this.kind.snapshot(found, record, this.client);
    if (!this.isOurs(found)) return undefined;
    return refuse('SCHEDULE_BROKEN', `The action of ${this.id} was rewritten outside Journeyman.`, {
      scheduleId: this.id,
      hint: 'Repair it, or delete it and create it again.',
    });
  }

  /** Finds the Schedule if it has lost its record: `temporal schedule update` drops the action's memo. */
  async findBroken(): Promise<ScheduleDescription | undefined> {
    const found = await describeSchedule(this.client, this.id);
    return found && !found.memo[this.kind.name] && this.isOurs(found) ? found : undefined;
  }

  /** Search attributes survive any change of the action by `temporal schedule update`. */
  private isOurs(found: ScheduleDescription): boolean {
    return keyword(found.raw, 'ScheduleKind') === this.kind.name && (this.kind.isVisible?.(found) ?? true);
  }

  /** Creates the Schedule, with a first run for the time `nominal` if given. False if the id is taken. */
  async create(
    write: ScheduleWrite<R>,
    { nominal, memo }: { nominal?: number; memo?: Record<string, unknown> } = {},
  ): Promise<boolean> {
    const { namespace, identity, loadedDataConverter } = this.client.options;
    try {
      const { schedule, searchAttributes } = await encodeWrite(this.client, this.kind, write);
      await this.client.workflowService.createSchedule({
        namespace,
        identity,
        requestId: randomUUID(),
        scheduleId: this.id,
        schedule,
        searchAttributes: { indexedFields: searchAttributes },
        // Not the SDK's triggerImmediately: the Schedule does not follow a run started that way, so the next one could overlap it.
        ...(nominal !== undefined && { initialPatch: startPatch('wait', nominal) }),
        ...(memo && { memo: { fields: await encodeMapToPayloads(loadedDataConverter, memo) } }),
      });
      return true;
    } catch (error) {
      if (alreadyExists(error)) return false;
      throw asProblem(error);
    }
  }

  /**
   * Changes the Schedule; all writes go through this method. `decide` gets the current snapshot, again after each conflict, and returns
   * the new contents, or undefined for no change. `key` identifies the change, which is applied once, however often this is called.
   *
   * The server silently drops an update whose conflict token is stale, and the first of two that reach it together; the SDK's `update()`
   * sends no token at all. So a change counts only when the next description shows its key.
   */
  async change(key: string, decide: Decide<R, S>): Promise<S> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      // Conflicting writers must not retry at the same time.
      if (attempt > 1) await sleep(Math.random() * Math.min(20 * attempt, 400));
      const snapshot = await this.read();
      if (snapshot.record.changes.includes(key)) return snapshot;
      const write = await decide(snapshot);
      if (!write) return snapshot;
      await this.write(snapshot, { ...write, record: withKey(write.record, key) });
    }
    return refuse('SCHEDULE_BUSY', `The schedule ${this.id} could not be changed in ${attempts} attempts.`);
  }

  /** Makes one attempt to write new contents to a Schedule that lost its record; the next read shows whether it succeeded. */
  async rewrite(broken: ScheduleDescription, write: ScheduleWrite<R>): Promise<void> {
    await this.write(broken, write);
  }

  private async write(before: ScheduleDescription, write: ScheduleWrite<R>): Promise<void> {
    await writeSchedule(this.client, this.id, before.raw, await encodeWrite(this.client, this.kind, write, before));
  }

  /** Drift in words: differences between the Schedule and its record, caused by changes with Temporal's tools. */
  drift(snapshot: S, now = Date.now()): string[] {
    return driftOf(this.kind, snapshot, now);
  }

  /**
   * Undoes changes made outside Journeyman: `recover` returns the contents of a Schedule that lost its record, `realign` those of one that
   * differs from its record. Returns whether anything was changed.
   */
  async repair(
    recover: (broken: ScheduleDescription) => Promise<ScheduleWrite<R>> | ScheduleWrite<R>,
    realign: (snapshot: S, drift: string[]) => ReturnType<Decide<R, S>>,
  ): Promise<{ snapshot: S; changed: boolean }> {
    let changed = false;
    const key = randomUUID();
    for (let attempt = 0; ; attempt++) {
      try {
        const snapshot = await this.change(key, async (found) => {
          const write = await realign(found, this.drift(found));
          if (write) changed = true;
          return write;
        });
        return { snapshot, changed };
      } catch (error) {
        if (!isBroken(error) || attempt >= repairAttempts) throw error;
      }
      const broken = await this.findBroken();
      if (!broken) continue;
      await this.rewrite(broken, await recover(broken));
      changed = true;
    }
  }

  /** Adds irregular start times if too few are left. Returns whether any were added. */
  async extend(now: number): Promise<boolean> {
    let changed = false;
    await this.change(randomUUID(), (snapshot) => {
      const times = this.extension(snapshot, now);
      changed = times !== undefined;
      return times && { record: snapshot.record, times };
    });
    return changed;
  }

  /** The start times that a Schedule should get because too few are left; undefined while there are enough. */
  extension(snapshot: ScheduleSnapshot<R>, now: number): ScheduleTimes | undefined {
    const { record } = snapshot;
    return this.kind.isOver(record) ? undefined : extendedTimes(this.kind.cadence(record), snapshot, record, now);
  }

  /** Chooses the nominal time of a run outside the cadence. Times up to `through` are accounted for. */
  beforeRun({ record, recent, overlapSkipped }: S, through: string): BeforeRun {
    const nominal = nominalTime(this.kind.cadence(record), Date.parse(through), Date.now(), recent);
    return { nominal, overlapSkipped };
  }

  /** Starts the run that `beforeRun` prepared, and returns the Schedule once it shows the result. */
  async trigger(whileActive: WhileActive, before: BeforeRun): Promise<S> {
    return await untilStarted(this.client, this.id, whileActive, before, () => this.read());
  }

  /** Starts the run that `beforeRun` prepared, and returns its id; throws while another run is active. */
  async runNow(before: BeforeRun): Promise<string> {
    const after = await this.trigger('skip', before);
    return after.recent.find(({ nominal }) => nominal === before.nominal)?.id ?? this.refuseActive(after);
  }

  refuseActive({ running }: S): never {
    const active = running[0]?.id;
    const field = this.kind.name === 'job' ? 'executionId' : 'journeyId';
    return refuse('RUN_ACTIVE', active === undefined ? 'A run was active.' : `The run ${active} is active.`, {
      ...(active !== undefined && { [field]: active }),
    });
  }

  /** Deletes the Schedule; false if it does not exist. */
  async delete(): Promise<boolean> {
    return await deleteSchedule(this.client, this.id);
  }
}

/** The key of the creation is kept permanently, to recognise a repeated creation. */
function withKey<R extends ManagedRecord>(record: R, key: string): R {
  const created = record.changes.at(-1);
  const latest = [key, ...record.changes.slice(0, -1)].slice(0, keptKeys - 1);
  const changes = created === undefined ? [key] : [...latest, created];
  return { ...record, changes, updatedAt: new Date().toISOString() };
}

/** Whether an error means that the schedule or job does not exist. */
export function isUnknown(error: unknown): boolean {
  return isCode(error, 'SCHEDULE_UNKNOWN') || isCode(error, 'JOB_UNKNOWN');
}

/** Whether an error means that the Schedule lost its record. */
export function isBroken(error: unknown): boolean {
  return isCode(error, 'SCHEDULE_BROKEN');
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof ProblemError && error.problem.code === code;
}

const shown = 3;

/** Drift in words: differences between a Schedule and its record, caused by changes with Temporal's tools. */
function driftOf<R extends ManagedRecord, S extends ScheduleSnapshot<R>>(
  kind: ScheduleKind<R, S>,
  snapshot: S,
  now: number,
): string[] {
  const { record, next, raw, paused } = snapshot;
  if (kind.isOver(record))
    return paused ? [] : ['Temporal shows it as resumed, but it is over: its runs end immediately.'];
  const cadence = kind.cadence(record);
  const times = realTimes(cadence, next);
  const { state, policies } = raw.schedule ?? {};
  const left = kind.runsLeft?.(snapshot);
  const remaining = state?.limitedActions ? Number(state.remainingActions ?? 0) : undefined;
  // While a run is active, a Schedule without remaining actions has no further times.
  const isIdle = snapshot.running.length === 0 && snapshot.buffered === 0;
  const out: string[] = [];
  if (!isOnGrid(cadence, next, record, paused ? undefined : now))
    out.push(`Temporal will start it at ${listed(times)}, not ${kind.describeCadence(record)}.`);
  if (left !== undefined && remaining === undefined)
    out.push(`Temporal has no limit for it; it has ${countInWords(left, 'run')} left.`);
  else if (left !== undefined && isIdle && remaining === 0)
    out.push(`Temporal will not start it again; it has ${countInWords(left, 'run')} left.`);
  else if (left === undefined && remaining !== undefined)
    out.push(`Temporal will start it only ${countInWords(remaining, 'more time')}.`);
  else if (times.length === 0 && (isIdle || left === undefined) && nextAfter(cadence, now + graceMs) !== undefined)
    out.push('Temporal has no further start times for it.');
  const overlap = decodeScheduleOverlapPolicy(policies?.overlapPolicy) ?? ScheduleOverlapPolicy.SKIP;
  const wanted = kind.overlap(record);
  if (overlap !== wanted) out.push(`Its overlap policy in Temporal is ${overlap}, not ${wanted}.`);
  return out;
}

function listed(times: readonly number[]): string {
  return times
    .slice(0, shown)
    .map((time) => new Date(time).toISOString())
    .join(', ');
}
