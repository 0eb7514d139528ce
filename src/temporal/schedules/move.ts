import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { readArguments } from '../../../workflows/input.js';
import type { Config } from '../../config/config.js';
import { interpreterVersion } from '../../engine/version.js';
import { ProblemError, refuse } from '../../problems/problem.js';
import { accountGap } from '../../scheduling/bindings/occurrences.js';
import {
  type BindingRecord,
  cadenceOf,
  isExhausted,
  isMoved,
  logged,
  type Move,
  writtenOut,
} from '../../scheduling/bindings/record.js';
import { compile } from '../../scheduling/cadence/compile.js';
import { nextAfter } from '../../scheduling/cadence/occurrences.js';
import type { LibraryEntry } from '../../service/library.js';
import { declaredConfig } from '../../service/platform.js';
import { misconfigured } from '../../service/start.js';
import { scheduleStarts } from '../../states/graphs.js';
import { decodeArrayFromPayloads, decodeMapFromPayloads } from '../sdk.js';
import { movedMemo } from '../start-options.js';
import type { RunMemo } from '../views.js';
import { type BindingSource, journeyAction } from './action.js';
import { idAfterMove } from './binding-id.js';
import { type Change, changeBinding } from './change.js';
import { createSchedule, refuseExisting, untilClear } from './create.js';
import { bindingNote } from './note.js';
import {
  describeBinding,
  findBinding,
  isUnknown,
  refuseMoved,
  runsLeft,
  type Snapshot,
  serverSide,
  underWay,
} from './snapshot.js';
import { trigger } from './trigger.js';

/** How long a run that started at the last moment may take to end. */
const patienceMs = 10_000;
const lookAgainMs = 100;

/**
 * Puts a binding of another version in the place of one. First the old one is paused, and says where to it moves; once no run of it is
 * active, the new one is made from it; then the old one is over. Each step knows whether it has been done, so a move that was cut short
 * anywhere is ended by repeating it.
 */
export async function moveBinding(
  client: Client,
  config: Pick<Config, 'platform'>,
  scheduleId: string,
  to: LibraryEntry,
  by: string,
): Promise<{ snapshot: Snapshot; changed: boolean }> {
  const { version } = to.definition;
  const found = await describeBinding(client, scheduleId);
  const { record } = found;
  if (record.journeyVersion === version) return await unmoved(client, found, to);
  if (isMoved(record)) {
    if (record.move?.version !== version) refuseMoved(record);
    return { snapshot: await describeBinding(client, record.move!.scheduleId), changed: false };
  }
  refuseMisfit(record, to, config);
  const target = await idAfterMove(client, record, version);
  if (!record.move) await refuseTaken(client, target);
  const { key } = (await hold(client, scheduleId, { scheduleId: target, version }, by)).record.move!;
  try {
    const ready = await untilIdle(client, scheduleId, key);
    refuseExhausted(ready.record);
    await make(client, await successor(client, config, ready, to, by), ready.record.move!);
  } catch (error) {
    // What cannot be moved now stays what it was; after any other failure nobody knows how far it went.
    if (error instanceof ProblemError && undone.has(error.problem.code)) await release(client, scheduleId, key);
    throw error;
  }
  await retire(client, scheduleId, record.creator, { scheduleId: target, version, key });
  return { snapshot: await describeBinding(client, target), changed: true };
}

const undone: ReadonlySet<string> = new Set([
  'RUN_ACTIVE',
  'SCHEDULE_ALREADY_EXISTS',
  'SCHEDULE_BROKEN',
  'SCHEDULE_EXHAUSTED',
]);

/** A binding that is of the version already is where it should be, unless the content of that version has changed. */
async function unmoved(client: Client, snapshot: Snapshot, { definition, hash }: LibraryEntry) {
  refuseMoved(snapshot.record);
  const { memo } = await sourceOf(client, snapshot);
  if (memo.definition !== hash)
    refuse('MOVE_NOT_POSSIBLE', `It is of version ${definition.version} already, with other content.`, {
      hint: 'Give what has changed a version of its own.',
    });
  return { snapshot, changed: false };
}

function refuseMisfit(record: BindingRecord, { definition }: LibraryEntry, { platform }: Pick<Config, 'platform'>) {
  const { startStateId } = record;
  const { name, version } = definition;
  refuseExhausted(record);
  if (!scheduleStarts(definition).has(startStateId))
    refuse('MOVE_NOT_POSSIBLE', `${name} ${version} makes no schedules that start at '${startStateId}'.`, {
      pointer: '/spec/states',
      hint: `Only a task schedule:v1 with start: ${startStateId} says that runs can start there without anybody.`,
    });
  const problem = misconfigured(definition, platform);
  if (problem) throw new ProblemError(problem);
}

function refuseExhausted(record: BindingRecord): void {
  if (isExhausted(record)) refuse('SCHEDULE_EXHAUSTED', `${record.scheduleId} has had all its runs.`);
}

/** Only one of the two can go on, and a person knows which. */
function refuseInTheWay(scheduleId: string): never {
  return refuseExisting(
    scheduleId,
    `It is of the version to move to. Delete it (journeyman schedule delete ${scheduleId}) and repeat the move, or leave it and delete the one to move.`,
  );
}

/** One that is over is in nobody's way. */
async function refuseTaken(client: Client, target: string): Promise<void> {
  const taken = await findBinding(client, target);
  if (taken && !isExhausted(taken.record)) refuseInTheWay(target);
}

/** Pauses the binding for the move, unless it is already. A run that is active is not waited for: it may take long. */
async function hold(client: Client, scheduleId: string, to: Pick<Move, 'scheduleId' | 'version'>, by: string) {
  const key = randomUUID();
  return await changeBinding(client, scheduleId, `${key} holds`, (snapshot) => {
    const { record, context, paused, note } = snapshot;
    if (record.move?.version === to.version && record.move.before) return undefined;
    refuseMoved(record);
    refuseActive(snapshot);
    const now = Date.now();
    const move: Move = { ...to, key, at: new Date(now).toISOString(), before: { paused, note } };
    return {
      record: { ...logged(record, by, `moves to version ${to.version}`, now), move },
      context,
      paused: true,
      note: `Moving to version ${to.version}: ${to.scheduleId}`,
      remaining: runsLeft(snapshot),
    };
  });
}

function isActive(snapshot: Snapshot): boolean {
  return underWay(snapshot).length > 0 || snapshot.buffered > 0;
}

function refuseActive(snapshot: Snapshot): void {
  if (!isActive(snapshot)) return;
  const run = underWay(snapshot)[0]?.id;
  refuse('RUN_ACTIVE', `${run === undefined ? 'A run' : `The run ${run}`} has not handed on its context yet.`, {
    ...(run !== undefined && { journeyId: run }),
  });
}

/** A run that started as the binding was paused writes back first. */
async function untilIdle(client: Client, scheduleId: string, key: string): Promise<Snapshot> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const snapshot = await describeBinding(client, scheduleId);
    if (snapshot.record.move?.key !== key)
      refuse('SCHEDULE_BUSY', 'Somebody changed the schedule while it moved.', { hint: 'Look at it first.' });
    if (!isActive(snapshot)) return snapshot;
    if (Date.now() > end) refuseActive(snapshot);
    await sleep(lookAgainMs);
  }
}

/** What the new binding becomes, and the time that came while neither could start a run: the new one makes up for it. */
interface Successor {
  readonly change: Change;
  readonly late?: number;
}

async function successor(
  client: Client,
  config: Pick<Config, 'platform'>,
  old: Snapshot,
  to: LibraryEntry,
  by: string,
): Promise<Successor> {
  const { definition } = to;
  const { holder: _, move, ...kept } = old.record;
  const { scheduleId, version, key, at, before } = move!;
  const { paused, note } = before!;
  const cadence = cadenceOf(kept);
  if (!paused) await untilClear(nextAfter(cadence, Date.now()) ?? Number.POSITIVE_INFINITY);
  const now = Date.now();
  const late = paused ? undefined : missedSince(old, Date.parse(at), now);
  const { spec, completeUntil } = compile(cadence, { now });
  const through = (late ?? spec.startAt!.getTime()) - 1;
  const moved: BindingRecord = {
    ...kept,
    scheduleId,
    journeyVersion: version,
    creator: `moved/${kept.scheduleId}/${key}`,
    interpreter: interpreterVersion,
    generation: 1,
    createdAt: new Date(now).toISOString(),
    updatedAt: new Date(now).toISOString(),
    changes: [key],
    accounted: [],
    overlapSkipped: 0,
    atOnce: false,
    occurrences: accountGap(cadence, kept.occurrences, through, serverSide(old)),
    movedFrom: { scheduleId: kept.scheduleId, key },
  };
  const record = logged(writtenOut(moved, completeUntil), by, `moved here from version ${kept.journeyVersion}`, now);
  const source = await sourceOf(client, old);
  const { input, memo } = source;
  const action = journeyAction(record, {
    ...source,
    input: {
      ...input,
      definition,
      info: { ...input.info, config: declaredConfig(definition, config.platform) },
    },
    memo: movedMemo(memo, to),
  });
  const change: Change = {
    record,
    context: old.context,
    spec,
    action,
    resets: true,
    paused,
    note: paused ? note : bindingNote(record),
    remaining: Math.max(0, record.maxRuns - record.runsExecuted - (late === undefined ? 0 : 1)),
  };
  return { change, ...(late !== undefined && { late }) };
}

/** The first time since `at` for which no run was started: as after an outage, one late run stands for all of them. */
function missedSince({ record, recent }: Snapshot, at: number, now: number): number | undefined {
  const cadence = cadenceOf(record);
  let due = nextAfter(cadence, Math.max(at, Date.parse(record.occurrences.through)));
  while (due !== undefined && recent.some(({ nominal }) => nominal === due)) due = nextAfter(cadence, due);
  return due !== undefined && due <= now ? due : undefined;
}

/** What the runs of a binding are started with, from its own action. */
async function sourceOf(client: Client, { raw }: Snapshot): Promise<BindingSource> {
  const { loadedDataConverter } = client.options;
  const action = raw.schedule?.action?.startWorkflow;
  const memo = await decodeMapFromPayloads(loadedDataConverter, action?.memo?.fields);
  return {
    input: readArguments((await decodeArrayFromPayloads(loadedDataConverter, action?.input?.payloads)) ?? [])!,
    memo: memo?.journey as RunMemo,
    taskQueue: action?.taskQueue?.name ?? '',
  };
}

/** Makes the new binding, unless this very move has; one that is over is replaced. */
async function make(client: Client, { change, late }: Successor, { scheduleId, key }: Move): Promise<void> {
  if (await createSchedule(client, change, late)) return;
  let replaced = false;
  const after = await changeBinding(client, scheduleId, key, ({ record, recent, overlapSkipped }) => {
    if (record.movedFrom?.key === key) return undefined;
    if (!isExhausted(record)) return refuseInTheWay(scheduleId);
    replaced = true;
    const next = {
      ...change.record,
      generation: record.generation + 1,
      accounted: recent.map(({ run }) => run),
      overlapSkipped,
    };
    return { ...change, record: next };
  });
  const { overlapSkipped } = after;
  // Cut short here, the time is not made up for; it is counted as missed, as it is after a pause.
  if (replaced && late !== undefined)
    await trigger(client, scheduleId, 'wait', { nominal: late, overlapSkipped }, () =>
      describeBinding(client, scheduleId),
    );
}

/** The binding goes on as it was before. */
async function release(client: Client, scheduleId: string, key: string): Promise<void> {
  await changeBinding(client, scheduleId, `${key} releases`, (snapshot) => {
    const { move, ...record } = snapshot.record;
    if (move?.key !== key || !move.before) return undefined;
    const before = isExhausted(record) ? { paused: true, note: bindingNote(record) } : move.before;
    return { record, context: snapshot.context, ...before, remaining: runsLeft(snapshot) };
  });
}

/** The old binding is over. It stays for some time, like one that has had all its runs; unless a run of its journey made it anew. */
async function retire(client: Client, scheduleId: string, creator: string, to: Omit<Move, 'at'>): Promise<void> {
  try {
    await changeBinding(client, scheduleId, `${to.key} is done`, ({ record, context }) => {
      if (record.creator !== creator || isMoved(record)) return undefined;
      const at = record.move?.at ?? new Date().toISOString();
      const moved: BindingRecord = { ...record, move: { ...to, at } };
      return { record: moved, context, paused: true, note: bindingNote(moved), remaining: 0 };
    });
  } catch (error) {
    // Somebody has deleted it.
    if (!isUnknown(error)) throw error;
  }
}
