import type { Client, CompiledScheduleOptions } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { type JourneyInput, journeyArguments, readArguments } from '../../../workflows/input.js';
import { attributesOf, pairs } from '../../../workflows/search-attributes.js';
import { interpreterVersion } from '../../engine/version.js';
import type { BindingRecord } from '../../scheduling/bindings/record.js';
import { decodeArrayFromPayloads, decodeMapFromPayloads } from '../sdk.js';
import type { RunMemo } from '../views.js';

/** An action of a Schedule, as the SDK encodes it. */
export type JourneyAction = CompiledScheduleOptions['action'];

/** What the runs of a binding have in common with the run that makes it. */
export interface BindingSource {
  readonly input: JourneyInput;
  readonly memo: RunMemo;
  readonly taskQueue: string;
}

/**
 * The start of a run, read from its own first event: the definition is there already, so neither the history of the creating run nor any
 * memo needs another copy.
 */
export async function readSource(
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

/** What a binding's Schedule does: start the journey at the binding's state. The memo is added by whoever writes it. */
export function journeyAction(record: BindingRecord, { input, memo, taskQueue }: BindingSource): JourneyAction {
  const { definition, info, interpreter, limits, timezone } = input;
  const metadata = { tags: definition.tags, attributes: subjectOf(record) };
  const { environment, config, callModes, schedules } = info;
  const args = journeyArguments({
    // Its runs are new, however long ago the run that makes the binding began.
    interpreter: Math.max(interpreter ?? 0, interpreterVersion),
    definition,
    info: {
      id: '',
      environment,
      config,
      scheduled: true,
      ...(callModes && { callModes }),
      ...(schedules && { schedules }),
    },
    context: {},
    ...metadata,
    limits,
    ...(timezone !== undefined && { timezone }),
  });
  const { inputHash: _, ...journey } = { ...memo, tags: definition.tags, start: record.startStateId };
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
        ...(memo?.startedBy !== undefined && { StartedBy: memo.startedBy }),
      }),
    ),
    staticSummary: `${definition.name} ${definition.version}`,
    ...(definition.description !== undefined && { staticDetails: definition.description }),
  };
}

function subjectOf({ subjectId }: BindingRecord): Record<string, string> {
  return subjectId === null ? {} : { subjectId };
}
