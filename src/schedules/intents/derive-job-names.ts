import { type Json, type JsonObject, own } from '../../base/json/value.js';
import { readCadence } from '../cadence/cadence-json.js';
import { describeCadence } from '../cadence/describe-cadence.js';
import { localTime } from '../cadence/zone-transitions.js';
import type { IntentContext, Invocation, KnownJob } from './intent-types.js';

/** The text that an action posts, or the workflow or function that it runs. */
export function actionText(action: Json | undefined): string | undefined {
  const found = [own(own(action, 'inputs'), 'text'), own(action, 'workflowId'), own(action, 'functionId')];
  return found.find((it): it is string => typeof it === 'string');
}

const longestText = 40;

/** Name of a job that has none: its text or target, and its cadence, as in `hello world, Fridays 09:00`. */
export function nameFrom(does: string | undefined, schedule: JsonObject, zone: string | undefined): string | undefined {
  const when = cadenceName(schedule, zone);
  if (does === undefined || when === undefined) return undefined;
  const text = does.replace(/\s+/g, ' ').trim();
  return `${text.length > longestText ? `${text.slice(0, longestText - 1).trim()}…` : text}, ${when}`;
}

/** Cadence in a name: `Fridays 09:00`, `weekdays 08:30`, `daily 09:00 and 17:00`, `every 15 minutes`, `2026-11-17 15:00`. */
export function cadenceName(schedule: JsonObject, zone = 'UTC'): string | undefined {
  const { cadence } = readCadence(schedule, { now: 0, allowPast: true });
  if (!cadence) return undefined;
  if (cadence.kind === 'once') return localTime(zone, cadence.at).toFormat('yyyy-MM-dd HH:mm');
  const text = describeCadence(cadence);
  if (cadence.kind !== 'cron') return text.replace(/ from .*/, '');
  return text
    .replace(new RegExp(`,? ${cadence.zone}$`), '')
    .replace(/^every day at /, 'daily ')
    .replace(/^every ((?:\w+day(?:, | and )?)+) at /, (_, days: string) => `${days.replace(/day\b/g, 'days')} `);
}

/** Adds a name to a call that creates a job, and updates a name that was derived from the old cadence or text. */
export function withName(invocation: Invocation, { timezone, jobs }: IntentContext): Invocation {
  const { functionId, functionArgs } = invocation;
  const { schedule, targetAction, name, scheduleType } = functionArgs;
  if (functionId === 'schedule.create' && name === undefined) {
    const newName = nameFrom(actionText(targetAction), { type: scheduleType!, ...(schedule as JsonObject) }, timezone);
    return newName === undefined ? invocation : { functionId, functionArgs: { ...functionArgs, name: newName } };
  }
  const job = jobs.find(({ jobId }) => jobId === functionArgs.jobId);
  const patch = functionArgs.patch as JsonObject | undefined;
  if (functionId !== 'schedule.update' || !job || !patch || patch.name !== undefined) return invocation;
  if (job.name !== nameFrom(job.does, job.schedule, timezone)) return invocation;
  const next = nameFrom(
    actionText(patch.targetAction) ?? job.does,
    (patch.schedule as JsonObject | undefined) ?? job.schedule,
    timezone,
  );
  return next === undefined || next === job.name
    ? invocation
    : { functionId, functionArgs: { ...functionArgs, patch: { ...patch, name: next } } };
}

/** Label of a job in a question: its name, or one derived from its text and cadence. */
export function jobLabel({ jobId, name, does, schedule }: KnownJob, zone: string | undefined): string {
  return name && name !== jobId ? name : (nameFrom(does, schedule, zone) ?? jobId);
}

/** Label of a job with everything that identifies it: `weekly report (report, Fridays 17:00)`. */
export function fullJobLabel(job: KnownJob, zone: string | undefined): string {
  const label = jobLabel(job, zone);
  const details = [job.does, cadenceName(job.schedule, zone)].filter((it) => it !== undefined && !label.includes(it));
  return details.length === 0 ? label : `${label} (${details.join(', ')})`;
}
