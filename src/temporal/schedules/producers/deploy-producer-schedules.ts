import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { type TickInput, tickWorkflow } from '../../../../workflows/pipeline/workflow-contract.js';
import { pairs } from '../../../../workflows/shared/run-search-attributes.js';
import type { Json } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import type { PipelineDefinition, ProducerSchedule } from '../../../pipelines/definition.js';
import { producerCadence, scheduleInWords } from '../../../pipelines/read-producer-schedule.js';
import { compile } from '../../../schedules/cadence/cadence-to-temporal-spec.js';
import { queryLiteral } from '../../query-literal.js';
import { payloadHash } from '../../runs/run-ids.js';
import { needsMoreTimes, realTimes } from '../check-and-extend-start-times.js';
import { allSchedules } from '../list-schedules.js';
import { isBroken, isUnknown, ManagedSchedule } from '../managed-schedule.js';
import type { ManagedRecord, ScheduleKind, ScheduleSnapshot } from '../schedule-kind-interface.js';
import type { ScheduleWrite } from '../write-schedule.js';

const attempts = 5;

/** The record of a producer's Schedule. */
interface ProducerRecord extends ManagedRecord {
  readonly pipeline: string;
  readonly producer: string;
  readonly schedule: ProducerSchedule;
  /** Hash of the definition that the Schedule was written from. */
  readonly hash: string;
}

const producerKind: ScheduleKind<ProducerRecord, ScheduleSnapshot<ProducerRecord>> = {
  name: 'producer',
  snapshot: (found, record) => ({ ...found, record }),
  refuseUnknown: (id) => refuse('SCHEDULE_UNKNOWN', `The schedule ${id} does not exist.`),
  cadence: ({ schedule }) => producerCadence(schedule),
  describeCadence: ({ schedule }) => scheduleInWords(schedule),
  // After an outage Temporal starts the oldest missed tick; the pipeline decides whether it still counts.
  overlap: () => ScheduleOverlapPolicy.SKIP,
  isOver: () => false,
  attributes: ({ pipeline, producer }) => ({
    ScheduleKind: 'producer',
    JourneyTags: [pipelineTag(pipeline), `producer=${producer}`],
  }),
};

function pipelineTag(pipeline: string): string {
  return `pipeline=${pipeline}`;
}

/** The id of a producer's Schedule, readable because operators type it. */
export function producerScheduleId(pipeline: string, producer: string): string {
  return `pipeline.${pipeline}.${producer}`;
}

function scheduleOf(client: Client, pipeline: string, producer: string): ManagedSchedule<ProducerRecord> {
  return new ManagedSchedule(client, producerScheduleId(pipeline, producer), producerKind);
}

/** Updates the Schedules of a pipeline to match its document, and deletes all others. Returns the producers that were changed. */
export async function deploySchedules(
  client: Client,
  taskQueue: string,
  { name, producers }: PipelineDefinition,
  before: readonly string[] = [],
): Promise<string[]> {
  const touched: string[] = [];
  for (const [producer, { schedule }] of Object.entries(producers))
    if (await deploySchedule(client, taskQueue, name, producer, schedule)) touched.push(producer);
  const others = new Set([...before, ...(await listProducers(client, name))]);
  for (const producer of others) {
    if (Object.hasOwn(producers, producer)) continue;
    if (await scheduleOf(client, name, producer).delete()) touched.push(producer);
  }
  return touched;
}

/** Creates the Schedules of a pipeline with a frozen clock: paused, and with times from `now` on. */
export async function createPaused(
  client: Client,
  taskQueue: string,
  { name: pipeline, producers }: PipelineDefinition,
  now: number,
): Promise<void> {
  for (const [producer, { schedule }] of Object.entries(producers))
    await scheduleOf(client, pipeline, producer).create({
      ...contents(taskQueue, pipeline, producer, schedule, now),
      paused: true,
    });
}

/** Returns whether anything was changed. A pause by an operator is kept. */
async function deploySchedule(
  client: Client,
  taskQueue: string,
  pipeline: string,
  producer: string,
  schedule: ProducerSchedule,
): Promise<boolean> {
  const managed = scheduleOf(client, pipeline, producer);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const now = Date.now();
    const wanted = contents(taskQueue, pipeline, producer, schedule, now);
    try {
      const { changed } = await managed.repair(
        () => wanted,
        ({ record, paused, note }, drift) => {
          const isRight = record.hash === wanted.record.hash && !needsMoreTimes(producerCadence(schedule), record, now);
          if (isRight && drift.length === 0) return undefined;
          return { ...wanted, paused, ...(paused && note !== '' && { note }) };
        },
      );
      return changed;
    } catch (error) {
      if (!isUnknown(error)) throw error;
    }
    if (await managed.create(wanted)) return true;
  }
  return refuse('SCHEDULE_BUSY', `The schedule ${managed.id} could not be written in ${attempts} attempts.`);
}

/** The contents of a producer's Schedule for its definition. */
function contents(
  taskQueue: string,
  pipeline: string,
  producer: string,
  schedule: ProducerSchedule,
  now: number,
): ScheduleWrite<ProducerRecord> {
  const args: [TickInput] = [{ pipeline, producer, schedule }];
  const hash = payloadHash([pipeline, producer, schedule as unknown as Json, taskQueue]);
  return {
    record: { pipeline, producer, schedule, hash, changes: [hash], updatedAt: new Date(now).toISOString() },
    times: compile(producerCadence(schedule), { now }),
    resetPolicies: true,
    action: {
      type: 'startWorkflow',
      workflowType: tickWorkflow,
      workflowId: producerScheduleId(pipeline, producer),
      taskQueue,
      args,
      typedSearchAttributes: new TypedSearchAttributes(pairs({ ScheduleKind: 'producer' })),
      staticSummary: `${producer} of ${pipeline} is due`,
    },
    note: `Producer ${producer} of the pipeline ${pipeline}; ${scheduleInWords(schedule)}`,
  };
}

/** Start times of a producer, as Temporal has them. */
export interface ProducerTimes {
  readonly cadence: string;
  readonly next: string[];
  /** Differences between the Schedule and the deployed document. */
  readonly drift: string[];
}

export async function producerTimes(
  client: Client,
  pipeline: string,
  producer: string,
  schedule: ProducerSchedule,
): Promise<ProducerTimes> {
  const cadence = scheduleInWords(schedule);
  const again = 'Deploy the pipeline again.';
  const managed = scheduleOf(client, pipeline, producer);
  try {
    const found = await managed.find();
    if (!found) return { cadence, next: [], drift: [`Its Schedule does not exist. ${again}`] };
    // Compared with the document, not with what an earlier deployment wrote.
    const drift = managed.drift({ ...found, record: { ...found.record, schedule } }).map((it) => `${it} ${again}`);
    if (found.paused) return { cadence, next: [], drift: [...drift, `Its Schedule is paused: ${found.note}`] };
    return { cadence, next: realTimes(producerCadence(schedule), found.next).map(iso), drift };
  } catch (error) {
    if (!isBroken(error)) throw error;
    return { cadence, next: [], drift: [`Its action was rewritten outside Journeyman; its ticks fail. ${again}`] };
  }
}

/** The producers of a pipeline that have a Schedule. */
async function listProducers(client: Client, pipeline: string): Promise<string[]> {
  const prefix = producerScheduleId(pipeline, '');
  const found: string[] = [];
  const query = `ScheduleKind = 'producer' AND JourneyTags = ${queryLiteral(pipelineTag(pipeline))}`;
  for await (const { id } of allSchedules(client, query))
    if (id.startsWith(prefix)) found.push(id.slice(prefix.length));
  return found;
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
