import type { Json, JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { type Phase, phases } from '../../scheduling/jobs/envelope.js';
import type { TargetAction, TargetRef } from '../../scheduling/jobs/record.js';
import type { Dispatcher } from '../jobs.js';
import { grants } from '../orchestrators.js';
import type { Runs } from '../runs.js';
import { enqueue } from './enqueue.js';
import { at } from './places.js';
import type { ServiceFunction } from './registry.js';
import { pageOf, paging, shape, targetRef, text } from './schedule-schemas.js';
import { checkTarget, type TargetGround } from './target.js';

export interface WorkParts {
  readonly dispatcher: Dispatcher;
  readonly runs: Pick<Runs, 'submit'>;
  readonly targets: TargetGround;
  readonly now: () => number;
}

const runId = text('The execution id of a run of this orchestrator.');

/** What can be done with journeys and their runs: looking, starting, going on. */
export function workFunctions({ dispatcher, runs, targets, now }: WorkParts): ServiceFunction[] {
  const { library, orchestrators } = targets;
  const actionOf = ({ workflowId, inputs }: JsonObject): TargetAction => ({
    type: 'workflow_start',
    workflowId: workflowId as string,
    ...(inputs !== undefined && { inputs: inputs as JsonObject }),
  });
  return [
    {
      id: 'workflow.status',
      description: 'Says where a run stands, or how it ended.',
      parameters: shape({ runId }, ['runId']),
      invoke: async ({ runId: id }, { orchestrator }) => await dispatcher.show(orchestrator.id, id as string),
    },
    {
      id: 'workflow.list',
      description: 'Lists the journeys that the orchestrator may start.',
      parameters: shape({}),
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
      description: 'Lists what is in the queue of the orchestrator, newest first.',
      parameters: shape({
        phase: { type: 'string', enum: [...phases], description: 'Only runs in this phase.' },
        ...paging,
      }),
      invoke: async (args, { orchestrator }) =>
        await dispatcher.queue({
          ...pageOf(args),
          orchestratorId: orchestrator.id,
          ...(args.phase !== undefined && { phase: args.phase as Phase }),
        }),
    },
    {
      id: 'orchestrator.list',
      description: 'Lists the orchestrators that the caller can see, with their channel profiles: its own.',
      parameters: shape({}),
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
      description: 'Starts a journey through the queue of the orchestrator; answers with the execution id.',
      parameters: shape(
        {
          workflowId: text('Name of the journey.'),
          inputs: { type: 'object', description: 'What it starts with.' },
          targetRef,
        },
        ['workflowId'],
      ),
      check: (args, orchestrator) => {
        const ref = (args.targetRef ?? null) as TargetRef | null;
        at('', () => checkTarget(targets, orchestrator, actionOf(args), ref, { mayWait: true }), '/targetAction');
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
      description: 'Submits a step of a journey that waits for it.',
      parameters: shape({ runId, step: text('Id of the step.'), payload: { description: 'What is submitted.' } }, [
        'runId',
        'step',
      ]),
      invoke: async ({ runId: id, step, payload = null }, { orchestrator, by, requestId }) => {
        const { journeyId } = await dispatcher.show(orchestrator.id, id as string);
        if (journeyId === null) return refuse('EXECUTION_UNKNOWN', 'The run has no journey, or not yet.');
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
