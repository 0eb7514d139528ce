import { randomUUID } from 'node:crypto';
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { type TickInput, tickWorkflow } from '../../../workflows/pipeline-input.js';
import { pairs } from '../../../workflows/search-attributes.js';
import type { Json } from '../../json/value.js';
import { cadenceOf, scheduleInWords } from '../../pipelines/cadence.js';
import type { PipelineDefinition, ProducerSchedule } from '../../pipelines/definition.js';
import { refuse } from '../../problems/problem.js';
import { compile } from '../../scheduling/cadence/compile.js';
import { asProblem, isAlreadyThere, isNotFound } from '../failures.js';
import { quoted } from '../quoted.js';
import { payloadHash } from '../run-ids.js';
import { changeSchedule, type Written } from '../schedules/change.js';
import { isOnGrid, realTimes } from '../schedules/drift.js';
import { enough } from '../schedules/extend.js';
import { type Broken, readSchedule } from '../schedules/snapshot.js';
import {
  encodeMapToPayloads,
  encodeScheduleAction,
  encodeSchedulePolicies,
  encodeScheduleSpec,
  encodeScheduleState,
  encodeUnifiedSearchAttributes,
} from '../sdk.js';

const day = 86_400_000;
const tries = 5;

/** What the Schedule of a producer says about itself, in the memo of its action. */
interface ProducerRecord {
  readonly pipeline: string;
  readonly producer: string;
  readonly schedule: ProducerSchedule;
  /** Names what the Schedule was written from. */
  readonly changes: readonly string[];
  readonly writtenUntil?: string;
}

interface ProducerSnapshot extends Broken {
  readonly record: ProducerRecord;
  /** Something else than us rewrote its action. */
  readonly broken: boolean;
}

/** The id of a producer's Schedule. Operators type it. */
export function producerScheduleId(pipeline: string, producer: string): string {
  return `pipeline.${pipeline}.${producer}`;
}

/** Undefined where there is no such Schedule. */
async function readProducer(client: Client, pipeline: string, producer: string, schedule: ProducerSchedule) {
  const read = await readSchedule(client, producerScheduleId(pipeline, producer));
  if (!read) return undefined;
  const { memo, ...seen } = read;
  const record = memo?.producer as ProducerRecord | undefined;
  const nothing: ProducerRecord = { pipeline, producer, schedule, changes: [] };
  return { ...seen, record: record ?? nothing, broken: record === undefined } satisfies ProducerSnapshot;
}

/** Makes the Schedules of a pipeline what its document says, and no more; answers which producers that concerned. */
export async function keepSchedules(
  client: Client,
  taskQueue: string,
  { name, producers }: PipelineDefinition,
  before: readonly string[] = [],
): Promise<string[]> {
  const touched: string[] = [];
  for (const [producer, { schedule }] of Object.entries(producers))
    if (await keepSchedule(client, taskQueue, name, producer, schedule)) touched.push(producer);
  const others = new Set([...before, ...(await listProducers(client, name))]);
  for (const producer of others) {
    if (Object.hasOwn(producers, producer)) continue;
    if (await removeSchedule(client, producerScheduleId(name, producer))) touched.push(producer);
  }
  return touched;
}

/** The Schedules of a pipeline whose clock somebody holds, from an instant on. */
export async function makePaused(
  client: Client,
  taskQueue: string,
  { name: pipeline, producers }: PipelineDefinition,
  now: number,
): Promise<void> {
  for (const [producer, { schedule }] of Object.entries(producers)) {
    const record = { pipeline, producer, schedule, changes: [] };
    const written = await encode(client, taskQueue, record, { paused: true, now });
    await create(client, producerScheduleId(pipeline, producer), written);
  }
}

/** Whether there was anything to do. A pause that an operator set stays. */
async function keepSchedule(
  client: Client,
  taskQueue: string,
  pipeline: string,
  producer: string,
  schedule: ProducerSchedule,
): Promise<boolean> {
  const scheduleId = producerScheduleId(pipeline, producer);
  const key = payloadHash([pipeline, producer, schedule as unknown as Json, taskQueue]);
  for (let attempt = 0; attempt < tries; attempt++) {
    const found = await readProducer(client, pipeline, producer, schedule);
    if (!found) {
      if (await create(client, scheduleId, await encode(client, taskQueue, fresh(), { paused: false }))) return true;
      continue;
    }
    const isRight =
      found.record.changes.includes(key) && !isShort(found.record) && faults(found, schedule).length === 0;
    if (isRight) return false;
    // What was written before under the same key is not what is there.
    const change = found.record.changes.includes(key) ? `${key} ${randomUUID()}` : key;
    const read = async () => (await readProducer(client, pipeline, producer, schedule)) ?? deleted();
    try {
      await changeSchedule(client, scheduleId, change, read, async ({ paused, note }) =>
        encode(client, taskQueue, { ...fresh(), changes: change === key ? [key] : [key, change] }, { paused, note }),
      );
      return true;
    } catch (error) {
      if (error !== gone) throw error;
    }
  }
  return refuse('SCHEDULE_BUSY', `The schedule ${scheduleId} could not be made in ${tries} attempts.`);

  function fresh(): ProducerRecord {
    return { pipeline, producer, schedule, changes: [key] };
  }
}

/** It was deleted between two of our calls. */
const gone = new Error('gone');
function deleted(): never {
  throw gone;
}

async function create(client: Client, scheduleId: string, written: Written): Promise<boolean> {
  const { namespace, identity } = client.options;
  return await client.workflowService
    .createSchedule({
      namespace,
      identity,
      requestId: randomUUID(),
      scheduleId,
      schedule: written.schedule,
      searchAttributes: { indexedFields: written.searchAttributes },
    })
    .then(
      () => true,
      (error) => {
        if (isAlreadyThere(error)) return false;
        throw asProblem(error);
      },
    );
}

async function encode(
  client: Client,
  taskQueue: string,
  given: ProducerRecord,
  { paused, note, now = Date.now() }: { paused: boolean; note?: string; now?: number },
): Promise<Written> {
  const { namespace, loadedDataConverter } = client.options;
  const { pipeline, producer, schedule } = given;
  const cadence = cadenceOf(schedule);
  const { spec, completeUntil } = compile(cadence, { now });
  const record: ProducerRecord = {
    ...given,
    ...(completeUntil !== undefined && { writtenUntil: new Date(completeUntil).toISOString() }),
  };
  const args: [TickInput] = [{ pipeline, producer, schedule }];
  const action = await encodeScheduleAction(
    loadedDataConverter,
    namespace,
    {
      type: 'startWorkflow',
      workflowType: tickWorkflow,
      workflowId: producerScheduleId(pipeline, producer),
      taskQueue,
      args,
      typedSearchAttributes: new TypedSearchAttributes(pairs({ ScheduleKind: 'producer' })),
      staticSummary: `${producer} of ${pipeline} is due`,
    },
    {},
  );
  const fields = await encodeMapToPayloads(loadedDataConverter, { producer: record });
  return {
    schedule: {
      spec: encodeScheduleSpec(spec),
      // A server that was away tells of the oldest time it missed; the pipeline decides whether that still counts.
      policies: encodeSchedulePolicies({ overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: 365 * day }),
      action: { startWorkflow: { ...action.startWorkflow, memo: { fields } } },
      state: encodeScheduleState({
        paused,
        note: paused && note ? note : `Producer ${producer} of the pipeline ${pipeline}; ${scheduleInWords(schedule)}`,
      }),
    },
    searchAttributes: encodeUnifiedSearchAttributes(
      undefined,
      new TypedSearchAttributes(
        pairs({ ScheduleKind: 'producer', JourneyTags: [pipelineTag(pipeline), `producer=${producer}`] }),
      ),
    ),
  };
}

function pipelineTag(pipeline: string): string {
  return `pipeline=${pipeline}`;
}

function isShort({ writtenUntil }: ProducerRecord): boolean {
  return writtenUntil !== undefined && Date.parse(writtenUntil) < Date.now() + enough;
}

/** How a Schedule differs from what its producer says, in words. */
function faults(found: ProducerSnapshot, schedule: ProducerSchedule): string[] {
  if (found.broken) return ['Something else than Journeyman rewrote its action; its ticks fail.'];
  const { next, paused, raw, record } = found;
  const cadence = cadenceOf(schedule);
  const out: string[] = [];
  if (!isOnGrid(cadence, next, record, paused ? undefined : Date.now()))
    out.push(`Temporal starts it at other times than ${scheduleInWords(schedule)}.`);
  if (raw.schedule?.state?.limitedActions) out.push('Temporal will start it only so many more times.');
  return out;
}

/** When a producer runs, as Temporal says. */
export interface ProducerTimes {
  readonly cadence: string;
  readonly next: string[];
  /** What somebody did to the Schedule with Temporal's tools. */
  readonly drift: string[];
}

export async function producerTimes(
  client: Client,
  pipeline: string,
  producer: string,
  schedule: ProducerSchedule,
): Promise<ProducerTimes> {
  const cadence = cadenceOf(schedule);
  const found = await readProducer(client, pipeline, producer, schedule);
  if (!found)
    return {
      cadence: scheduleInWords(schedule),
      next: [],
      drift: ['Its Schedule is gone. Deploy the pipeline again.'],
    };
  const drift = faults(found, schedule).map((it) => `${it} Deploy the pipeline again.`);
  if (found.paused) drift.push(`Its Schedule is paused: ${found.note}`);
  const next = found.paused ? [] : realTimes(cadence, found.next).map((time) => new Date(time).toISOString());
  return { cadence: scheduleInWords(schedule), next, drift };
}

export async function removeSchedule(client: Client, scheduleId: string): Promise<boolean> {
  return await client.schedule
    .getHandle(scheduleId)
    .delete()
    .then(
      () => true,
      (error) => {
        if (isNotFound(error) || (error as Error).name === 'ScheduleNotFoundError') return false;
        throw asProblem(error);
      },
    );
}

/** The producers that have a Schedule. */
async function listProducers(client: Client, pipeline: string): Promise<string[]> {
  const { namespace } = client.options;
  const { schedules } = await client.workflowService
    .listSchedules({
      namespace,
      query: `ScheduleKind = 'producer' AND JourneyTags = ${quoted(pipelineTag(pipeline))}`,
      maximumPageSize: 200,
    })
    .catch((error) => Promise.reject(asProblem(error)));
  const prefix = producerScheduleId(pipeline, '');
  return schedules.flatMap(({ scheduleId }) =>
    scheduleId?.startsWith(prefix) ? [scheduleId.slice(prefix.length)] : [],
  );
}
