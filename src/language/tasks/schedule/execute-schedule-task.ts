import { jsonBytes } from '../../../base/json/size.js';
import { isObject, type Json, type JsonObject } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import { formatInstant, parseInstant } from '../../../base/time/instant.js';
import type { Expression, TextSource } from '../../../engine/definition/definition.js';
import type { TaskRunner } from '../../../engine/runner-interfaces.js';
import type { TaskHost } from '../../../engine/task-host.js';
import {
  type BindingRequest,
  type BindingTimes,
  type CreatedBinding,
  readTimes,
} from '../../../schedules/bindings/binding-record.js';
import type { Bounds } from '../../../schedules/cadence/interval-bounds.js';
import { readCron, readInstant, readInterval } from '../../../schedules/cadence/read-cadence-fields.js';
import type { ScheduleTask } from './schedule.js';

/** Upper bound for the subject, in characters: every run of the schedule has it as a search attribute. */
const longestSubject = 256;
/** Time limit of one request to the server. */
export const budgetMs = 30_000;

/** Creates a schedule that starts further runs of this journey; the run continues once Temporal has it. */
export const executeScheduleTask: TaskRunner<ScheduleTask> = {
  async buildRequest(task, host) {
    const request = await evaluated(task, host);
    return { name: 'schedule', input: request, safe: false, repeatable: true, budgetMs };
  },
  handleResult(_, answer, site) {
    const { scheduleId, paused } = answer as CreatedBinding;
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
    subjectId: await subjectOf(task, host),
    ...times,
    maxRuns: checkRuns('value' in task.maxRuns ? task.maxRuns.value : await value(task.maxRuns.mapper, host)),
    onExisting: task.onExisting,
    creator: host.idempotencyKey,
    context: checkContext(task.context ? await value(task.context, host) : host.context, host),
  };
}

/** Returns the whole second at which runs begin. A time that is not in the future counts as now. */
async function readStart({ startAt }: ScheduleTask, host: TaskHost): Promise<number> {
  if (!startAt) return secondOf(host.now());
  const { exact, instant } = await readMoment('startAt', startAt, host);
  return exact <= host.now() ? secondOf(exact) : instant;
}

/** An instant that a task names: exact, and as the whole second at or after it. */
async function readMoment(
  field: string,
  source: TextSource,
  host: TaskHost,
): Promise<{ exact: number; instant: number }> {
  const given = await text(source, host);
  const hint = 'Give an RFC 3339 timestamp, like 2027-01-31T09:00:00Z.';
  if (typeof given !== 'string') return invalid(field, `${field} returned ${kindOf(given)}.`, hint);
  const { instant, findings } = readInstant(given);
  if (instant === undefined) return invalid(field, `${findings[0]!.message}.`, findings[0]!.hint ?? hint);
  return { exact: parseInstant(given)!, instant };
}

async function readIntervalTimes(task: ScheduleTask, host: TaskHost): Promise<BindingTimes> {
  const startAt = await readStart(task, host);
  const given = await text(task.interval!, host);
  const hint = 'Give an ISO-8601 duration, like P1D or P1M.';
  if (typeof given !== 'string' || !given.startsWith('P'))
    return invalid('interval', `interval returned ${kindOf(given)}.`, hint);
  const [fault] = readInterval(given, startAt, { bounds: boundsOf(host) }).findings;
  if (fault) return invalid('interval', `interval ${given}: ${fault.message}.`, fault.hint ?? hint);
  if (!task.anchor) return { startAt: formatInstant(startAt), interval: given };
  const { instant } = await readMoment('anchor', task.anchor, host);
  const times = { startAt: formatInstant(startAt), interval: given, anchor: formatInstant(instant) };
  const [late] = readTimes(times).findings;
  if (late) return invalid('anchor', `${late.message}.`, late.hint ?? hint);
  return times;
}

/** Unlike an interval, a cron does not start a run immediately: the first run is the next occurrence after now. */
async function readCronTimes(task: ScheduleTask, host: TaskHost): Promise<BindingTimes> {
  const startAt = Math.max(await readStart(task, host), secondOf(host.now()) + 1000);
  const cron = await text(task.cron!, host);
  const timezone = await text(task.timezone!, host);
  const five = 'Give five fields, like 30 2 * * *.';
  const zone = 'Name an IANA zone, like Europe/Rome.';
  if (typeof cron !== 'string') return invalid('cron', `cron returned ${kindOf(cron)}.`, five);
  if (typeof timezone !== 'string') return invalid('timezone', `timezone returned ${kindOf(timezone)}.`, zone);
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
  return invalid('maxRuns', `maxRuns returned ${kindOf(given)}.`, 'Give a whole number, at least 1.');
}

/** The subject of a task's schedules; null without one. */
export async function subjectOf({ subjectId }: { subjectId?: Expression }, host: TaskHost): Promise<string | null> {
  return subjectId ? checkSubject(await value(subjectId, host)) : null;
}

function checkSubject(given: Json): string {
  if (typeof given === 'string' && given !== '' && given.length <= longestSubject) return given;
  return invalid(
    'subjectId',
    `subjectId returned ${kindOf(given)}.`,
    `Give a text of 1 to ${longestSubject} characters, or leave subjectId out.`,
  );
}

function checkContext(given: Json, host: TaskHost): JsonObject {
  if (!isObject(given))
    return invalid(
      'context',
      `context returned ${kindOf(given)}.`,
      'Return an object: it is the context of the first run.',
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
