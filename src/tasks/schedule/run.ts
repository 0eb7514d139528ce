import type { Expression, TextSource } from '../../definition/definition.js';
import type { TaskHost } from '../../engine/task-host.js';
import type { TaskRunner } from '../../engine/vocabulary.js';
import { jsonBytes } from '../../json/size.js';
import { isObject, type Json, type JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { BindingRequest, BindingTimes, MadeBinding } from '../../scheduling/bindings/record.js';
import type { Bounds } from '../../scheduling/cadence/bounds.js';
import { readCron, readInstant, readInterval } from '../../scheduling/cadence/read.js';
import { formatInstant, parseInstant } from '../../time/duration.js';
import type { ScheduleTask } from './read.js';

/** As long as an attribute of a run may be, because every run of the schedule carries it as one. */
const longestSubject = 256;
const budgetMs = 30_000;

/** Makes a schedule that starts further runs of this journey; the run goes on once Temporal has it. */
export const runner: TaskRunner<ScheduleTask> = {
  async ask(task, host) {
    const request = await evaluated(task, host);
    return { name: 'schedule', input: request, safe: false, repeatable: true, budgetMs };
  },
  take(_, answer, site) {
    const { scheduleId, paused } = answer as MadeBinding;
    if (paused)
      site.note(`The schedule ${scheduleId} stays paused (${paused.note}): it starts no run until it is resumed.`);
    return undefined;
  },
};

async function evaluated(task: ScheduleTask, host: TaskHost): Promise<BindingRequest> {
  const times = task.cron ? await readCronTimes(task, host) : await readIntervalTimes(task, host);
  return {
    journeyName: host.journey.name,
    journeyVersion: host.journey.version,
    startStateId: task.start,
    subjectId: task.subjectId ? checkSubject(await value(task.subjectId, host)) : null,
    ...times,
    maxRuns: checkRuns('value' in task.maxRuns ? task.maxRuns.value : await value(task.maxRuns.mapper, host)),
    onExisting: task.onExisting,
    creator: host.idempotencyKey,
    context: checkContext(task.context ? await value(task.context, host) : host.context, host),
  };
}

/** The whole second that runs are counted from. A time that is not in the future counts as now, so the first run is never before it. */
async function readStart({ startAt }: ScheduleTask, host: TaskHost): Promise<number> {
  if (!startAt) return secondOf(host.now());
  const given = await text(startAt, host);
  const hint = 'Give an RFC 3339 timestamp, like 2027-01-31T09:00:00Z.';
  if (typeof given !== 'string') return invalid('startAt', `startAt gave ${kindOf(given)}.`, hint);
  const { instant, findings } = readInstant(given);
  if (instant === undefined) return invalid('startAt', `${findings[0]!.message}.`, findings[0]!.hint ?? hint);
  const exact = parseInstant(given)!;
  return exact <= host.now() ? secondOf(exact) : instant;
}

async function readIntervalTimes(task: ScheduleTask, host: TaskHost): Promise<BindingTimes> {
  const startAt = await readStart(task, host);
  const given = await text(task.interval!, host);
  const hint = 'Give an ISO-8601 duration, like P1D or P1M.';
  if (typeof given !== 'string' || !given.startsWith('P'))
    return invalid('interval', `interval gave ${kindOf(given)}.`, hint);
  const [fault] = readInterval(given, startAt, { bounds: boundsOf(host) }).findings;
  if (fault) return invalid('interval', `interval ${given}: ${fault.message}.`, fault.hint ?? hint);
  return { startAt: formatInstant(startAt), interval: given };
}

/** A cron starts nothing at once: the first run is the first one due from now on. */
async function readCronTimes(task: ScheduleTask, host: TaskHost): Promise<BindingTimes> {
  const startAt = Math.max(await readStart(task, host), secondOf(host.now()) + 1000);
  const cron = await text(task.cron!, host);
  const timezone = await text(task.timezone!, host);
  const five = 'Give five fields, like 30 2 * * *.';
  const zone = 'Name an IANA zone, like Europe/Rome.';
  if (typeof cron !== 'string') return invalid('cron', `cron gave ${kindOf(cron)}.`, five);
  if (typeof timezone !== 'string') return invalid('timezone', `timezone gave ${kindOf(timezone)}.`, zone);
  const where = { pointer: 'cron', zonePointer: 'timezone', bounds: boundsOf(host) };
  const [fault] = readCron(cron, timezone, where).findings;
  if (fault) return invalid(fault.pointer, `${fault.message}.`, fault.hint ?? five);
  return { startAt: formatInstant(startAt), cron, timezone };
}

function boundsOf({ scheduleLimits }: TaskHost): Bounds {
  return { shortest: scheduleLimits.minIntervalSec * 1000 };
}

function checkRuns(given: Json): number {
  if (typeof given === 'number' && Number.isSafeInteger(given) && given >= 1) return given;
  return invalid('maxRuns', `maxRuns gave ${kindOf(given)}.`, 'Give a whole number, at least 1.');
}

function checkSubject(given: Json): string {
  if (typeof given === 'string' && given !== '' && given.length <= longestSubject) return given;
  return invalid(
    'subjectId',
    `subjectId gave ${kindOf(given)}.`,
    `Give a text of 1 to ${longestSubject} characters, or leave subjectId out.`,
  );
}

function checkContext(given: Json, host: TaskHost): JsonObject {
  if (!isObject(given))
    return invalid(
      'context',
      `context gave ${kindOf(given)}.`,
      'Give an object: it is what the first run starts from.',
    );
  const { contextBytes } = host.scheduleLimits;
  const bytes = jsonBytes(given);
  if (bytes <= contextBytes) return given;
  return refuse('CONTEXT_TOO_LARGE', `The context has ${bytes} bytes; the limit is ${contextBytes}.`, {
    pointer: '/task/context',
  });
}

async function text(source: TextSource, host: TaskHost): Promise<Json> {
  return 'text' in source ? source.text : await value(source.mapper, host);
}

async function value(mapper: Expression, host: TaskHost): Promise<Json> {
  return await host.evaluate(mapper, 'schedule');
}

function secondOf(instant: number): number {
  return Math.floor(instant / 1000) * 1000;
}

function kindOf(given: Json): string {
  if (given === null) return 'null';
  if (Array.isArray(given)) return 'an array';
  if (typeof given === 'object') return 'an object';
  if (typeof given === 'string' && given.length > 60) return JSON.stringify(`${given.slice(0, 60)}…`);
  return JSON.stringify(given);
}

function invalid(field: string, detail: string, hint: string): never {
  return refuse('SCHEDULE_INVALID', detail, { pointer: `/task/${field}`, hint });
}
