import type { Json, JsonObject } from '../../json/value.js';
import { readOnlyFields } from '../../scheduling/jobs/read.js';
import { jobStates, misfirePolicies } from '../../scheduling/jobs/record.js';
import type { Page } from '../schedules.js';

type Fields = Record<string, JsonObject>;

/** An object with these fields and no others. */
export function shape(properties: Fields, required: string[] = [], description?: string): JsonObject {
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties,
    required,
    additionalProperties: false,
  };
}

export const text = (description: string, rest: JsonObject = {}): JsonObject => ({
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

export const jobId = text('The id of a job of this orchestrator.');
export const orchestratorId = text('The orchestrator; it must be the one that the caller acts in.');

const types = ['once', 'interval', 'cron'];
const scheduleFields: Fields = {
  runAt: text('once: an RFC 3339 time in the future.'),
  everySeconds: { type: 'integer', description: 'interval: seconds from run to run, from 10 to 31536000.' },
  every: text('interval: a duration such as PT15M, 15m or P1M, in place of everySeconds.'),
  anchorAt: text('interval: an RFC 3339 time that the runs are counted from; when the job was made, unless given.'),
  expression: text('cron: five fields, minute hour day-of-month month day-of-week.'),
  timezone: text('cron: an IANA zone, like Europe/Berlin.'),
};
const schedule: JsonObject = {
  type: 'object',
  description:
    '{runAt}, {everySeconds, anchorAt?} or {expression, timezone}; its type stands in "type" or in scheduleType.',
  properties: { type: { type: 'string', enum: types }, ...scheduleFields },
};

export const targetAction: JsonObject = {
  type: 'object',
  description:
    'What runs: {type: workflow_start, workflowId, inputs?} starts a journey, {type: command_invoke, functionId, functionArgs?} invokes a function.',
  properties: {
    type: { type: 'string', enum: ['workflow_start', 'command_invoke'] },
    workflowId: text('Name of the journey.'),
    inputs: { type: 'object', description: 'What it starts with; checked against its input schema.' },
    functionId: text('Id of the function.'),
    functionArgs: { type: 'object', description: 'Its arguments; checked against its schema.' },
  },
  required: ['type'],
};

export const targetRef = orNull(
  'object',
  'Where the output goes: {channel, channelProfileId, …} of this orchestrator.',
);

/** What a user decides about a job, by the names it has on the wire in both directions. */
const decided: Fields = {
  name: orNull('string', 'What people call it.'),
  schedule,
  targetAction,
  targetRef,
  misfirePolicy: orNull('string', 'What happens to times that were missed: one late run (as by default), or none.', {
    enum: [...misfirePolicies, null],
  }),
  allowOverlap: orNull('boolean', 'Whether a run may start while another is active; false by default.'),
  maxDurationSec: orNull('integer', 'The longest a run may take, in seconds; a day by default.'),
  state: { type: 'string', enum: [...jobStates], description: 'enabled (as by default), paused or disabled.' },
};

/** What `show` prints and may be sent back with the rest, to no effect. */
const readOnly: Fields = Object.fromEntries(
  readOnlyFields.map((name) => [
    name,
    { readOnly: true, description: 'Only as part of a whole job that show printed.' },
  ]),
);

/** Which page of a list is wanted. */
export const paging: Fields = {
  pageSize: { type: 'integer', minimum: 1, maximum: 200, description: 'How many at most; 50 unless given.' },
  pageToken: { type: 'string', maxLength: 10_000, description: 'The nextPageToken of the page before.' },
};

/** The page that arguments name. */
export function pageOf({ pageSize = 50, pageToken }: JsonObject): Page {
  return { pageSize: pageSize as number, ...(pageToken !== undefined && { pageToken: pageToken as string }) };
}

/** Arguments of the schedule functions. */
export const scheduleParameters = {
  create: shape(
    {
      orchestratorId,
      scheduleType: { type: 'string', enum: types, description: 'once, interval or cron; may stand in schedule.type.' },
      ...decided,
      ...readOnly,
    },
    ['orchestratorId', 'schedule', 'targetAction'],
    'A new job.',
  ),
  update: shape(
    {
      jobId,
      patch: shape(
        { ...decided, ...readOnly, orchestratorId: { readOnly: true } },
        [],
        'The fields to replace, each as a whole; null clears one. schedule needs its type.',
      ),
    },
    ['jobId', 'patch'],
  ),
  list: shape({
    orchestratorId,
    state: {
      type: 'string',
      enum: [...jobStates],
      description: 'Only jobs in this state; all but deleted ones, unless given.',
    },
    ...paging,
  }),
  runs: shape({ jobId, ...paging }, ['jobId']),
  one: shape({ jobId }, ['jobId']),
  runNow: shape({ jobId, requestId: text('The same id is the same run.', { pattern: '^[!-~]+$' }) }, ['jobId']),
} as const;
