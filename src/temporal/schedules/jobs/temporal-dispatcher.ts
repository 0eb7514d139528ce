import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { dispatchWorkflow } from '../../../../workflows/dispatch/workflow-contract.js';
import { keys, pairs } from '../../../../workflows/shared/run-search-attributes.js';
import type { Json } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import type { Config } from '../../../config/config-types.js';
import type { Outcome } from '../../../engine/outcome.js';
import type { Envelope, ExecutionPhase } from '../../../schedules/jobs/dispatch-envelope.js';
import type { Dispatcher, JobRun, QueueWorker } from '../../../service/jobs-interface.js';
import type { Page } from '../../../service/schedules-interface.js';
import { checkSize } from '../../check-payload-size.js';
import { asProblem, isNotFound } from '../../classify-temporal-errors.js';
import { queryLiteral } from '../../query-literal.js';
import { decodeArrayFromPayloads, tsToMs } from '../../sdk-internals.js';
import { envelopeMemo, queueOf, runAttributes, targetName } from './dispatch-action.js';
import { type DispatchInfo, listDispatches, runOf } from './list-dispatches.js';

const phaseQuery: Record<ExecutionPhase, string> = {
  incoming: "ExecutionStatus = 'Running' AND JourneyState = 'incoming'",
  processing: "ExecutionStatus = 'Running' AND JourneyState = 'processing'",
  outgoing: "ExecutionStatus = 'Running' AND JourneyState = 'outgoing'",
  done: "ExecutionStatus != 'Running'",
};

/** Dispatches on Temporal. */
export class TemporalDispatcher implements Dispatcher {
  private readonly taskQueue: string;

  constructor(
    private readonly client: Client,
    { temporal }: Pick<Config, 'temporal'>,
  ) {
    this.taskQueue = temporal.taskQueue;
  }

  async dispatch(envelope: Envelope): Promise<{ executionId: string }> {
    const { executionId, orchestratorId, targetAction } = envelope;
    checkSize(envelope);
    try {
      await this.client.workflow.start(dispatchWorkflow, {
        workflowId: executionId,
        taskQueue: queueOf(this.taskQueue, orchestratorId),
        args: [envelope],
        memo: { ...envelopeMemo(envelope) },
        typedSearchAttributes: new TypedSearchAttributes(pairs(runAttributes(envelope))),
        staticSummary: `${envelope.origin}: ${targetName(targetAction)}`,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      });
    } catch (error) {
      // It has already ended.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw asProblem(error);
    }
    return { executionId };
  }

  async queue(query: Page & { orchestratorId?: string; phase?: ExecutionPhase }) {
    const filter = [
      "ScheduleKind = 'job'",
      ...(query.orchestratorId === undefined ? [] : [`OrchestratorId = ${queryLiteral(query.orchestratorId)}`]),
      ...(query.phase === undefined ? [] : [phaseQuery[query.phase]]),
    ].join(' AND ');
    const { infos, ...more } = await listDispatches(this.client, filter, query);
    return { items: await Promise.all(infos.map((info) => runOf(this.client, info))), ...more };
  }

  async show(orchestratorId: string, executionId: string): Promise<JobRun & { output: Json }> {
    const info = await this.client.workflow
      .getHandle(executionId)
      .describe()
      .catch((error) => {
        if (isNotFound(error)) return undefined;
        throw asProblem(error);
      });
    if (info?.type !== dispatchWorkflow || info.typedSearchAttributes.get(keys.OrchestratorId) !== orchestratorId)
      return refuse('EXECUTION_UNKNOWN', 'The run does not exist in this orchestrator.');
    const run = await runOf(this.client, info);
    const output = run.result?.outcome === 'succeeded' ? await this.outputOf(info, run) : null;
    return { ...run, output };
  }

  /** The output of a journey is in its own run, that of a function in the history of its dispatch. */
  private async outputOf({ workflowId, runId }: DispatchInfo, { journeyId }: JobRun): Promise<Json> {
    const { workflow, options } = this.client;
    try {
      if (journeyId !== null) return ((await workflow.getHandle(journeyId).result()) as Outcome).output;
      const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
      const asked = events?.find(
        ({ activityTaskScheduledEventAttributes: it }) => it?.activityType?.name === 'functionInvoked',
      );
      const done = events
        ?.map(({ activityTaskCompletedEventAttributes: it }) => it)
        .find((it) => it && String(it.scheduledEventId) === String(asked?.eventId));
      const [output] = await decodeArrayFromPayloads(options.loadedDataConverter, done?.result?.payloads);
      return (output ?? null) as Json;
    } catch (error) {
      // The server no longer has it.
      if (isNotFound(error)) return null;
      throw asProblem(error);
    }
  }

  async workers(orchestratorId: string): Promise<readonly QueueWorker[]> {
    const { namespace } = this.client.options;
    const { pollers } = await this.client.workflowService
      .describeTaskQueue({ namespace, taskQueue: { name: queueOf(this.taskQueue, orchestratorId) }, taskQueueType: 1 })
      .catch((error) => Promise.reject(asProblem(error)));
    return pollers.map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      lastHeartbeatAt: new Date(tsToMs(lastAccessTime)).toISOString(),
    }));
  }
}
