import type { Place } from '../../base/document/placed-value.js';
import { capitalized, describeType, ifDefined } from '../../base/document/read-fields.js';
import { shape, textOrMapper } from '../../base/document/schema-builders.js';
import { refuse } from '../../base/problems/problem.js';
import { addDuration, likelyDuration, parseDuration } from '../../base/time/duration.js';
import { formatInstant, latestInstant, parseInstant } from '../../base/time/instant.js';
import { scaleDuration, type TimeScale } from '../../base/time/time-scale.js';
import type { TextSource } from '../../engine/definition/definition.js';
import { hasPlaceholder } from '../../engine/definition/parse-template.js';
import { type Frame, progressOf, setRequest } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import type { Run } from '../../engine/run.js';
import type { Step } from '../../engine/runner-interfaces.js';
import type { GraphReading } from '../read/document-reading-state.js';
import { forbidStateInApi } from '../read/forbid-in-api.js';
import { hasMapper, mapper, siteIn } from '../read/read-expressions-and-mappers.js';
import { nextOf } from '../read/read-state-references.js';
import { computedHint, template } from '../read/read-templates.js';
import { noData } from './context-reads-and-writes.js';
import {
  blockOf,
  migratesFreely,
  next,
  noDifferences,
  noGraphs,
  type StateType,
  stateSchema,
  toNext,
} from './state-type.js';

/** A sleep, for a duration or until an instant. */
export interface TimerState {
  type: 'timer';
  duration?: TextSource;
  until?: TextSource;
  next: string;
  /** Speed of a computed sleep relative to real time; set only for a scenario on a real server. */
  speed?: number;
}

/** JSON Schema of `timer`. */
const schema = stateSchema(
  'timer',
  'Sleeps durably. Journeys only.',
  {
    timer: {
      ...shape('How long, or until when.', {
        duration: textOrMapper('An ISO-8601 duration, like PT5M, P1D or P1M.'),
        until: textOrMapper('An RFC 3339 instant.'),
      }),
      oneOf: [{ required: ['duration'] }, { required: ['until'] }],
    },
    next,
  },
  ['timer', 'next'],
  [
    { timer: { duration: 'P3D' }, next: 'remind' },
    { timer: { until: { mapper: { lang: 'dataweave', expr: 'context.deliverAt' } } }, next: 'deliver' },
  ],
);

/** Sleeps. */
export const timer: StateType<TimerState> = {
  type: 'timer',
  isExtension: false,
  impliedBy: ['timer'],
  schema,
  read,
  execute,
  instant: false,
  exits: toNext,
  awaits: () => ({ timer: true }),
  caption,
  inner: noGraphs,
  data: noData,
  scale,
  compare: noDifferences,
  migrate: migratesFreely,
};

function caption({ duration, until }: TimerState): string {
  const source = duration ?? until!;
  return `sleeps ${duration ? 'for' : 'until'} ${'text' in source ? source.text : source.mapper.expr}`;
}

/** Reads a `timer`. */
function read(state: Place, within: GraphReading): TimerState | undefined {
  const next = nextOf(state, within);
  forbidStateInApi(state, within, 'TIMER_IN_API', 'sleep');
  const block = blockOf(state, { type: 'timer', schema });
  if (!block) return undefined;
  if (block.has('duration') === block.has('until')) {
    const both = block.has('duration') ? 'both duration and until' : 'neither duration nor until';
    block.error('TIMER_XOR', `The timer has ${both}.`, undefined, 'key');
    return undefined;
  }
  const duration = block.has('duration') ? moment(block.at('duration'), within, 'TIMER_DURATION', dueAfter) : undefined;
  const until = block.has('until') ? moment(block.at('until'), within, 'TIMER_UNTIL', parseInstant) : undefined;
  return { type: 'timer', ...ifDefined('duration', duration), ...ifDefined('until', until), next };
}

/** The earliest time at which a duration can end: no run started before 1970. */
function dueAfter(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration && addDuration(0, duration);
}

function moment(
  place: Place,
  within: GraphReading,
  code: 'TIMER_DURATION' | 'TIMER_UNTIL',
  due: (text: string) => number | undefined,
): TextSource | undefined {
  if (typeof place.value === 'string' && hasPlaceholder(place.value)) {
    place.compat('C12', 'The timer is computed by a placeholder.');
    return { text: template(place, within) };
  }
  const dueAt = typeof place.value === 'string' ? due(place.value) : undefined;
  if (dueAt !== undefined && dueAt <= latestInstant) return { text: place.value as string };
  if (dueAt !== undefined) {
    place.error(code, 'The timer would be due after the year 9999.');
    return undefined;
  }
  if (hasMapper(place)) {
    const computed = mapper(place, siteIn(within, 'schedule'));
    return computed && { mapper: computed };
  }
  const meant = code === 'TIMER_DURATION' && typeof place.value === 'string' ? likelyDuration(place.value) : undefined;
  place.error(
    code,
    `${capitalized(describeType(place.value))} is not a valid ${code === 'TIMER_DURATION' ? 'duration' : 'instant'}.`,
    meant ? `Write ${meant}, in ISO-8601 format.` : computedHint(place),
  );
  return undefined;
}

/** Waits for a duration or until an instant; does not change the context. A timer that is already due does not wait. */
async function execute(state: TimerState, frame: Frame, scope: Scope, run: Run): Promise<Step> {
  setRequest(frame, undefined);
  const dueAt = progressOf(frame, 'timer')?.dueAt ?? (await dueTime(state, frame, run));
  if (dueAt > run.host.now()) {
    if (!frame.progress) run.asks(frame);
    frame.progress = { kind: 'timer', dueAt };
    const sleeping = scope.sleepUntil(dueAt, frame.at);
    run.parking.park(frame);
    await sleeping;
    run.parking.resume(frame);
  }
  return { next: state.next };
}

async function dueTime(state: TimerState, frame: Frame, run: Run): Promise<number> {
  if (state.until) {
    const instant = parseInstant(await text(state.until, frame, run));
    if (instant !== undefined && instant <= latestInstant) return scaleDelay(instant, state, run);
    return refuse('TIMER_UNTIL', '`until` must be an RFC 3339 timestamp such as 2030-01-31T09:00:00Z.');
  }
  const duration = parseDuration(state.duration ? await text(state.duration, frame, run) : '');
  if (!duration) return refuse('TIMER_DURATION', '`duration` must be an ISO-8601 duration such as PT5M or P1D.');
  const dueAt = addDuration(run.host.now(), duration);
  if (dueAt <= latestInstant) return scaleDelay(dueAt, state, run);
  return refuse('TIMER_DURATION', 'The timer would be due after the year 9999.');
}

function scaleDelay(dueAt: number, { speed }: TimerState, run: Run): number {
  const now = run.host.now();
  return speed === undefined ? dueAt : now + Math.ceil((dueAt - now) / speed);
}

async function text(source: TextSource, frame: Frame, run: Run): Promise<string> {
  const value =
    'text' in source ? run.interpolate(source.text, frame) : await run.evaluate(source.mapper, 'mapper', frame);
  return typeof value === 'string' ? value : '';
}

function scale(state: TimerState, scale: TimeScale): TimerState {
  const { duration, until } = state;
  return {
    ...state,
    ...(duration && { duration: scaledDuration(duration, scale) }),
    ...(until && { until: scaledInstant(until, scale) }),
    ...(isComputed(duration ?? until) && { speed: scale.factor }),
  };
}

function isComputed(source: TextSource | undefined): boolean {
  return source !== undefined && ('mapper' in source || hasPlaceholder(source.text));
}

function scaledDuration(source: TextSource, scale: TimeScale): TextSource {
  return 'text' in source ? { text: scaleDuration(source.text, scale) } : source;
}

function scaledInstant(source: TextSource, { factor, virtualStart, realStart }: TimeScale): TextSource {
  const instant = 'text' in source ? parseInstant(source.text) : undefined;
  return instant === undefined ? source : { text: formatInstant(realStart + (instant - virtualStart) / factor) };
}
