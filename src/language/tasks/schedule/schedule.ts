import type { Place } from '../../../base/document/placed-value.js';
import { capitalized, describeType, ifDefined, optionalOneOf } from '../../../base/document/read-fields.js';
import { fixed, part, shape, textOf, textOrMapper, wordOf } from '../../../base/document/schema-builders.js';
import { pointerParts } from '../../../base/json/pointer.js';
import { likelyDuration } from '../../../base/time/duration.js';
import { timeless } from '../../../base/time/time-scale.js';
import type { Expression, TextSource } from '../../../engine/definition/definition.js';
import type { BindingRequest } from '../../../schedules/bindings/binding-record.js';
import type { Bounds } from '../../../schedules/cadence/interval-bounds.js';
import { readCron, readInstant, readInterval } from '../../../schedules/cadence/read-cadence-fields.js';
import { localActivity, ordinaryActivity, orElse } from '../../analysis/cost/cost-counters.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { forbidInApi } from '../../read/forbid-in-api.js';
import { hasMapper } from '../../read/read-expressions-and-mappers.js';
import { computedHint } from '../../read/read-templates.js';
import { noData } from '../../states/context-reads-and-writes.js';
import { none, type TaskKind } from '../task-kind.js';
import { executeScheduleTask } from './execute-schedule-task.js';
import { readMapper, readScheduleStart } from './read-start-and-mapper.js';

/** A schedule task, normalised. */
export type ScheduleTask = {
  kind: 'schedule:v1';
  start: string;
  startAt?: TextSource;
  /** Or `cron` with `timezone`. */
  interval?: TextSource;
  /** The grid of the interval, if not that of `startAt`. */
  anchor?: TextSource;
  cron?: TextSource;
  timezone?: TextSource;
  maxRuns: { value: number } | { mapper: Expression };
  subjectId?: Expression;
  context?: Expression;
  onExisting: 'fail' | 'upsert' | 'addAnother';
};

/** JSON Schema of `schedule:v1`. */
const schema = {
  ...shape(
    'Creates or updates a schedule that starts further runs of this journey, each with the context the previous one ended with.',
    {
      kind: fixed('schedule:v1', 'The kind of task.'),
      start: textOf('The state of spec.states at which scheduled runs start. Nothing after it may wait for input.'),
      startAt: textOrMapper(
        'An RFC 3339 instant; when left out, the first run starts at once, or with cron when that says so.',
      ),
      interval: textOrMapper('An ISO-8601 duration, like P1D or P1M.'),
      anchor: textOrMapper(
        'An RFC 3339 instant that the interval is counted from instead of startAt: the first run is at startAt, the others are on this grid. An extension, refused by --strict.',
      ),
      cron: textOrMapper(
        'Five fields (minute hour day-of-month month day-of-week) in place of interval; an extension, refused by --strict.',
      ),
      timezone: textOrMapper('The IANA time zone of the cron expression, like Europe/Rome.'),
      maxRuns: {
        description: 'How many runs at most.',
        oneOf: [{ type: 'integer', minimum: 1 }, part('mapperHolder')],
      },
      subjectId: part('mapperHolder', 'Whom the schedule is for.'),
      context: part('mapperHolder', 'The context of the first run; the current one when left out.'),
      onExisting: {
        ...wordOf(
          'What to do when the subject already has one at this start; fail by default.',
          'fail',
          'upsert',
          'addAnother',
        ),
        default: 'fail',
      },
    },
    ['kind', 'start', 'maxRuns'],
  ),
  examples: [
    {
      kind: 'schedule:v1',
      start: 'charge',
      startAt: '2030-01-31T09:00:00Z',
      interval: 'P1M',
      maxRuns: 12,
      subjectId: { mapper: { lang: 'dataweave', expr: 'context.customerId' } },
      context: { mapper: { lang: 'dataweave', expr: '{ token: context.token }' } },
      onExisting: 'upsert',
    },
    { kind: 'schedule:v1', start: 'charge', interval: 'P1M', anchor: '2030-01-31T09:00:00Z', maxRuns: 12 },
    { kind: 'schedule:v1', start: 'charge', cron: '0 2 * * *', timezone: 'Europe/Rome', maxRuns: 365 },
  ],
  oneOf: [
    { required: ['interval'], properties: { cron: false, timezone: false } },
    { required: ['cron', 'timezone'], properties: { interval: false, anchor: false } },
  ],
};

/** Creates or updates a schedule of this journey's own runs. */
export const schedule: TaskKind<ScheduleTask> = {
  kind: 'schedule:v1',
  isExtension: false,
  schema,
  read,
  run: executeScheduleTask,
  effect: {
    name: 'schedule',
    virtual: () => async (input, _budgetMs, world) => world.bind(input as BindingRequest),
    recorded: 'virtual',
    summary: none,
  },
  cost: () => orElse(localActivity, ordinaryActivity),
  caption: ({ start }) => `schedules ${start}`,
  data: noData,
  call: none,
  credential: none,
  scheduledStart: ({ start }) => start,
  stops: none,
  failures: none,
  scale: timeless,
};

/** Reads the task block. */
function read(block: Place, within: GraphReading): ScheduleTask | undefined {
  forbidInApi(block.at('kind'), within, 'SCHED_IN_API', 'schedule runs');
  const least = within.reading.options.minScheduleIntervalSec ?? 60;
  const start = readScheduleStart(block, within);
  const cadence = readCadence(block, within, { shortest: least * 1000 });
  const startAt = block.has('startAt')
    ? readText(block.at('startAt'), within, 'SCHED_STARTAT', (text) => readInstant(text).findings)
    : undefined;
  const maxRuns = readMaxRuns(block.at('maxRuns'), within);
  const subjectId = readMapper(block.at('subjectId'), within);
  const context = readMapper(block.at('context'), within);
  const words = ['fail', 'upsert', 'addAnother'] as const;
  const onExisting = optionalOneOf(block.at('onExisting'), words, 'SCHED_ENUM', 'onExisting') ?? 'fail';
  if (start === undefined || !cadence || !maxRuns) return undefined;
  const optional = {
    ...ifDefined('startAt', startAt),
    ...ifDefined('subjectId', subjectId),
    ...ifDefined('context', context),
  };
  return { kind: 'schedule:v1', start, ...cadence, maxRuns, onExisting, ...optional };
}

type CadenceFields = Pick<ScheduleTask, 'interval' | 'anchor' | 'cron' | 'timezone'>;

/** Reads the interval or the cron with the same rules as the run, so that nothing is rejected later. */
function readCadence(block: Place, within: GraphReading, bounds: Bounds): CadenceFields | undefined {
  if (!block.has('cron') && !block.has('timezone')) {
    const interval = readText(block.at('interval'), within, 'SCHED_INTERVAL', (text) =>
      text.startsWith('P') ? readInterval(text, 0, { bounds }).findings : [intervalHint(text)],
    );
    const anchor = readAnchor(block.at('anchor'), within);
    return interval && { interval, ...ifDefined('anchor', anchor) };
  }
  const extension = block.at(block.has('cron') ? 'cron' : 'timezone');
  if (!block.report.compat) extension.error('SCHED_EXTENSION', 'The language has intervals only.', undefined, 'key');
  if (block.has('interval')) {
    extension.error(
      'SCHED_CRON',
      'It cannot be combined with interval.',
      'Give interval, or cron with timezone.',
      'key',
    );
    return undefined;
  }
  if (block.has('anchor'))
    block
      .at('anchor')
      .error('SCHED_ANCHOR', 'A cron has no anchor: its fields say when it runs.', 'Remove anchor.', 'key');
  const cron = readText(block.at('cron'), within, 'SCHED_CRON', (text) => readCron(text, 'UTC', { bounds }).findings);
  const timezone = readText(
    block.at('timezone'),
    within,
    'SCHED_TIMEZONE',
    (text) => readCron('0 0 * * *', text).findings,
  );
  return cron && timezone && { cron, timezone };
}

function readAnchor(place: Place, within: GraphReading): TextSource | undefined {
  if (place.value === undefined) return undefined;
  if (!place.report.compat)
    place.error('SCHED_EXTENSION', 'The language counts intervals from startAt.', undefined, 'key');
  return readText(place, within, 'SCHED_ANCHOR', (text) => readInstant(text).findings);
}

function intervalHint(text: string): { hint?: string } {
  const meant = likelyDuration(text);
  return meant === undefined ? {} : { hint: `Write ${meant}, in ISO-8601 format.` };
}

function readText(
  place: Place,
  within: GraphReading,
  code: 'SCHED_INTERVAL' | 'SCHED_STARTAT' | 'SCHED_ANCHOR' | 'SCHED_CRON' | 'SCHED_TIMEZONE',
  faults: (text: string) => readonly { message?: string; hint?: string }[],
): TextSource | undefined {
  const wrong = typeof place.value === 'string' ? faults(place.value)[0] : {};
  if (typeof place.value === 'string' && !wrong) return { text: place.value };
  if (hasMapper(place)) {
    const mapper = readMapper(place, within);
    return mapper && { mapper };
  }
  const why = wrong?.message === undefined ? '.' : `: ${wrong.message}.`;
  const shown =
    place.value === undefined
      ? `${pointerParts(place.pointer).at(-1)} is missing`
      : `${describeType(place.value)} cannot be used here`;
  place.error(
    code,
    `${place.value === undefined ? shown : capitalized(shown)}${why}`,
    computedHint(place) ?? wrong?.hint,
  );
  return undefined;
}

function readMaxRuns(place: Place, within: GraphReading): ScheduleTask['maxRuns'] | undefined {
  const { value } = place;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return { value };
  if (hasMapper(place)) {
    const mapper = readMapper(place, within);
    return mapper && { mapper };
  }
  const hint =
    typeof value === 'string' && /^\d+$/.test(value) ? `Write ${Number(value)}, without quotes.` : computedHint(place);
  const shown = value === undefined ? 'is missing; it must be' : 'must be';
  const not = value === undefined ? '' : `, not ${describeType(value)}`;
  place.error('SCHED_MAXRUNS', `maxRuns ${shown} a whole number, at least 1, or a mapper${not}.`, hint);
  return undefined;
}
