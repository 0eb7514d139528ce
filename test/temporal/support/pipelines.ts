import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { definitionHash } from '../../../src/library/read-journeys.js';
import { loadPipeline } from '../../../src/pipelines/read/load-pipeline.js';
import type { PipelineEntry } from '../../../src/service/library-interface.js';
import type { PipelineDetails } from '../../../src/service/pipelines-interface.js';
import { describePipeline } from '../../../src/temporal/pipelines/describe-query-and-start-pipeline.js';
import { TemporalPipelines } from '../../../src/temporal/pipelines/temporal-pipelines.js';
import { eventually } from '../../support/eventually.js';
import { journeyOf, type Rig } from './rig.js';

const { ResetReapplyType } = proto.temporal.api.enums.v1;

/** A journey that returns its input after `waitMs`, or fails on request. */
export function handling(name: string, { wait = '', output = '{ seen: context.id }' } = {}): string {
  return `
apiVersion: v1
kind: Journey
metadata: { name: ${name}, version: 1.0.0 }
spec:
  start: ${wait === '' ? 'decide' : 'rest'}
  states:
    ${wait === '' ? '' : `rest: { type: timer, timer: { duration: ${wait} }, next: decide }`}
    decide:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: "context.fails == true" } }, next: broken }]
      default: say
    say: { type: transform, transform: { mapper: { lang: dataweave, expr: "${output}" }, target: { kind: var }, resultVar: out }, next: done }
    done: { type: succeed, outputVar: out }
    broken: { type: fail, errorCode: BROKEN, reason: It was told to fail. }
`;
}

/** A producer with a Schedule, whose journey is `fetching`. */
export function ticking(schedule: string): string {
  return `producers:
    poll: { schedule: ${schedule}, journey: fetch, publishes: [orders], state: 0, input: { mapper: { lang: dataweave, expr: "{ state: state }" } } }`;
}

export const fetching = handling('fetch', {
  output: "{ state: context.state + 1, publish: [{ topic: 'orders', payload: { id: context.state } }] }",
});

/** Reads a pipeline with its journeys; throws all findings if there are errors. */
export function pipelineOf(text: string, journeys: readonly string[]): PipelineEntry {
  const entries = journeys.map((it) => {
    const definition = journeyOf(it);
    return { definition, hash: definitionHash(definition) };
  });
  const { definition, findings } = loadPipeline(
    { text },
    {
      minScheduleIntervalSec: 1,
      journeys: {
        find: (name) => entries.find((it) => it.definition.name === name),
        names: () => entries.map((it) => it.definition.name),
      },
    },
  );
  if (!definition) throw new Error(JSON.stringify(findings, null, 2));
  return { definition, hash: definitionHash(definition) };
}

/** A pipeline with one topic and one consumer of it. */
export function lineOf(
  name: string,
  { version = '1.0.0', more = '', producers = '', consumer = '', topics = '' } = {},
): string {
  return `
apiVersion: v1
kind: Pipeline
metadata: { name: ${name}, version: ${version} }
spec:
  topics: { orders: {}${topics} }
  ${producers}
  consumers:
    work:
      topics: [orders]
      journey: handle
      input: { mapper: { lang: dataweave, expr: "event.payload" } }
      ${consumer}
${more}
`;
}

/**
 * Without a cache every query replays the pipeline, and the SDK drops tasks that arrive meanwhile; the server redelivers them after
 * ten seconds.
 */
const uncached =
  process.env.MAX_CACHED_WORKFLOWS === '0' ? { pauseMs: 1_000, patience: 5 } : { pauseMs: 200, patience: 1 };

/** The factor by which everything takes longer. */
export const { patience } = uncached;

/** Pipelines on a rig, with long timeouts. */
export class PipelineRig {
  readonly pipelines: TemporalPipelines;

  constructor(readonly rig: Rig) {
    this.pipelines = new TemporalPipelines(rig.client, rig.config);
  }

  async deploy(text: string, journeys: readonly string[] = [handling('handle')], deployer = 'test') {
    const entry = pipelineOf(text, journeys);
    await this.refuseSharedName(entry.definition.name);
    return await this.pipelines.deploy(entry, deployer);
  }

  /** Test files share one server. If two files use the same pipeline name, failures depend on their order. */
  private async refuseSharedName(name: string): Promise<void> {
    const found = await describePipeline(this.rig.client, name);
    const { taskQueue } = this.rig.config.temporal;
    if (found && found.taskQueue !== taskQueue) throw new Error(`Another test file has a pipeline ${name}.`);
  }

  /** The workflow of a pipeline. */
  entity(name: string): WorkflowHandle {
    return this.rig.client.workflow.getHandle(`pipeline.${name}`);
  }

  /** Like `temporal workflow reset`: restarts the execution at that workflow task. */
  async reset(workflowId: string, finish = 4, { runId, reapply = true }: { runId?: string; reapply?: boolean } = {}) {
    const { workflow, workflowService, options } = this.rig.client;
    // A new execution may have only just started.
    const found = await eventually(
      () => workflow.getHandle(workflowId, runId).describe(),
      ({ historyLength }) => historyLength >= finish,
      { pauseMs: 50 },
    );
    await workflowService.resetWorkflowExecution({
      namespace: options.namespace,
      workflowExecution: { workflowId, runId: found.runId },
      reason: 'to see',
      workflowTaskFinishEventId: finish as never,
      requestId: randomUUID(),
      resetReapplyType: reapply
        ? ResetReapplyType.RESET_REAPPLY_TYPE_UNSPECIFIED
        : ResetReapplyType.RESET_REAPPLY_TYPE_NONE,
    });
  }

  publish(name: string, id: string, payload: object = { id }, topic = 'orders') {
    return this.pipelines.publish(name, { topic, id, payload: payload as never });
  }

  /** Waits until a pipeline meets a condition. */
  async until(name: string, wanted: (shown: PipelineDetails) => boolean, limitMs = 90_000): Promise<PipelineDetails> {
    const { pauseMs, patience } = uncached;
    return await eventually(() => this.pipelines.show(name), wanted, { limitMs: limitMs * patience, pauseMs });
  }

  committed(name: string, count: number, limitMs?: number): Promise<PipelineDetails> {
    return this.until(name, ({ counts }) => counts.committed === count, limitMs);
  }
}
