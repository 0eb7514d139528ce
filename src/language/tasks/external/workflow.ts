import type { Place } from '../../../base/document/placed-value.js';
import { ifDefined, optionalBoolean, text } from '../../../base/document/read-fields.js';
import { fixed, part, shape, textOf } from '../../../base/document/schema-builders.js';
import type { Json } from '../../../base/json/value.js';
import { refuse } from '../../../base/problems/problem.js';
import type { TimeScale } from '../../../base/time/time-scale.js';
import type { Expression } from '../../../engine/definition/definition.js';
import type {
  ActivityRetry,
  ChildCancellation,
  ChildJourney,
  ForeignWorkflow,
  ParentClose,
  TaskPriority,
  WorkflowRequest,
  WorkflowTimeouts,
} from '../../../engine/definition/external-activity-types.js';
import { keyFault, textOfKey } from '../../../engine/definition/keyed-run-id.js';
import type { TaskRunner } from '../../../engine/runner-interfaces.js';
import type { TaskHost } from '../../../engine/task-host.js';
import { childWorkflow, detachedWorkflow, localActivity, plus } from '../../analysis/cost/cost-counters.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { forbidInApi } from '../../read/forbid-in-api.js';
import { none, type TaskKind } from '../task-kind.js';
import { isAllowed } from './activity-admission-contract.js';
import {
  closingSchemas,
  optionalTemplate,
  prioritySchema,
  readClosing,
  readPriority,
  readRetry,
  readWorkflowTimeouts,
  retrySchema,
  workflowTimeoutsSchema,
} from './external-options.js';
import {
  answerInContext,
  answerSummary,
  argsSchema,
  argumentsOf,
  handleAnswer,
  priorityOf,
  readExpression,
  readResultVar,
  resultVarSchema,
  scaleRetry,
  summaryOf,
} from './external-task-parts.js';
import { nameOfWorkflow, recordedWorkflow, virtualWorkflow, workflowOperation } from './virtual-workflow.js';

const kind = 'workflow:v1';

/** A child workflow, normalised: one of another worker, or the run of another journey. */
export type WorkflowTask = {
  kind: typeof kind;
  timeouts: WorkflowTimeouts;
  detach: boolean;
  safe: boolean;
  parentClosePolicy: ParentClose;
  cancellationType: ChildCancellation;
  priority?: TaskPriority;
  /** With placeholders. */
  summary?: string;
  resultVar: string;
} & (ForeignTask | JourneyTask);

type ForeignTask = { workflow: string; taskQueue: string; id?: Expression; args?: Expression; retry?: ActivityRetry };
type JourneyTask = { journey: string; input?: Expression };

/** Fields of a workflow that a journey does not have. */
const foreignFields = ['workflow', 'taskQueue', 'id', 'args', 'timeouts', 'retry'];

/** JSON Schema of `workflow:v1`. */
const schema = {
  ...shape(
    'Runs a child workflow: one of a worker of yours, in any language, or another journey. An extension, refused by --strict.',
    {
      kind: fixed(kind, 'The kind of task.'),
      workflow: textOf('The type of the workflow. The configuration must allow it, under tasks.workflows.'),
      taskQueue: textOf('The task queue of its workers.'),
      id: part(
        'mapperHolder',
        'Computes its workflow id: a text or number without a slash. By default one of this visit of the state.',
      ),
      args: argsSchema,
      timeouts: workflowTimeoutsSchema,
      retry: retrySchema,
      journey: textOf('The name of a journey of this deployment, instead of workflow and taskQueue.'),
      input: part('mapperHolder', 'Computes the input of the journey; {} when left out.'),
      detach: {
        type: 'boolean',
        default: false,
        description: 'Only its start is awaited: the value is { workflowId, runId }, and it outlives the run.',
      },
      ...closingSchemas,
      priority: prioritySchema,
      summary: textOf('What Temporal’s Web UI shows for it, after the state; with placeholders.'),
      safe: {
        type: 'boolean',
        default: false,
        description: 'Repeating it changes nothing: it is not awaited when the run is cut short, and never uncertain.',
      },
      resultVar: resultVarSchema,
    },
    ['kind', 'resultVar'],
  ),
  oneOf: [{ required: ['workflow', 'taskQueue'] }, { required: ['journey'] }],
  examples: [
    {
      kind,
      workflow: 'ShipOrder',
      taskQueue: 'shipping',
      id: { mapper: { lang: 'dataweave', expr: '"ship-$(context.orderId)"' } },
      args: { mapper: { lang: 'dataweave', expr: '[context.orderId, context.address]' } },
      timeouts: { execution: 'P7D', run: 'P1D', task: 'PT10S' },
      retry: {
        maximumAttempts: 3,
        initialInterval: 'PT1M',
        backoffCoefficient: 2,
        maximumInterval: 'PT10M',
        nonRetryableErrorTypes: ['NoTruck'],
      },
      parentClosePolicy: 'requestCancel',
      cancellationType: 'waitCancellationCompleted',
      priority: { priorityKey: 1, fairnessKey: '${context.tenant}', fairnessWeight: 2 },
      summary: 'order ${context.orderId}',
      safe: false,
      resultVar: 'shipped',
    },
    {
      kind,
      journey: 'ship-order',
      input: { mapper: { lang: 'dataweave', expr: '{ orderId: context.orderId }' } },
      detach: true,
      resultVar: 'shipment',
    },
  ],
};

/** The most that an effect may take: a child may be awaited for years. */
const longestMs = 100 * 365 * 86_400_000;

/** Starts a child workflow and awaits it; its result, good or bad, is data in `context.<resultVar>`. */
const run: TaskRunner<WorkflowTask> = {
  async buildRequest(task, host) {
    const { detach, safe, parentClosePolicy, cancellationType, summary, timeouts } = task;
    const priority = task.priority && priorityOf(task.priority, host);
    const request: WorkflowRequest = {
      ...('journey' in task ? await journeyRequest(task, host) : await foreignRequest(task, host)),
      ...(detach && { detach }),
      ...(safe && { safe }),
      parentClosePolicy,
      cancellationType,
      ...ifDefined('priority', priority),
    };
    return {
      name: 'workflow',
      input: request,
      about: summaryOf(summary, nameOfWorkflow(request), host),
      safe,
      ...(!safe && !detach && cancellationType !== 'waitCancellationCompleted' && { unawaited: true }),
      budgetMs: timeouts.execution ?? longestMs,
      run: 'activity',
      external: 'workflow',
    };
  },
  handleResult: handleAnswer,
};

async function journeyRequest({ journey, input }: JourneyTask, host: TaskHost): Promise<ChildJourney> {
  return {
    journey,
    input: input ? await host.evaluate(input, 'mapper') : {},
    idempotencyKey: host.idempotencyKey,
  };
}

async function foreignRequest(
  { workflow, taskQueue, id, args, timeouts, retry }: ForeignTask & Pick<WorkflowTask, 'timeouts'>,
  host: TaskHost,
): Promise<ForeignWorkflow> {
  return {
    workflow,
    taskQueue,
    id: id ? checkedId(await host.evaluate(id, 'key')) : host.idempotencyKey,
    args: await argumentsOf(args, host),
    timeouts,
    ...ifDefined('retry', retry),
  };
}

/** Our own workflows have ids that begin so, or contain a slash, or are random. */
const ownIds = /^(pipeline\.|journeyman)/;

/** An id that the author computed; it must not be one that a workflow of ours could have. */
function checkedId(value: Json): string {
  const fault = keyFault(value) ?? (ownIds.test(String(value)) ? 'it is reserved for Journeyman' : undefined);
  if (fault !== undefined) refuse('TASK_FAILED', `The id of the workflow cannot be used: ${fault}.`);
  return textOfKey(value);
}

/** Runs a child workflow. */
export const workflow: TaskKind<WorkflowTask> = {
  kind,
  isExtension: true,
  schema,
  read,
  run,
  effect: {
    name: 'workflow',
    external: true,
    virtual: () => virtualWorkflow,
    recorded: recordedWorkflow,
    summary: (input, answer) => answerSummary(nameOfWorkflow(input as WorkflowRequest), answer),
  },
  // The worker admits each child, and the marker of that stays in the history.
  cost: ({ detach }) => plus(localActivity, detach ? detachedWorkflow : childWorkflow),
  caption: (task) => `${task.detach ? 'starts' : 'runs'} ${nameOfWorkflow(task)}`,
  data: answerInContext,
  call: (task) => ({ operation: workflowOperation(task), ...('journey' in task && { journey: task.journey }) }),
  credential: none,
  scheduledStart: none,
  stops: none,
  failures: () => failures,
  scale,
};

/** The failures that every result can have; a workflow has others of its own. */
const failures = ['TIMEOUT', 'CANCELLED', 'TERMINATED', 'WORKFLOW_ALREADY_STARTED', 'RESULT_UNREADABLE', '*'];

/** Reads the task block. */
function read(block: Place, within: GraphReading): WorkflowTask | undefined {
  forbidInApi(block.at('kind'), within, 'WORKFLOW_IN_API', 'wait for a workflow');
  const target = block.has('journey') ? readJourney(block, within) : readForeign(block, within);
  const timeouts = readWorkflowTimeouts(block.at('timeouts'));
  const detach = optionalBoolean(block.at('detach'), 'FIELD_TYPE', 'detach') ?? false;
  const safe = optionalBoolean(block.at('safe'), 'FIELD_TYPE', 'safe') ?? false;
  const closing = readClosing(block, { detach, safe });
  const priority = block.has('priority') ? readPriority(block.at('priority'), within) : undefined;
  const summary = optionalTemplate(block.at('summary'), 'summary', within);
  const resultVar = readResultVar(block, kind);
  if (!target || resultVar === undefined) return undefined;
  return {
    kind,
    ...target,
    timeouts,
    detach,
    safe,
    ...closing,
    ...ifDefined('priority', priority),
    ...ifDefined('summary', summary),
    resultVar,
  };
}

function readJourney(block: Place, within: GraphReading): JourneyTask | undefined {
  for (const name of foreignFields)
    if (block.has(name))
      block.at(name).error('FIELD_TYPE', `A journey has no ${name} here.`, `Remove ${name}, or journey.`, 'key');
  const journey = text(block.at('journey'), 'FIELD_REQUIRED', 'journey');
  const input = readExpression(block, 'input', within);
  return journey === undefined ? undefined : { journey, ...ifDefined('input', input) };
}

function readForeign(block: Place, within: GraphReading): ForeignTask | undefined {
  if (block.has('input')) block.at('input').error('FIELD_TYPE', 'A workflow has args.', 'Write args.', 'key');
  const workflow = text(block.at('workflow'), 'FIELD_REQUIRED', 'workflow');
  const taskQueue = text(block.at('taskQueue'), 'FIELD_REQUIRED', 'taskQueue');
  const id = readExpression(block, 'id', within, 'key');
  const args = readExpression(block, 'args', within);
  const retry = block.has('retry') ? readRetry(block.at('retry')) : undefined;
  if (workflow === undefined || taskQueue === undefined) return undefined;
  checkAllowed(block, within, workflow, taskQueue);
  return { workflow, taskQueue, ...ifDefined('id', id), ...ifDefined('args', args), ...ifDefined('retry', retry) };
}

function checkAllowed(block: Place, within: GraphReading, workflow: string, taskQueue: string): void {
  const allowed = within.reading.options.tasks?.workflows;
  if (!allowed || isAllowed(allowed, taskQueue, workflow)) return;
  block
    .at('workflow')
    .error(
      'WORKFLOW_NOT_ALLOWED',
      `The configuration does not allow the workflow ${workflow} of the task queue ${taskQueue}.`,
      `Add it: tasks: { workflows: { ${taskQueue}: [${workflow}] } }.`,
    );
}

/** Delays between runs are shortened. The timeout is shortened only where a child gets no answer. */
function scale(task: WorkflowTask, { factor, longestCallMs }: TimeScale): WorkflowTask {
  const { execution = Number.POSITIVE_INFINITY } = task.timeouts;
  const isShort = longestCallMs !== undefined && execution > longestCallMs;
  return {
    ...task,
    ...(isShort && { timeouts: { ...task.timeouts, execution: longestCallMs } }),
    ...('retry' in task && task.retry && { retry: scaleRetry(task.retry, factor) }),
  };
}
