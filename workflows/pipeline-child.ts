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
import { instanceMetadata } from '../src/engine/instance-metadata.js';
import type { Outcome } from '../src/engine/outcome.js';
import { interpreterVersion } from '../src/engine/version.js';
import type { JsonObject } from '../src/json/value.js';
import { childIdOf } from '../src/pipelines/child-id.js';
import type { PipelineDefinition } from '../src/pipelines/definition.js';
import type { HandlerOutcome, StartEffect } from '../src/pipelines/message.js';
import { handlerOutcome } from '../src/pipelines/outcomes.js';
import { ProblemError } from '../src/problems/problem.js';
import { type JourneyWorkflow, journeyArguments } from './input.js';
import type { PipelineActivities, PipelineSettings } from './pipeline-input.js';
import { attributesOf, pairs } from './search-attributes.js';

/** It is asked again by the server, without an event for each time; so it may take as long as the journey does. */
const { pipelineChildEnded } = proxyActivities<Pick<PipelineActivities, 'pipelineChildEnded'>>({
  startToCloseTimeout: '2m',
  heartbeatTimeout: '6s',
  retry: { initialInterval: '1s', maximumInterval: '5m' },
  summary: 'wait for the journey',
});

/** How the journey of a run ended, if this execution did not start it, or cannot have seen its end. */
export function followChild({ idKey }: PipelineSettings, run: string): Promise<HandlerOutcome> {
  return pipelineChildEnded(childIdOf(idKey, run));
}

/**
 * Runs a handler's journey as a child, once: a child of that id may be there already if this pipeline was reset or started again, and then
 * it is the one. It outlives this execution, because the next one goes on waiting for it.
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
  const { environment, configs, callModes, schedules, limits, timezone } = settings;
  try {
    const { tags, attributes: lifted } = instanceMetadata(definition, { body, headers: {} });
    const attributes = { ...lifted, pipelineName: name, pipelineHandler: handler };
    const child = await startChild<JourneyWorkflow>(journey, {
      workflowId,
      args: journeyArguments({
        interpreter: interpreterVersion,
        definition,
        info: {
          id: workflowId,
          environment,
          config: configs[journey] ?? {},
          handler: true,
          ...(callModes && { callModes }),
          ...(schedules && { schedules }),
        },
        context: body,
        tags,
        attributes,
        limits,
        ...(timezone !== undefined && { timezone }),
      }),
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

/** How a child that did not succeed ended; undefined where its own record must be asked, because it may go on elsewhere. */
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
