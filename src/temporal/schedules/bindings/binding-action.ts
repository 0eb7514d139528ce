import type { Client, CompiledScheduleOptions } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import {
  journeyArguments,
  newInput,
  readArguments,
  settingsOf,
} from '../../../../workflows/journey/build-workflow-input.js';
import type { JourneyInput } from '../../../../workflows/journey/workflow-contract.js';
import { attributesOf, pairs } from '../../../../workflows/shared/run-search-attributes.js';
import { interpreterVersion } from '../../../engine/interpreter-version.js';
import type { BindingRecord } from '../../../schedules/bindings/binding-record.js';
import type { RunMemo } from '../../runs/run-views.js';
import { decodeArrayFromPayloads, decodeMapFromPayloads } from '../../sdk-internals.js';
import type { ScheduleDescription } from '../describe-schedule.js';

/** The input that runs of a binding share with the run that created it. */
export interface BindingSource {
  readonly input: JourneyInput;
  readonly memo: RunMemo;
  readonly taskQueue: string;
}

/**
 * Reads the input of a run from its first event, which contains the definition, so that neither the history of the creating run nor a memo
 * needs another copy.
 */
export async function readBindingSource(
  client: Client,
  execution: { workflowId: string; runId: string },
  taskQueue: string,
): Promise<BindingSource> {
  const { namespace, loadedDataConverter } = client.options;
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution,
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const input = readArguments((await decodeArrayFromPayloads(loadedDataConverter, started?.input?.payloads)) ?? []);
  const memo = await decodeMapFromPayloads(loadedDataConverter, started?.memo?.fields);
  return { input: input!, memo: memo?.journey as RunMemo, taskQueue };
}

/** Reads the input of a binding's runs from the action of its Schedule. */
export async function sourceOf(client: Client, { raw, memo }: ScheduleDescription): Promise<BindingSource> {
  const { loadedDataConverter } = client.options;
  const action = raw.schedule?.action?.startWorkflow;
  return {
    input: readArguments((await decodeArrayFromPayloads(loadedDataConverter, action?.input?.payloads)) ?? [])!,
    memo: memo.journey as RunMemo,
    taskQueue: action?.taskQueue?.name ?? '',
  };
}

/** Gives future runs the interpreter of this version, if theirs is older. */
export async function raisedArguments(
  client: Client,
  found: ScheduleDescription,
  record: BindingRecord,
): Promise<{ record: BindingRecord; args: unknown[] } | undefined> {
  if (record.interpreter >= interpreterVersion) return undefined;
  const { input } = await sourceOf(client, found);
  // A worker of a newer version may have raised it further.
  const interpreter = Math.max(input.interpreter, interpreterVersion);
  return { record: { ...record, interpreter: interpreterVersion }, args: journeyArguments({ ...input, interpreter }) };
}

/** The action of a binding's Schedule: starts the journey at the binding's state. The memo with the record is added on writing. */
export function journeyAction(
  record: BindingRecord,
  { input, memo, taskQueue }: BindingSource,
): CompiledScheduleOptions['action'] {
  const { definition, info, interpreter } = input;
  const metadata = { tags: definition.tags, attributes: subjectOf(record) };
  const args = journeyArguments(
    newInput(settingsOf(input), {
      // Runs use the current interpreter version, however old the run is that created the binding.
      interpreter: Math.max(interpreter, interpreterVersion),
      definition,
      info: { id: '', config: info.config, scheduled: true },
      context: {},
      ...metadata,
    }),
  );
  // A client keeps its binding when an operator replaces it.
  const startedBy = record.owner ?? memo?.startedBy;
  const { inputHash: _, ownSchedules: __, ...rest } = memo ?? {};
  const journey = {
    ...rest,
    tags: definition.tags,
    start: record.startStateId,
    ...(startedBy !== undefined && { startedBy }),
    ...(record.owner !== undefined && { ownSchedules: true }),
  };
  return {
    type: 'startWorkflow',
    workflowType: definition.name,
    workflowId: record.scheduleId,
    taskQueue,
    args,
    memo: { journey },
    typedSearchAttributes: new TypedSearchAttributes(
      pairs({
        ...attributesOf(definition, metadata),
        ScheduleKind: 'binding',
        ...(startedBy !== undefined && { StartedBy: startedBy }),
      }),
    ),
    staticSummary: `${definition.name} ${definition.version}`,
    ...(definition.description !== undefined && { staticDetails: definition.description }),
  };
}

function subjectOf({ subjectId }: BindingRecord): Record<string, string> {
  return subjectId === null ? {} : { subjectId };
}
