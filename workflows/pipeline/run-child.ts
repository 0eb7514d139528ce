import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { JsonObject } from '../../src/base/json/value.js';
import { ProblemError } from '../../src/base/problems/problem.js';
import type { Outcome } from '../../src/engine/outcome.js';
import { initialMetadata } from '../../src/engine/run-tags-and-attributes.js';
import type { PipelineDefinition } from '../../src/pipelines/definition.js';
import { handlerOutcome } from '../../src/pipelines/handle-outcome.js';
import { childIdOf } from '../../src/pipelines/handler-run-ids.js';
import type { HandlerOutcome, StartEffect } from '../../src/pipelines/messages-and-effects.js';
import { journeyArguments, newInput } from '../journey/build-workflow-input.js';
import type { JourneyWorkflow } from '../journey/workflow-contract.js';
import { attributesOf, pairs } from '../shared/run-search-attributes.js';
import type { PipelineActivities, PipelineSettings } from './workflow-contract.js';

/** Retried by the server without further events, so it may take as long as the journey does. */
const { pipelineChildEnded } = proxyActivities<Pick<PipelineActivities, 'pipelineChildEnded'>>({
  startToCloseTimeout: '2m',
  heartbeatTimeout: '6s',
  retry: { initialInterval: '1s', maximumInterval: '5m' },
  summary: 'wait for the journey',
});

/** Waits for the end of a journey that this execution did not start, or whose end it may have missed. */
export function followChild({ idKey }: PipelineSettings, run: string): Promise<HandlerOutcome> {
  return pipelineChildEnded(childIdOf(idKey, run));
}

/**
 * Runs a handler's journey as a child, once: if the pipeline was reset or restarted, a child of that id may exist, and is followed. It outlives
 * this execution, because the next one continues to wait for it.
 */
export async function runChild(
  { name, journeys }: PipelineDefinition,
  settings: PipelineSettings,
  { run, handler, journey, input }: StartEffect,
  started: () => void,
): Promise<HandlerOutcome> {
  const { definition, hash } = journeys[journey]!;
  const body = input as JsonObject;
  const workflowId = childIdOf(settings.idKey, run);
  try {
    const { tags, attributes: lifted } = initialMetadata(definition, { body, headers: {} });
    const attributes = { ...lifted, pipelineName: name, pipelineHandler: handler };
    const child = await startChild<JourneyWorkflow>(journey, {
      workflowId,
      args: journeyArguments(
        newInput(settings, {
          definition,
          info: { id: workflowId, config: settings.configs[journey] ?? {}, handler: true },
          context: body,
          tags,
          attributes,
        }),
      ),
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      typedSearchAttributes: pairs(attributesOf(definition, { tags, attributes })),
      memo: {
        journey: {
          links: definition.links,
          cancellable: definition.lifecycle.cancellable,
          tags,
          start: definition.start,
          definition: hash,
        },
      },
      staticSummary: `${handler} of ${name}: ${journey} ${definition.version}`,
      ...(definition.description !== undefined && { staticDetails: definition.description }),
    });
    started();
    return handlerOutcome(await child.result());
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return await followChild(settings, run);
    if (error instanceof ProblemError) {
      const { code, detail, title } = error.problem;
      return { kind: 'fail', error: { code, reason: detail ?? title } };
    }
    if (!(error instanceof ChildWorkflowFailure)) throw error;
    return endOf(error) ?? (await followChild(settings, run));
  }
}

/** The outcome of a child that did not succeed. Undefined if the child must be asked, because it may have been reset. */
function endOf({ cause }: ChildWorkflowFailure): HandlerOutcome | undefined {
  if (cause instanceof ApplicationFailure) {
    const outcome = cause.details?.[0] as Outcome | undefined;
    if (outcome) return handlerOutcome(outcome);
    return { kind: 'error', error: { code: cause.type ?? 'INTERNAL', reason: cause.message } };
  }
  if (cause instanceof CancelledFailure)
    return { kind: 'cancel', error: { code: 'JOURNEY_CANCELLED', reason: 'Somebody cancelled it.' } };
  if (cause instanceof TimeoutFailure)
    return { kind: 'timeout', error: { code: 'RUN_TIMED_OUT', reason: 'Temporal ended it after its time.' } };
  if (cause instanceof TerminatedFailure) return undefined;
  return { kind: 'error', error: { code: 'INTERNAL', reason: cause?.message ?? 'It ended without saying why.' } };
}
