import type { Json, JsonObject } from '../../base/json/value.js';
import { jobStates, misfirePolicies } from '../../schedules/jobs/job-record.js';
import { readOnlyFields } from '../../schedules/jobs/read-job.js';
import type { Page } from '../schedules-interface.js';

type Fields = Record<string, JsonObject>;

/** Schema of a closed object. */
export function objectSchema(properties: Fields, required: string[] = [], description?: string): JsonObject {
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties,
    required,
    additionalProperties: false,
  };
}

export const stringField = (description: string, rest: JsonObject = {}): JsonObject => ({
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description,
  ...rest,
});
const orNull = (type: Json, description: string, rest: JsonObject = {}): JsonObject => ({
  type: [type, 'null'],
  description: `${description} Null clears it.`,
  ...rest,
});

export const jobId = stringField('The id of a job of this orchestrator.');
export const orchestratorId = stringField('The orchestrator; must be that of the caller.');

const types = ['once', 'interval', 'cron'];
const scheduleFields: Fields = {
  runAt: stringField('once: an RFC 3339 time in the future.'),
  everySeconds: { type: 'integer', description: 'interval: seconds between runs, from 10 to 31536000.' },
  every: stringField('interval: a duration such as PT15M, 15m or P1M, in place of everySeconds.'),
  anchorAt: stringField(
    'interval: the RFC 3339 time that the runs are counted from; by default the creation of the job.',
  ),
  expression: stringField('cron: five fields, minute hour day-of-month month day-of-week.'),
  timezone: stringField('cron: an IANA zone, like Europe/Berlin.'),
};
const schedule: JsonObject = {
  type: 'object',
  description:
    '{runAt}, {everySeconds, anchorAt?} or {expression, timezone}; its type is given in "type" or in scheduleType.',
  properties: { type: { type: 'string', enum: types }, ...scheduleFields },
};

export const targetActionSchema: JsonObject = {
  type: 'object',
  description:
    'The target: {type: workflow_start, workflowId, inputs?} starts a journey, {type: command_invoke, functionId, functionArgs?} invokes a function.',
  properties: {
    type: { type: 'string', enum: ['workflow_start', 'command_invoke'] },
    workflowId: stringField('Name of the journey.'),
    inputs: { type: 'object', description: 'The input, checked against its schema.' },
    functionId: stringField('Id of the function.'),
    functionArgs: { type: 'object', description: 'The arguments, checked against its schema.' },
  },
  required: ['type'],
};

export const targetRefSchema = orNull(
  'object',
  'Target of the output: {channel, channelProfileId, …} of this orchestrator.',
);

/** Fields of a job that users set, in requests and responses. */
const decided: Fields = {
  name: orNull('string', 'Display name.'),
  schedule,
  targetAction: targetActionSchema,
  targetRef: targetRefSchema,
  misfirePolicy: orNull('string', 'Handling of missed times: one late run (default), or none.', {
    enum: [...misfirePolicies, null],
  }),
  allowOverlap: orNull('boolean', 'True if runs may overlap; default false.'),
  maxDurationSec: orNull('integer', 'Maximum duration of a run in seconds; default one day.'),
  state: { type: 'string', enum: [...jobStates], description: 'enabled (default), paused or disabled.' },
};

/** Read-only fields that may be sent back and are ignored. */
const readOnly: Fields = Object.fromEntries(
  readOnlyFields.map((name) => [name, { readOnly: true, description: 'Read-only; ignored in requests.' }]),
);

/** Page parameters. */
export const pagingFields: Fields = {
  pageSize: { type: 'integer', minimum: 1, maximum: 200, description: 'Maximum number of items; default 50.' },
  pageToken: { type: 'string', maxLength: 10_000, description: 'The nextPageToken of the previous page.' },
};

/** Reads the page parameters. */
export function pageOf({ pageSize = 50, pageToken }: JsonObject): Page {
  return { pageSize: pageSize as number, ...(pageToken !== undefined && { pageToken: pageToken as string }) };
}

/** Arguments of the schedule functions. */
export const scheduleParameters = {
  create: objectSchema(
    {
      orchestratorId,
      scheduleType: {
        type: 'string',
        enum: types,
        description: 'once, interval or cron; may be given as schedule.type instead.',
      },
      ...decided,
      ...readOnly,
    },
    ['orchestratorId', 'schedule', 'targetAction'],
    'A new job.',
  ),
  update: objectSchema(
    {
      jobId,
      patch: objectSchema(
        { ...decided, ...readOnly, orchestratorId: { readOnly: true } },
        [],
        'The fields to replace; null clears one. schedule needs its type.',
      ),
    },
    ['jobId', 'patch'],
  ),
  list: objectSchema({
    orchestratorId,
    state: {
      type: 'string',
      enum: [...jobStates],
      description: 'Only jobs in this state; default: all except deleted ones.',
    },
    ...pagingFields,
  }),
  runs: objectSchema({ jobId, ...pagingFields }, ['jobId']),
  one: objectSchema({ jobId }, ['jobId']),
  runNow: objectSchema(
    { jobId, requestId: stringField('Idempotency key: repeating it returns the same run.', { pattern: '^[!-~]+$' }) },
    ['jobId'],
  ),
} as const;
