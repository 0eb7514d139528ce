import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { searched } from '../../../workflows/shared/run-search-attributes.js';
import type { RunName } from '../../schedules/bindings/binding-record.js';
import { asProblem, isNotFound } from '../classify-temporal-errors.js';
import { decodeMapFromPayloads, tsToMs } from '../sdk-internals.js';

/** A Schedule as the server describes it, with its conflict token. */
export type RawDescription = temporal.api.workflowservice.v1.IDescribeScheduleResponse;

/** A run that a Schedule started: its ids, its nominal time and its actual start. */
export interface StartedRun extends RunName {
  readonly nominal: number;
  readonly startedAt: number;
}

/** A Schedule at one moment. Times are in milliseconds. */
export interface ScheduleDescription {
  readonly raw: RawDescription;
  /** The memo of its action, decoded: records of ours live there. */
  readonly memo: Readonly<Record<string, unknown>>;
  readonly paused: boolean;
  readonly note: string;
  /** Starts that the server skipped so far because a run was active. */
  readonly overlapSkipped: number;
  /** Starts that wait for the end of a run. */
  readonly buffered: number;
  /** Active runs that the Schedule follows. */
  readonly running: readonly RunName[];
  /** The ten latest runs. */
  readonly recent: readonly StartedRun[];
  /** The next start times. */
  readonly next: readonly number[];
}

/** Describes a Schedule; undefined if it does not exist. */
export async function describeSchedule(client: Client, scheduleId: string): Promise<ScheduleDescription | undefined> {
  const { namespace, loadedDataConverter } = client.options;
  const raw = await client.workflowService.describeSchedule({ namespace, scheduleId }).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw asProblem(error);
  });
  if (!raw) return undefined;
  const memo = await decodeMapFromPayloads(loadedDataConverter, raw.schedule?.action?.startWorkflow?.memo?.fields);
  const { info = {}, schedule } = raw;
  return {
    raw,
    memo: memo ?? {},
    paused: schedule?.state?.paused === true,
    note: schedule?.state?.notes ?? '',
    overlapSkipped: Number(info?.overlapSkipped ?? 0),
    buffered: Number(info?.bufferSize ?? 0),
    running: (info?.runningWorkflows ?? []).map(runName),
    recent: (info?.recentActions ?? []).map(({ scheduleTime, actualTime, startWorkflowResult }) => ({
      nominal: tsToMs(scheduleTime),
      startedAt: tsToMs(actualTime),
      ...runName(startWorkflowResult),
    })),
    next: (info?.futureActionTimes ?? []).map(tsToMs),
  };
}

function runName(execution?: temporal.api.common.v1.IWorkflowExecution | null): RunName {
  return { id: execution?.workflowId ?? '', run: execution?.runId ?? '' };
}

type SearchAttributes = { searchAttributes?: temporal.api.common.v1.ISearchAttributes | null };

/** The values of a Keyword or KeywordList. The SDK's decoder builds dates and typed keys, which is too slow for a long list. */
export function keywordValues({ searchAttributes }: SearchAttributes, name: string): string[] {
  const data = searchAttributes?.indexedFields?.[name]?.data;
  if (!data) return [];
  return [JSON.parse(Buffer.from(data).toString()) as string | string[]].flat().map(searched);
}

/** The value of a Keyword. */
export function keyword(described: SearchAttributes, name: string): string | undefined {
  return keywordValues(described, name)[0];
}

/** The `key=value` pairs among the tags of a Schedule. */
export function readTags(described: SearchAttributes): Readonly<Record<string, string>> {
  const pairs = keywordValues(described, 'JourneyTags').map((tag) => {
    const at = tag.indexOf('=');
    return [tag.slice(0, at), tag.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}
