import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { log, ParentClosePolicy, startChild, WorkflowIdReusePolicy, workflowInfo } from '@temporalio/workflow';
import { compensate, compensated, type DueCompensation } from '../src/engine/compensation.js';
import type { Host } from '../src/engine/host.js';
import type { Compensation, Outcome } from '../src/engine/outcome.js';
import { excessOf } from '../src/engine/payload.js';
import type { Run } from '../src/engine/run.js';
import { jsonBytes, payloadBytes } from '../src/json/size.js';
import type { Json } from '../src/json/value.js';
import { type JourneyInput, type JourneyWorkflow, journeyArguments } from './input.js';
import type { Room } from './room.js';
import { attributesOf, pairs } from './search-attributes.js';

/** The id of the run that compensates another. */
function compensationId(id: string): string {
  return `${id}-compensation`;
}

/** A compensation on Temporal: inside its run when the caller waits for it, otherwise a run of its own that outlives the first. */
export class CompensationOnTemporal {
  private readonly child: JourneyInput;
  private readonly bytes: number;
  /** One that is too large to be handed over runs inside, so that it is not lost. */
  readonly inside: boolean;

  constructor(
    private readonly due: DueCompensation,
    private readonly run: Run,
    input: JourneyInput,
    private readonly room: Room | undefined,
  ) {
    const { workflowId } = workflowInfo();
    // Nobody waits for it: the request that the run worked on is not its own. It has no steps either, so nobody calls it back.
    const { carried, request, ...rest } = input;
    const { scheduled, startedAt, callbacks: _, keys: __, ...info } = run.info;
    this.child = {
      ...rest,
      info: { ...info, id: compensationId(workflowId) },
      context: due.context,
      bindings: { ...due.bindings },
      tags: run.position.tags,
      attributes: { ...run.position.attributes, parentJourneyId: workflowId },
    };
    this.bytes = jsonBytes(this.child as unknown as Json);
    this.inside = due.mode === 'sync' || excessOf('The compensation', this.bytes, payloadBytes) !== undefined;
  }

  /** Runs it to its end, whatever that is: how it ended changes nothing about the outcome. */
  async runInside(host: Host): Promise<Compensation> {
    const ended = await compensate(this.due, this.run, host);
    if (ended.error) log.error('The compensation failed', compensationError(ended));
    return compensated(ended);
  }

  /** What the outcome tells before the other run is started. */
  announced(): Compensation {
    return { mode: 'async', journeyId: this.child.info.id };
  }

  /** Starts the other run; resolves when the server has it. */
  async start(): Promise<void> {
    const { definition, info, tags, attributes } = this.child;
    const space = this.room?.take(this.bytes);
    if (space) await space;
    const { memo } = workflowInfo();
    const known = (memo?.journey ?? {}) as Record<string, unknown>;
    const { startedBy } = known as { startedBy?: string };
    await startChild<JourneyWorkflow>(definition.name, {
      args: journeyArguments(this.child),
      workflowId: info.id,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      typedSearchAttributes: pairs({
        ...attributesOf(definition, { tags, attributes }),
        ...(startedBy !== undefined && { StartedBy: startedBy }),
      }),
      memo: {
        journey: { links: definition.links, ...known, cancellable: true, start: definition.compensation!.start, tags },
      },
      staticSummary: `Compensation of ${definition.name} ${definition.version}`,
      staticDetails: `It follows the run \`${this.run.info.id}\`.`,
    }).catch((error) => {
      // A run that was reset after it had started its compensation.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
  }
}

function compensationError({ error, terminatedAtState }: Outcome): Record<string, unknown> {
  return { errorCode: error?.code, reason: error?.reason, state: terminatedAtState };
}
