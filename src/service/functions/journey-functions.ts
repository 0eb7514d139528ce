import type { Json, JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { type ExecutionPhase, phases } from '../../schedules/jobs/dispatch-envelope.js';
import type { TargetAction, TargetRef } from '../../schedules/jobs/job-record.js';
import type { Dispatcher } from '../jobs-interface.js';
import { grants } from '../orchestrators.js';
import type { Runs } from '../runs-interface.js';
import { checkTarget, type TargetDeps } from './check-target.js';
import { enqueue } from './enqueue-execution.js';
import { objectSchema, pageOf, pagingFields, stringField, targetRefSchema } from './function-parameter-schemas.js';
import type { ServiceFunction } from './function-registry.js';
import { withPointer } from './relocate-problem-pointers.js';

export interface WorkflowFunctionDeps {
  readonly dispatcher: Dispatcher;
  readonly runs: Pick<Runs, 'submit'>;
  readonly targets: TargetDeps;
  readonly now: () => number;
}

const runId = stringField('The execution id of a run of this orchestrator.');

/** Functions for journeys and their runs. */
export function workflowFunctions({ dispatcher, runs, targets, now }: WorkflowFunctionDeps): ServiceFunction[] {
  const { library, orchestrators } = targets;
  const actionOf = ({ workflowId, inputs }: JsonObject): TargetAction => ({
    type: 'workflow_start',
    workflowId: workflowId as string,
    ...(inputs !== undefined && { inputs: inputs as JsonObject }),
  });
  return [
    {
      id: 'workflow.status',
      description: 'Shows the status or outcome of a run.',
      parameters: objectSchema({ runId }, ['runId']),
      invoke: async ({ runId: id }, { orchestrator }) => await dispatcher.show(orchestrator.id, id as string),
    },
    {
      id: 'workflow.list',
      description: 'Lists the journeys that the orchestrator may start.',
      parameters: objectSchema({}),
      invoke: async (_, { orchestrator }) => ({
        items: library.names().flatMap((name) => {
          const definition = grants(orchestrator.journeys, name) ? library.find(name)?.definition : undefined;
          if (!definition) return [];
          const { version, description = null } = definition;
          return [{ workflowId: name, version, description }];
        }),
      }),
    },
    {
      id: 'queue.list',
      description: 'Lists the runs in the queue of the orchestrator, newest first.',
      parameters: objectSchema({
        phase: { type: 'string', enum: [...phases], description: 'Only runs in this phase.' },
        ...pagingFields,
      }),
      invoke: async (args, { orchestrator }) =>
        await dispatcher.queue({
          ...pageOf(args),
          orchestratorId: orchestrator.id,
          ...(args.phase !== undefined && { phase: args.phase as ExecutionPhase }),
        }),
    },
    {
      id: 'orchestrator.list',
      description: 'Lists the caller’s orchestrator with its channel profiles.',
      parameters: objectSchema({}),
      invoke: async (_, { orchestrator }) => ({
        items: [
          {
            orchestratorId: orchestrator.id,
            journeys: orchestrator.journeys,
            functions: orchestrator.functions,
            shared: orchestrator.shared,
            channelProfiles: orchestrators.profilesOf(orchestrator.id).map(({ id, channel }) => ({ id, channel })),
          },
        ],
      }),
    },
    {
      id: 'journey.start',
      description: 'Starts a journey through the queue of the orchestrator; returns the execution id.',
      parameters: objectSchema(
        {
          workflowId: stringField('Name of the journey.'),
          inputs: { type: 'object', description: 'The input.' },
          targetRef: targetRefSchema,
        },
        ['workflowId'],
      ),
      check: (args, orchestrator) => {
        const ref = (args.targetRef ?? null) as TargetRef | null;
        withPointer(
          '',
          () => checkTarget(targets, orchestrator, actionOf(args), ref, { mayWait: true }),
          '/targetAction',
        );
      },
      invoke: async (args, caller) =>
        await enqueue(
          { dispatcher, targets, now },
          { targetAction: actionOf(args) as unknown as Json, targetRef: args.targetRef ?? null },
          caller,
        ),
    },
    {
      id: 'journey.signal',
      description: 'Submits a step of a waiting journey.',
      parameters: objectSchema(
        { runId, step: stringField('Id of the step.'), payload: { description: 'The submitted data.' } },
        ['runId', 'step'],
      ),
      invoke: async ({ runId: id, step, payload = null }, { orchestrator, by, requestId }) => {
        const { journeyId } = await dispatcher.show(orchestrator.id, id as string);
        if (journeyId === null) return refuse('EXECUTION_UNKNOWN', 'The run has no journey yet.');
        const view = await runs.submit({
          id: journeyId,
          caller: by.caller,
          stepId: step as string,
          payload,
          headers: {},
          idempotencyKey: requestId,
        });
        return { journeyId, phase: view.phase, currentState: view.status.currentState };
      },
    },
  ];
}
