import type { Place } from '../../../base/document/placed-value.js';
import { ifDefined, optionalBoolean, text } from '../../../base/document/read-fields.js';
import { fixed, shape, textOf } from '../../../base/document/schema-builders.js';
import type { TimeScale } from '../../../base/time/time-scale.js';
import type { Expression } from '../../../engine/definition/definition.js';
import type {
  ActivityRequest,
  ActivityRetry,
  ActivityTimeouts,
  TaskPriority,
} from '../../../engine/definition/external-activity-types.js';
import type { TaskRunner } from '../../../engine/runner-interfaces.js';
import { localActivity, ordinaryActivity, plus } from '../../analysis/cost/cost-counters.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { forbidInApi } from '../../read/forbid-in-api.js';
import { none, type TaskKind } from '../task-kind.js';
import { isAllowed } from './activity-admission-contract.js';
import {
  optionalTemplate,
  prioritySchema,
  readPriority,
  readRetry,
  readTimeouts,
  retrySchema,
  timeoutsSchema,
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
import { activityOperation, recordedActivity, virtualActivity } from './virtual-activity.js';

const kind = 'activity:v1';

/** A call of an activity, normalised. */
export type ActivityTask = {
  kind: typeof kind;
  activity: string;
  taskQueue: string;
  args?: Expression;
  timeouts: ActivityTimeouts;
  retry?: ActivityRetry;
  priority?: TaskPriority;
  /** With placeholders. */
  summary?: string;
  safe: boolean;
  resultVar: string;
};

/** JSON Schema of `activity:v1`. */
const schema = {
  ...shape(
    'Runs an activity of a worker of yours, in any language. An extension, refused by --strict.',
    {
      kind: fixed(kind, 'The kind of task.'),
      activity: textOf('The type of the activity. The configuration must allow it, under tasks.activities.'),
      taskQueue: textOf('The task queue of its workers.'),
      args: argsSchema,
      timeouts: timeoutsSchema,
      retry: retrySchema,
      priority: prioritySchema,
      summary: textOf('What Temporal’s Web UI shows for it, after the state; with placeholders.'),
      safe: {
        type: 'boolean',
        default: false,
        description:
          'Repeating it changes nothing: attempts that timed out are retried too, and it is not awaited when the run is cut short.',
      },
      resultVar: resultVarSchema,
    },
    ['kind', 'activity', 'taskQueue', 'timeouts', 'resultVar'],
  ),
  examples: [
    {
      kind,
      activity: 'ChargeCard',
      taskQueue: 'payments',
      args: { mapper: { lang: 'dataweave', expr: '[context.orderId, context.amount]' } },
      timeouts: { startToClose: 'PT30S', scheduleToStart: 'PT1M', scheduleToClose: 'PT5M', heartbeat: 'PT10S' },
      retry: {
        maximumAttempts: 3,
        initialInterval: 'PT1S',
        backoffCoefficient: 2,
        maximumInterval: 'PT10S',
        nonRetryableErrorTypes: ['CardDeclined'],
      },
      priority: { priorityKey: 1, fairnessKey: '${context.tenant}', fairnessWeight: 2 },
      summary: 'order ${context.orderId}',
      safe: false,
      resultVar: 'charge',
    },
  ],
};

/** Calls an activity of another worker; its result, good or bad, is data in `context.<resultVar>`. */
const run: TaskRunner<ActivityTask> = {
  async buildRequest(task, host) {
    const { activity, taskQueue, timeouts, retry, safe, summary } = task;
    const priority = task.priority && priorityOf(task.priority, host);
    const request: ActivityRequest = {
      activity,
      taskQueue,
      args: await argumentsOf(task.args, host),
      timeouts,
      ...ifDefined('retry', retry),
      ...ifDefined('priority', priority),
      ...(safe && { safe }),
    };
    return {
      name: 'activity',
      input: request,
      about: summaryOf(summary, `activity ${activity}`, host),
      safe,
      budgetMs: timeouts.scheduleToClose ?? timeouts.startToClose!,
      run: 'activity',
      external: 'activity',
    };
  },
  handleResult: handleAnswer,
};

/** Runs an activity of another worker. */
export const activity: TaskKind<ActivityTask> = {
  kind,
  isExtension: true,
  schema,
  read,
  run,
  effect: {
    name: 'activity',
    external: true,
    virtual: () => virtualActivity,
    recorded: recordedActivity,
    summary: (input, answer) => answerSummary((input as ActivityRequest).activity, answer),
  },
  // The worker admits each call, and the marker of that stays in the history.
  cost: () => plus(localActivity, ordinaryActivity),
  caption: ({ activity }) => `runs ${activity}`,
  data: answerInContext,
  call: ({ activity }) => ({ operation: activityOperation(activity) }),
  credential: none,
  scheduledStart: none,
  stops: none,
  failures: () => failures,
  scale,
};

/** The failures that every result can have; an activity has others of its own. */
const failures = ['TIMEOUT', 'NOT_STARTED', 'CANCELLED', 'RESULT_UNREADABLE', '*'];

/** Reads the task block. */
function read(block: Place, within: GraphReading): ActivityTask | undefined {
  forbidInApi(block.at('kind'), within, 'ACTIVITY_IN_API', 'wait for an activity');
  const activity = text(block.at('activity'), 'FIELD_REQUIRED', 'activity');
  const taskQueue = text(block.at('taskQueue'), 'FIELD_REQUIRED', 'taskQueue');
  if (activity !== undefined && taskQueue !== undefined) checkAllowed(block, within, activity, taskQueue);
  const args = readExpression(block, 'args', within);
  const timeouts = readTimeouts(block.at('timeouts'), kind);
  const retry = block.has('retry') ? readRetry(block.at('retry')) : undefined;
  const priority = block.has('priority') ? readPriority(block.at('priority'), within) : undefined;
  const summary = optionalTemplate(block.at('summary'), 'summary', within);
  const safe = optionalBoolean(block.at('safe'), 'FIELD_TYPE', 'safe') ?? false;
  const resultVar = readResultVar(block, kind);
  if (activity === undefined || taskQueue === undefined || !timeouts || resultVar === undefined) return undefined;
  return {
    kind,
    activity,
    taskQueue,
    ...ifDefined('args', args),
    timeouts,
    ...ifDefined('retry', retry),
    ...ifDefined('priority', priority),
    ...ifDefined('summary', summary),
    safe,
    resultVar,
  };
}

function checkAllowed(block: Place, within: GraphReading, activity: string, taskQueue: string): void {
  const allowed = within.reading.options.tasks?.activities;
  if (!allowed || isAllowed(allowed, taskQueue, activity)) return;
  block
    .at('activity')
    .error(
      'ACTIVITY_NOT_ALLOWED',
      `The configuration does not allow the activity ${activity} of the task queue ${taskQueue}.`,
      `Add it: tasks: { activities: { ${taskQueue}: [${activity}] } }.`,
    );
}

/** Delays between attempts are shortened. The timeout of an attempt is shortened only where one gets no answer. */
function scale(task: ActivityTask, { factor, longestCallMs = Number.POSITIVE_INFINITY }: TimeScale): ActivityTask {
  const { timeouts, retry } = task;
  const { startToClose = Number.POSITIVE_INFINITY } = timeouts;
  return {
    ...task,
    ...(startToClose > longestCallMs && { timeouts: { ...timeouts, startToClose: longestCallMs } }),
    ...(retry && { retry: scaleRetry(retry, factor) }),
  };
}
