import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { interpreterVersion } from '../../engine/version.js';
import { refuse } from '../../problems/problem.js';
import { noOccurrences } from '../../scheduling/bindings/occurrences.js';
import {
  type BindingRecord,
  type BindingRequest,
  cadenceOf,
  isExhausted,
  logged,
  type MadeBinding,
  writtenOut,
} from '../../scheduling/bindings/record.js';
import { compile } from '../../scheduling/cadence/compile.js';
import { nextAfter } from '../../scheduling/cadence/occurrences.js';
import { asProblem, isAlreadyThere } from '../failures.js';
import { type BindingSource, journeyAction } from './action.js';
import { hashOf, idOfBinding } from './binding-id.js';
import { type Change, changeBinding, encodeChange, rewrite, scheduleAttributes } from './change.js';
import { keyword } from './keywords.js';
import { activeBindings } from './list.js';
import { bindingNote } from './note.js';
import {
  type Broken,
  describeBinding,
  findBinding,
  findBroken,
  isBroken,
  isUnknown,
  type Snapshot,
} from './snapshot.js';
import { nominalTime, startPatch, trigger } from './trigger.js';

const tooClose = 2_000;

/** How often it may be deleted between two of our calls before we give up. */
const tries = 20;

/** Makes the binding that a schedule task asks for, or changes the existing one. Repeating it changes nothing. */
export async function createBinding(
  client: Client,
  request: BindingRequest,
  source: BindingSource,
): Promise<MadeBinding> {
  const plain = await idOfBinding(client, request);
  await untilClear(firstTime(request));
  if (request.onExisting === 'addAnother') return { scheduleId: await addBinding(client, plain, request, source) };
  for (let attempt = 0; attempt < tries; attempt++) {
    if (request.onExisting === 'fail') await refuseAnother(client, plain, request);
    if (await create(client, plain, request, source)) return { scheduleId: plain };
    try {
      const { paused, note } = await replace(client, plain, request, source);
      return { scheduleId: plain, ...(paused && { paused: { note } }) };
    } catch (error) {
      if (isBroken(error)) await mend(client, plain, request, source);
      // It was deleted between our two calls.
      else if (!isUnknown(error)) throw error;
    }
  }
  return refuse('SCHEDULE_BUSY', `${plain} was made and deleted by others ${tries} times.`);
}

/**
 * Makes the binding if that takes no waiting: it is new, and its start is not almost here. Otherwise undefined, and `createBinding` does it,
 * also when an earlier attempt got further than it could say. The answer holds the request: the history of a run shows only what a local
 * activity answered.
 */
export async function createAtOnce(
  client: Client,
  request: BindingRequest,
  source: BindingSource,
): Promise<MadeBinding | undefined> {
  if (isAlmostHere(Date.parse(request.startAt))) return undefined;
  const plain = await idOfBinding(client, request);
  const { onExisting } = request;
  if (onExisting === 'addAnother') return { scheduleId: await addBinding(client, plain, request, source), request };
  if (onExisting === 'fail') await refuseAnother(client, plain, request);
  return (await create(client, plain, request, source)) ? { scheduleId: plain, request } : undefined;
}

/**
 * Waits for a start that is almost here. A Schedule starts nothing that was due before the server had it, so one made at the last moment
 * might lose its first run; once the moment has passed, we start that run ourselves.
 */
export async function untilClear(start: number): Promise<void> {
  if (isAlmostHere(start)) await sleep(start - Date.now() + 1);
}

function isAlmostHere(start: number): boolean {
  const ahead = start - Date.now();
  return ahead > 0 && ahead < tooClose;
}

/** When a binding is to run first. */
function firstTime(request: BindingRequest): number {
  return nextAfter(cadenceOf(request), Date.parse(request.startAt) - 1) ?? Number.POSITIVE_INFINITY;
}

async function addBinding(
  client: Client,
  plain: string,
  request: BindingRequest,
  source: BindingSource,
): Promise<string> {
  const own = `${plain}-${hashOf([request.creator])}`;
  const earlier = await findBinding(client, own);
  if (earlier) return own;
  if (await create(client, plain, request, source)) return plain;
  if ((await findBinding(client, plain))?.record.creator === request.creator) return plain;
  await create(client, own, request, source);
  return own;
}

/** A binding that was added beside the plain one counts too; whoever creates the plain one checks that. */
async function refuseAnother(client: Client, plain: string, request: BindingRequest): Promise<void> {
  const others = await activeBindings(client, request);
  const other = others.find((id) => id !== plain);
  if (other !== undefined) refuseExisting(other);
}

export function refuseExisting(scheduleId: string, hint?: string): never {
  return refuse('SCHEDULE_ALREADY_EXISTS', `The schedule ${scheduleId} is active.`, {
    scheduleId,
    ...(hint !== undefined && { hint }),
  });
}

/** False when the id is taken. */
async function create(
  client: Client,
  scheduleId: string,
  request: BindingRequest,
  source: BindingSource,
): Promise<boolean> {
  const { change, startsNow } = fresh(scheduleId, request, source);
  return await createSchedule(client, change, startsNow ? nominalOf(change.record, Date.now()) : undefined);
}

/** Makes the Schedule of a binding, with a run at once for the time `nominal` where one is given. False when the id is taken. */
export async function createSchedule(client: Client, change: Change, nominal?: number): Promise<boolean> {
  const { namespace, identity } = client.options;
  const { scheduleId } = change.record;
  try {
    await client.workflowService.createSchedule({
      namespace,
      identity,
      requestId: randomUUID(),
      scheduleId,
      schedule: await encodeChange(client, change),
      searchAttributes: { indexedFields: scheduleAttributes(change.record) },
      // Not the SDK's triggerImmediately: that starts a run which the Schedule does not follow, so the next could overlap it.
      ...(nominal !== undefined && { initialPatch: startPatch('wait', nominal) }),
    });
    return true;
  } catch (error) {
    if (isAlreadyThere(error)) return false;
    throw asProblem(error);
  }
}

async function replace(
  client: Client,
  scheduleId: string,
  request: BindingRequest,
  source: BindingSource,
): Promise<Snapshot> {
  let changed = false;
  const after = await changeBinding(client, scheduleId, request.creator, (snapshot) => {
    if (snapshot.record.creator === request.creator) return undefined;
    if (request.onExisting === 'fail' && !isExhausted(snapshot.record)) refuseExisting(scheduleId);
    changed = true;
    return fresh(scheduleId, request, source, snapshot).change;
  });
  const { record, recent, overlapSkipped } = after;
  if (!record.atOnce || record.creator !== request.creator) return after;
  // An earlier attempt may have ended between the change and the start of its first run.
  if (changed || !hasBegun(after))
    await trigger(client, scheduleId, 'wait', { nominal: nominalOf(record, Date.now(), recent), overlapSkipped }, () =>
      describeBinding(client, scheduleId),
    );
  return after;
}

function nominalOf(record: BindingRecord, now: number, recent?: Snapshot['recent']): number {
  return nominalTime(cadenceOf(record), Date.parse(record.occurrences.through), now, recent);
}

/** Gives a Schedule that has lost its binding a new one, if it may be replaced at all. */
async function mend(client: Client, scheduleId: string, request: BindingRequest, source: BindingSource): Promise<void> {
  const broken = await findBroken(client, scheduleId);
  if (!broken) return;
  const isOver = keyword(broken.raw.searchAttributes?.indexedFields?.JourneyOutcome?.data) !== undefined;
  if (request.onExisting === 'fail' && !isOver) refuseExisting(scheduleId);
  const before = { ...broken, paused: broken.paused && !isOver };
  await rewrite(client, broken, fresh(scheduleId, request, source, before).change);
}

/** Whether this generation has had a run, has one, or is about to. */
function hasBegun({ record, recent, buffered }: Snapshot): boolean {
  return record.runsExecuted > 0 || buffered > 0 || recent.some(({ run }) => !record.accounted.includes(run));
}

/** The pause that somebody wanted, where it is neither the end of a binding nor a move to another version. */
function heldBy({ record, paused, note }: Broken & { record?: BindingRecord }): { note: string } | undefined {
  if (record && isExhausted(record)) return undefined;
  const before = record?.move?.before ?? { paused, note };
  return before.paused ? { note: before.note } : undefined;
}

/** A new binding, or the next generation of one. */
export function fresh(
  scheduleId: string,
  { context, onExisting: _, ...request }: BindingRequest,
  source: BindingSource,
  before?: Broken & { record?: BindingRecord },
): { change: Change; startsNow: boolean } {
  const now = Date.now();
  // Somebody paused it, and only they know why: the customer's wish, first run included, waits until they resume it.
  const held = before && heldBy(before);
  const compiled = compile(cadenceOf(request), { now, runAtOnce: held === undefined, maxRuns: request.maxRuns });
  const { spec, startsNow, completeUntil } = compiled;
  const occurrences = noOccurrences(spec.startAt!.getTime() - 1, startsNow);
  const unwritten: BindingRecord = {
    scheduleId,
    ...request,
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
    ...(before?.record?.movedFrom && { movedFrom: before.record.movedFrom }),
  };
  const record = writtenOut(unwritten, completeUntil);
  const change: Change = {
    record: before ? logged(record, request.creator, 'replaced by its journey', now) : record,
    context,
    spec,
    action: journeyAction(record, source),
    resets: true,
    paused: held !== undefined,
    note: held?.note ?? bindingNote(record),
    remaining: compiled.remainingActions!,
  };
  return { change, startsNow };
}
