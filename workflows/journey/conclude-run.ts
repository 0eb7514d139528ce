import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  log,
  ParentClosePolicy,
  startChild,
  upsertMemo,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { jsonBytes, maxPayloadBytes } from '../../src/base/json/size.js';
import type { Json, JsonObject } from '../../src/base/json/value.js';
import { compensated, compensationRun, type DueCompensation, dueCompensation } from '../../src/engine/compensation.js';
import { uniqueRunId } from '../../src/engine/definition/keyed-run-id.js';
import type { Compensation, Outcome } from '../../src/engine/outcome.js';
import { sizeProblem } from '../../src/engine/payload-limits.js';
import type { Run } from '../../src/engine/run.js';
import { runSpan } from '../../src/engine/trace-context-and-run-spans.js';
import { attributesOf, pairs } from '../shared/run-search-attributes.js';
import { journeyArguments, newInput, settingsOf } from './build-workflow-input.js';
import type { Ended, Execution } from './execution.js';
import { countEnd } from './run-metrics.js';
import { recordFinish, withinLimit } from './scheduled-run.js';
import type { CarriedCompensation, JourneyInput, JourneyWorkflow } from './workflow-contract.js';
import type { WorkflowTaskBudget } from './workflow-task-budget.js';

const longestMessage = 4_000;
/** Maximum size of an outcome in a memo, in bytes; the memo may also contain a schedule's context. */
const memoBytes = 256_000;

/** The final outcome of a run, with the compensation that is still to be started. */
export interface Conclusion {
  readonly outcome: Outcome;
  readonly context: JsonObject;
  readonly compensation?: RunCompensation;
}

/** Checks the limits of the outcome, reports it, and runs the compensation if one is due. */
export async function conclude(execution: Execution, { outcome: ended, context }: Ended): Promise<Conclusion> {
  const { run, start } = execution;
  const resumed = start.input.carried?.compensation;
  if (resumed) return await compensateInside(execution, resumed.outcome, context, resumed);
  const outcome = start.scheduled ? withinLimit(ended, context, start.input) : ended;
  report(execution, outcome);
  const due = await dueCompensation(run, outcome, context, start.info.id);
  if (!due) return { outcome, context };
  const compensation = new RunCompensation(due, run, start.input, execution.taskBudget);
  if (!compensation.inside)
    return { outcome: { ...outcome, compensation: compensation.announced() }, context, compensation };
  return await compensateInside(execution, outcome, context, due);
}

/** Runs a compensation to its end, or until it continues as new. It does not change the outcome of the run. */
async function compensateInside(
  execution: Execution,
  outcome: Outcome,
  context: JsonObject,
  at: DueCompensation | CarriedCompensation,
): Promise<Conclusion> {
  const { run, start } = execution;
  execution.note(`It ended as ${outcome.phase} (${outcome.status}) and is being compensated.`);
  execution.showDetails();
  const carried = () => ({ position: compensating.position, outcome });
  const compensating = compensationRun(run, execution.compensationHost(carried), at, start.input.limits.duration);
  const result = await compensating.execute();
  const ended = 'continueAt' in result ? await execution.continueCompensation(carried()) : result;
  if (ended.outcome.error) log.error('The compensation failed', compensationError(ended.outcome));
  return { outcome: { ...outcome, compensation: compensated(ended.outcome) }, context };
}

/** Counts, traces and logs the outcome. */
function report(execution: Execution, outcome: Outcome): void {
  const { run, start } = execution;
  countEnd(start.definition, outcome, start.info.startedAt, start.scheduled !== undefined);
  run.host.spanEnded?.(runSpan(run, outcome));
  if (outcome.error?.cause !== 'SCHED_PATH_INTERACTIVE') return;
  const { code: _, ...where } = outcome.error;
  log.error('A scheduled run reached a state that waits for input, and failed', where);
  execution.note(
    `A scheduled run cannot wait for input: it failed at \`${outcome.error.state}\`, and the next runs will fail too.`,
  );
}

/** Publishes the outcome: to callers, in the Web UI, to the compensation and the schedule, in visibility and memo. */
export async function publishOutcome(execution: Execution, conclusion: Conclusion): Promise<void> {
  const { start, inbox, visibility, taskBudget } = execution;
  const { outcome, context, compensation } = conclusion;
  const bytes = inbox.end(outcome);
  const space = taskBudget.reserve(bytes);
  if (space) await space;
  execution.showDetails(outcome);
  await CancellationScope.nonCancellable(async () => {
    if (compensation) await compensation.start();
    if (start.scheduled) await recordFinish(start.scheduled, outcome, context, start.info.startedAt);
  });
  visibility.end(outcome, didCompensationFail(execution, outcome));
  if (outcome.terminationKind === 'Cancel') upsertMemo({ outcome: memoOutcome(outcome, bytes) });
}

/** Whether the compensation inside the run failed, or the run is a compensation that failed. */
function didCompensationFail({ start }: Execution, { phase, compensation }: Outcome): boolean {
  if (start.input.bindings !== undefined) return phase === 'FAILED';
  return compensation?.mode === 'sync' && compensation.phase === 'FAILED';
}

/** The outcome for the memo: without its projection if that is large. */
function memoOutcome(outcome: Outcome, bytes: number): Outcome {
  const { projection, ...bare } = outcome;
  return projection && bytes <= memoBytes ? outcome : bare;
}

/**
 * Closes the workflow as completed, failed or cancelled, with the outcome. Only the execution that received the cancel request can close
 * as cancelled: a run whose compensation has continued as new closes as failed.
 */
export function close(outcome: Outcome): Outcome {
  if (outcome.phase === 'SUCCEEDED') return outcome;
  const { code, reason } = outcome.error ?? { code: 'FAILED', reason: '' };
  if (outcome.terminationKind === 'Cancel' && CancellationScope.current().consideredCancelled)
    throw new CancelledFailure(reason);
  // The outcome has the whole reason; the message is for display and counts towards the failure's size.
  const message = reason.length > longestMessage ? `${reason.slice(0, longestMessage)}…` : reason;
  const failure = ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [outcome] });
  // A stack trace of the interpreter does not help with a failure of the journey.
  failure.stack = `${code}: ${message}`;
  throw failure;
}

/** The id of the run that compensates another. */
function compensationId(id: string): string {
  return `${id}-compensation`;
}

/** The compensation of a run: inside the run if its caller waits for it, else a separate run. */
class RunCompensation {
  private readonly child: JourneyInput;
  private readonly bytes: number;
  /** Whether it runs inside its run, as does a compensation that is too large for the input of another run. */
  readonly inside: boolean;

  constructor(
    due: DueCompensation,
    private readonly run: Run,
    input: JourneyInput,
    private readonly taskBudget: WorkflowTaskBudget,
  ) {
    const { workflowId } = workflowInfo();
    // It has no caller, so it does not inherit the request, and no steps, so it needs no callbacks.
    const { scheduled: _, startedAt: __, callbacks: ___, keys: ____, nonce, ...info } = run.info;
    this.child = newInput(settingsOf(input), {
      interpreter: input.interpreter,
      definition: input.definition,
      info: { ...info, id: compensationId(uniqueRunId({ id: workflowId, ...(nonce !== undefined && { nonce }) })) },
      context: due.context,
      bindings: { ...due.bindings },
      tags: run.position.tags,
      attributes: { ...run.position.attributes, parentJourneyId: workflowId },
    });
    this.bytes = jsonBytes(this.child as unknown as Json);
    this.inside = due.mode === 'sync' || sizeProblem('The compensation', this.bytes, maxPayloadBytes) !== undefined;
  }

  /** The compensation in the outcome, with the id of the other run, before that is started. */
  announced(): Compensation {
    return { mode: 'async', journeyId: this.child.info.id };
  }

  /** Starts the other run. Resolves when the server has accepted it. */
  async start(): Promise<void> {
    const { definition, info, tags, attributes } = this.child;
    const space = this.taskBudget.reserve(this.bytes);
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
      // The run was reset after it had started its compensation.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
  }
}

function compensationError({ error, terminatedAtState }: Outcome): Record<string, unknown> {
  return { errorCode: error?.code, reason: error?.reason, state: terminatedAtState };
}
