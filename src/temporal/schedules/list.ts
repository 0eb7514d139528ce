import type { Client } from '@temporalio/client';
import type { BindingRequest } from '../../scheduling/bindings/record.js';
import { asProblem } from '../failures.js';
import { quoted } from '../list-runs.js';

type Identity = Pick<BindingRequest, 'journeyName' | 'journeyVersion' | 'subjectId' | 'startStateId'>;

/** Ids of the bindings with an identity key that are not exhausted, as visibility knows them. */
export async function activeBindings(client: Client, key: Identity): Promise<string[]> {
  const parts = [
    "ScheduleKind = 'binding'",
    'JourneyOutcome IS NULL',
    `JourneyName = ${quoted(key.journeyName)}`,
    `JourneyVersion = ${quoted(key.journeyVersion)}`,
    `JourneyState = ${quoted(key.startStateId)}`,
    key.subjectId === null ? 'SubjectId IS NULL' : `SubjectId = ${quoted(key.subjectId)}`,
  ];
  const { schedules } = await client.workflowService
    .listSchedules({ namespace: client.options.namespace, query: parts.join(' AND '), maximumPageSize: 2 })
    .catch((error) => Promise.reject(asProblem(error)));
  return schedules.map(({ scheduleId }) => scheduleId ?? '');
}
