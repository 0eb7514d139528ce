import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { refuse } from '../../../base/problems/problem.js';
import { interpreterVersion } from '../../../engine/interpreter-version.js';
import {
  type BindingRecord,
  type BindingRequest,
  bindingCadence,
  type CreatedBinding,
  isExhausted,
  logged,
} from '../../../schedules/bindings/binding-record.js';
import { compile } from '../../../schedules/cadence/cadence-to-temporal-spec.js';
import { nextAfter } from '../../../schedules/cadence/occurrences.js';
import { emptyAccount } from '../../../schedules/occurrence-counts.js';
import { nominalTime } from '../check-and-extend-start-times.js';
import { keyword, type ScheduleDescription } from '../describe-schedule.js';
import { isBroken, isUnknown } from '../managed-schedule.js';
import { type BindingSource, journeyAction } from './binding-action.js';
import { type BindingKey, hashOf, idOfBinding } from './binding-id.js';
import { type BindingSnapshot, type BindingWrite, bindingNote, bindingSchedule } from './binding-schedule.js';
import { activeBindings } from './list-bindings.js';

const tooClose = 2_000;

/** Maximum number of attempts to create a binding that others create and delete concurrently. */
const attempts = 20;

/** Creates the binding that a schedule task requests, or updates the existing one. Idempotent. */
export async function createBinding(
  client: Client,
  request: BindingRequest,
  source: BindingSource,
): Promise<CreatedBinding> {
  const key = keyOf(request, source);
  const plain = await idOfBinding(client, key);
  await passImminent(firstTime(request));
  if (request.onExisting === 'addAnother') return { scheduleId: await addBinding(client, plain, request, source) };
  for (let attempt = 0; attempt < attempts; attempt++) {
    const scheduleId = await target(client, plain, key, request);
    // An added one, or one of another owner, is replaced but never created.
    if (scheduleId === plain && (await create(client, plain, request, source))) return { scheduleId };
    try {
      const { paused, note } = await replace(client, scheduleId, request, source);
      return { scheduleId, ...(paused && { paused: { note } }) };
    } catch (error) {
      if (isBroken(error)) await restore(client, scheduleId, request, source);
      // It was deleted between our two calls.
      else if (!isUnknown(error)) throw error;
    }
  }
  return refuse('SCHEDULE_BUSY', `${plain} was created and deleted by others ${attempts} times.`);
}

/**
 * Creates the binding if that needs no waiting: it is new, and its start is not imminent. Otherwise undefined, and `createBinding` does it,
 * also if an earlier attempt succeeded without reporting it. The result contains the request, because the history of a run shows only
 * the result of a local activity.
 */
export async function createAtOnce(
  client: Client,
  request: BindingRequest,
  source: BindingSource,
): Promise<CreatedBinding | undefined> {
  if (isImminent(Date.parse(request.startAt))) return undefined;
  const key = keyOf(request, source);
  const plain = await idOfBinding(client, key);
  if (request.onExisting === 'addAnother')
    return { scheduleId: await addBinding(client, plain, request, source), request };
  if ((await target(client, plain, key, request)) !== plain) return undefined;
  return (await create(client, plain, request, source)) ? { scheduleId: plain, request } : undefined;
}

/**
 * Waits until an imminent start has passed. A Schedule does not start runs that were due before it was created, so one created at the last
 * moment might lose its first run; once the time has passed, we start that run ourselves.
 */
export async function passImminent(start: number): Promise<void> {
  if (isImminent(start)) await sleep(start - Date.now() + 1);
}

function isImminent(start: number): boolean {
  const ahead = start - Date.now();
  return ahead > 0 && ahead < tooClose;
}

/** The first start time of a binding. */
function firstTime(request: BindingRequest): number {
  return nextAfter(bindingCadence(request), Date.parse(request.startAt) - 1) ?? Number.POSITIVE_INFINITY;
}

async function addBinding(
  client: Client,
  plain: string,
  request: BindingRequest,
  source: BindingSource,
): Promise<string> {
  const own = `${plain}-${hashOf([request.creator])}`;
  const earlier = await bindingSchedule(client, own).find();
  if (earlier) return own;
  if (await create(client, plain, request, source)) return plain;
  if ((await bindingSchedule(client, plain).find())?.record.creator === request.creator) return plain;
  await create(client, own, request, source);
  return own;
}

/** The identity of the binding that a run asks for. The owner is part of it unless an operator started the run. */
export function keyOf<R extends BindingKey>(request: R, { memo }: BindingSource): R & BindingKey {
  return { ...request, ...(memo?.ownSchedules && memo.startedBy !== undefined && { owner: memo.startedBy }) };
}

/**
 * Chooses the binding to create or replace. A binding that was added beside the plain one counts too, and an operator sees those of all
 * owners: `fail` is rejected because of any, `upsert` replaces an active one rather than creating a second.
 */
async function target(client: Client, plain: string, key: BindingKey, request: BindingRequest): Promise<string> {
  const others = (await activeBindings(client, key)).filter((id) => id !== plain);
  if (others.length === 0) return plain;
  if (request.onExisting === 'fail') refuseExisting(others[0]!);
  // One that lost its record is restored if it is the plain one.
  if (await bindingSchedule(client, plain).findBroken()) return plain;
  const found = await Promise.all([plain, ...others].map((id) => unlessBroken(bindingSchedule(client, id).find())));
  const active = found.flatMap((it) => (it && !isExhausted(it.record) ? [it.record] : []));
  const mine = active.find(({ creator }) => creator === request.creator);
  const isPlain = active.some(({ scheduleId }) => scheduleId === plain);
  if (mine || isPlain || active.length === 0) return mine?.scheduleId ?? plain;
  const [first] = active.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  if (active.some(({ owner }) => owner !== first!.owner))
    refuseExisting(first!.scheduleId, 'Several callers have one; update the intended one by its id.');
  return first!.scheduleId;
}

async function unlessBroken<T>(read: Promise<T>): Promise<T | undefined> {
  return await read.catch((error) => {
    if (isBroken(error)) return undefined;
    throw error;
  });
}

export function refuseExisting(scheduleId: string, hint?: string): never {
  return refuse('SCHEDULE_ALREADY_EXISTS', `The schedule ${scheduleId} is active.`, {
    scheduleId,
    ...(hint !== undefined && { hint }),
  });
}

/** False if the id is taken. */
async function create(
  client: Client,
  scheduleId: string,
  request: BindingRequest,
  source: BindingSource,
): Promise<boolean> {
  const { write, startsNow } = generation(scheduleId, request, source);
  const nominal = startsNow ? nominalOf(write.record, Date.now()) : undefined;
  return await bindingSchedule(client, scheduleId).create(write, { ...(nominal !== undefined && { nominal }) });
}

async function replace(
  client: Client,
  scheduleId: string,
  request: BindingRequest,
  source: BindingSource,
): Promise<BindingSnapshot> {
  const managed = bindingSchedule(client, scheduleId);
  let changed = false;
  const after = await managed.change(request.creator, (snapshot) => {
    if (snapshot.record.creator === request.creator) return undefined;
    if (request.onExisting === 'fail' && !isExhausted(snapshot.record)) refuseExisting(scheduleId);
    changed = true;
    return generation(scheduleId, request, source, snapshot).write;
  });
  const { record, recent, overlapSkipped } = after;
  if (!record.atOnce || record.creator !== request.creator) return after;
  // An earlier attempt may have ended between the change and the start of its first run.
  if (changed || !hasBegun(after))
    await managed.trigger('wait', { nominal: nominalOf(record, Date.now(), recent), overlapSkipped });
  return after;
}

function nominalOf(record: BindingRecord, now: number, recent?: ScheduleDescription['recent']): number {
  return nominalTime(bindingCadence(record), Date.parse(record.occurrences.through), now, recent);
}

/** Gives a Schedule that lost its record a new one, if it may be replaced at all. */
async function restore(
  client: Client,
  scheduleId: string,
  request: BindingRequest,
  source: BindingSource,
): Promise<void> {
  const managed = bindingSchedule(client, scheduleId);
  const broken = await managed.findBroken();
  if (!broken) return;
  const isOver = keyword(broken.raw, 'JourneyOutcome') !== undefined;
  if (request.onExisting === 'fail' && !isOver) refuseExisting(scheduleId);
  const before = { ...broken, paused: broken.paused && !isOver };
  await managed.rewrite(broken, generation(scheduleId, request, source, before).write);
}

/** Whether this generation has had a run, has one, or is about to. */
function hasBegun({ record, recent, buffered }: BindingSnapshot): boolean {
  return record.runsExecuted > 0 || buffered > 0 || recent.some(({ run }) => !record.accounted.includes(run));
}

/** A Schedule before its next generation; its record may be lost. */
type Before = ScheduleDescription & { readonly record?: BindingRecord };

/** The pause that an operator set, unless it marks the end of a binding or a migration to another version. */
function operatorPause({ record, paused, note }: Before): { note: string } | undefined {
  if (record && isExhausted(record)) return undefined;
  const before = record?.migration?.before ?? { paused, note };
  return before.paused ? { note: before.note } : undefined;
}

/** The contents of a new binding, or of the next generation of one. */
export function generation(
  scheduleId: string,
  asked: BindingRequest,
  source: BindingSource,
  before?: Before,
): { write: BindingWrite; startsNow: boolean } {
  const { context, onExisting: _, ...request } = asked;
  const now = Date.now();
  // Paused by an operator: the new generation, its first run included, waits until they resume it.
  const pause = before && operatorPause(before);
  const times = compile(bindingCadence(request), { now, runAtOnce: pause === undefined, maxRuns: request.maxRuns });
  const { spec, startsNow } = times;
  const occurrences = emptyAccount(spec.startAt!.getTime() - 1, startsNow);
  // A replaced binding keeps its owner; the search attribute survives the loss of its record.
  const owner = before ? (before.record?.owner ?? keyword(before.raw, 'StartedBy')) : keyOf(asked, source).owner;
  const record: BindingRecord = {
    scheduleId,
    ...request,
    ...(owner !== undefined && { owner }),
    runsExecuted: 0,
    interpreter: interpreterVersion,
    generation: (before?.record?.generation ?? 0) + 1,
    createdAt: new Date(now).toISOString(),
    updatedAt: new Date(now).toISOString(),
    changes: before?.record?.changes ?? [request.creator],
    accounted: before?.recent.map(({ run }) => run) ?? [],
    overlapSkipped: before?.overlapSkipped ?? 0,
    atOnce: startsNow,
    occurrences,
    accountFrom: occurrences.through,
    ...(before?.record?.log && { log: before.record.log }),
    ...(before?.record?.migratedFrom && { migratedFrom: before.record.migratedFrom }),
  };
  const write: BindingWrite = {
    record: before ? logged(record, request.creator, 'replaced by its journey', now) : record,
    memo: { context },
    times,
    resetPolicies: true,
    action: journeyAction(record, source),
    paused: pause !== undefined,
    note: pause?.note ?? bindingNote(record),
    remaining: times.remainingActions!,
  };
  return { write, startsNow };
}
