import type { Place } from '../../../base/document/placed-value.js';
import { ifDefined, optionalIdentifier, optionalText } from '../../../base/document/read-fields.js';
import { fixed, part, shape, textOf } from '../../../base/document/schema-builders.js';
import { timeless } from '../../../base/time/time-scale.js';
import type { Expression } from '../../../engine/definition/definition.js';
import type { TaskRunner } from '../../../engine/runner-interfaces.js';
import { objectShape, withShape } from '../../../expressions/value-shape.js';
import type { StopRequest } from '../../../schedules/bindings/binding-record.js';
import { ordinaryActivity } from '../../analysis/cost/cost-counters.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { forbidInApi } from '../../read/forbid-in-api.js';
import { variable } from '../../states/context-reads-and-writes.js';
import { none, type TaskKind } from '../task-kind.js';
import { budgetMs, subjectOf } from './execute-schedule-task.js';
import { readMapper, readScheduleStart } from './read-start-and-mapper.js';

/** An unschedule task, normalised. */
export type UnscheduleTask = {
  kind: 'unschedule:v1';
  start: string;
  /** Another journey whose schedules it stops. */
  journey?: string;
  subjectId?: Expression;
  resultVar?: string;
};

/** JSON Schema of `unschedule:v1`. */
const schema = {
  ...shape(
    'Stops the schedules of a subject that start at a state, of every version of the journey. An extension, refused by --strict.',
    {
      kind: fixed('unschedule:v1', 'The kind of task.'),
      start: textOf('The state at which the runs of the schedules start.'),
      journey: textOf('The journey that made the schedules; this one when left out.'),
      subjectId: part('mapperHolder', 'Whom the schedules are for; those without a subject when left out.'),
      resultVar: part('identifier', 'The context variable that takes { ok: true, stopped: <how many> }.'),
    },
    ['kind', 'start'],
  ),
  examples: [
    {
      kind: 'unschedule:v1',
      start: 'charge',
      subjectId: { mapper: { lang: 'dataweave', expr: 'context.customerId' } },
      resultVar: 'cancelled',
    },
    { kind: 'unschedule:v1', journey: 'subscription', start: 'charge' },
  ],
};

const run: TaskRunner<UnscheduleTask> = {
  async buildRequest(task, host) {
    const request: StopRequest = {
      journeyName: task.journey ?? host.journey.name,
      journeyVersion: host.journey.version,
      startStateId: task.start,
      subjectId: await subjectOf(task, host),
      by: host.idempotencyKey,
    };
    return { name: 'unschedule', input: request, safe: false, repeatable: true, budgetMs, run: 'activity' };
  },
  handleResult({ resultVar }, stopped, host) {
    if (resultVar !== undefined) host.setVar(resultVar, { ok: true, stopped });
    return undefined;
  },
};

/** Stops schedules. */
export const unschedule: TaskKind<UnscheduleTask> = {
  kind: 'unschedule:v1',
  isExtension: true,
  schema,
  read,
  run,
  effect: {
    name: 'unschedule',
    virtual: () => async (input, _budgetMs, world) => world.unbind(input as StopRequest),
    recorded: 'virtual',
    summary: none,
  },
  cost: () => ordinaryActivity,
  caption: ({ start }) => `stops schedules of ${start}`,
  data: {
    reads: () => [],
    writes: ({ resultVar }) => variable(resultVar),
    after({ resultVar }, context) {
      if (resultVar === undefined) return context;
      const result = objectShape([
        ['ok', 'boolean'],
        ['stopped', 'number'],
      ]);
      return withShape(context, [resultVar], result);
    },
  },
  call: none,
  credential: none,
  scheduledStart: none,
  stops: ({ start, journey }) => ({ start, isOwn: journey === undefined }),
  failures: none,
  scale: timeless,
};

/** Reads the task block. The states of another journey are not known here. */
function read(block: Place, within: GraphReading): UnscheduleTask | undefined {
  forbidInApi(block.at('kind'), within, 'SCHED_IN_API', 'stop schedules');
  const named = optionalText(block.at('journey'), 'FIELD_TYPE', 'journey');
  const journey = named === within.reading.root.at('metadata').at('name').value ? undefined : named;
  const start = readScheduleStart(block, within, journey === undefined);
  const subjectId = readMapper(block.at('subjectId'), within);
  const resultVar = optionalIdentifier(block.at('resultVar'), 'resultVar');
  if (start === undefined) return undefined;
  return {
    kind: 'unschedule:v1',
    start,
    ...ifDefined('journey', journey),
    ...ifDefined('subjectId', subjectId),
    ...ifDefined('resultVar', resultVar),
  };
}
