import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { dispatchWorkflow } from '../../../workflows/dispatch-input.js';
import { keys, pairs } from '../../../workflows/search-attributes.js';
import type { Config } from '../../config/config.js';
import type { Outcome } from '../../engine/outcome.js';
import type { Json } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { Envelope, Phase } from '../../scheduling/jobs/envelope.js';
import type { Dispatcher, JobRun, QueueWorker } from '../../service/jobs.js';
import type { Page } from '../../service/schedules.js';
import { asProblem, isNotFound } from '../failures.js';
import { checkSize } from '../payloads.js';
import { quoted } from '../quoted.js';
import { decodeArrayFromPayloads, tsToMs } from '../sdk.js';
import { envelopeMemo, queueOf, runAttributes, targetName } from './action.js';
import { listDispatches, runOf, type Seen } from './runs.js';

const phaseQuery: Record<Phase, string> = {
  incoming: "ExecutionStatus = 'Running' AND JourneyState = 'incoming'",
  processing: "ExecutionStatus = 'Running' AND JourneyState = 'processing'",
  outgoing: "ExecutionStatus = 'Running' AND JourneyState = 'outgoing'",
  done: "ExecutionStatus != 'Running'",
};

/** The way into orchestrators, on Temporal. */
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
      // It had ended already.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw asProblem(error);
    }
    return { executionId };
  }

  async queue(query: Page & { orchestratorId?: string; phase?: Phase }) {
    const filter = [
      "ScheduleKind = 'job'",
      ...(query.orchestratorId === undefined ? [] : [`OrchestratorId = ${quoted(query.orchestratorId)}`]),
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
      return refuse('EXECUTION_UNKNOWN', 'There is no such run in this orchestrator.');
    const run = await runOf(this.client, info);
    const output = run.result?.outcome === 'succeeded' ? await this.outputOf(info, run) : null;
    return { ...run, output };
  }

  /** A journey keeps its output in its own run, a function in the history of its dispatch: it is not written twice. */
  private async outputOf({ workflowId, runId }: Seen, { journeyId }: JobRun): Promise<Json> {
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
      // The server no longer keeps it.
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
