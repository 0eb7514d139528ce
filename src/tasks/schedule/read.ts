import type { Expression, TextSource } from '../../definition/definition.js';
import { asMapper, capital, describe, given, named, optionalOneOf } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { didYouMean } from '../../document/suggest.js';
import { pointerParts } from '../../json/pointer.js';
import type { Json } from '../../json/value.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import { forbidInApi } from '../../reading/forbid-in-api.js';
import type { GraphReading } from '../../reading/reading.js';
import type { Bounds } from '../../scheduling/cadence/bounds.js';
import { readCron, readInstant, readInterval } from '../../scheduling/cadence/read.js';
import { likelyDuration } from '../../time/duration.js';

/** A schedule task, normalised. */
export type ScheduleTask = {
  kind: 'schedule:v1';
  start: string;
  startAt?: TextSource;
  /** Or `cron` with `timezone`. */
  interval?: TextSource;
  cron?: TextSource;
  timezone?: TextSource;
  maxRuns: { value: number } | { mapper: Expression };
  subjectId?: Expression;
  context?: Expression;
  onExisting: 'fail' | 'upsert' | 'addAnother';
};

/** Reads the task block. */
export function read(block: Place, within: GraphReading): ScheduleTask | undefined {
  forbidInApi(block.at('kind'), within, 'SCHED_IN_API', 'schedule runs');
  const least = within.reading.options.minScheduleIntervalSec ?? 60;
  const start = readStart(block, within);
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
  const optional = { ...given('startAt', startAt), ...given('subjectId', subjectId), ...given('context', context) };
  return { kind: 'schedule:v1', start, ...cadence, maxRuns, onExisting, ...optional };
}

type CadenceFields = Pick<ScheduleTask, 'interval' | 'cron' | 'timezone'>;

/** The interval, or the cron in its place. As the task itself reads them when it runs: what is refused then is refused now. */
function readCadence(block: Place, within: GraphReading, bounds: Bounds): CadenceFields | undefined {
  if (!block.has('cron') && !block.has('timezone')) {
    const interval = readText(block.at('interval'), within, 'SCHED_INTERVAL', (text) =>
      text.startsWith('P') ? readInterval(text, 0, { bounds }).findings : [intervalHint(text)],
    );
    return interval && { interval };
  }
  const extension = block.at(block.has('cron') ? 'cron' : 'timezone');
  if (!block.report.compat) extension.error('SCHED_EXTENSION', 'The language knows intervals only.', undefined, 'key');
  if (block.has('interval')) {
    extension.error('SCHED_CRON', 'It stands beside an interval.', 'Give interval, or cron with timezone.', 'key');
    return undefined;
  }
  const cron = readText(block.at('cron'), within, 'SCHED_CRON', (text) => readCron(text, 'UTC', { bounds }).findings);
  const timezone = readText(
    block.at('timezone'),
    within,
    'SCHED_TIMEZONE',
    (text) => readCron('0 0 * * *', text).findings,
  );
  return cron && timezone && { cron, timezone };
}

function intervalHint(text: string): { hint?: string } {
  const meant = likelyDuration(text);
  return meant === undefined ? {} : { hint: `Write ${meant}, as ISO-8601 has it.` };
}

function readStart(block: Place, within: GraphReading): string | undefined {
  const place = block.at('start');
  const { topStates } = within.reading;
  if (typeof place.value === 'string' && topStates.has(place.value)) return place.value;
  const hint = didYouMean(place.value, topStates);
  (place.value === undefined ? block : place).error('SCHED_START_UNKNOWN', missingStart(place.value), hint);
  return undefined;
}

function readText(
  place: Place,
  within: GraphReading,
  code: 'SCHED_INTERVAL' | 'SCHED_STARTAT' | 'SCHED_CRON' | 'SCHED_TIMEZONE',
  faults: (text: string) => readonly { message?: string; hint?: string }[],
): TextSource | undefined {
  const wrong = typeof place.value === 'string' ? faults(place.value)[0] : {};
  if (typeof place.value === 'string' && !wrong) return { text: place.value };
  if (place.object && hasMapper(place)) {
    const mapper = readMapper(place, within);
    return mapper && { mapper };
  }
  const why = wrong?.message === undefined ? '.' : `: ${wrong.message}.`;
  const shown =
    place.value === undefined
      ? `${pointerParts(place.pointer).at(-1)} is missing`
      : `${describe(place.value)} cannot be used here`;
  place.error(code, `${place.value === undefined ? shown : capital(shown)}${why}`, wrong?.hint);
  return undefined;
}

function readMaxRuns(place: Place, within: GraphReading): ScheduleTask['maxRuns'] | undefined {
  const { value } = place;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return { value };
  if (place.object && hasMapper(place)) {
    const mapper = readMapper(place, within);
    return mapper && { mapper };
  }
  const hint = typeof value === 'string' && /^\d+$/.test(value) ? `Write ${Number(value)}, without quotes.` : undefined;
  const shown = value === undefined ? 'is missing; it must be' : 'must be';
  const not = value === undefined ? '' : `, not ${describe(value)}`;
  place.error('SCHED_MAXRUNS', `maxRuns ${shown} a whole number, at least 1, or a mapper${not}.`, hint);
  return undefined;
}

function readMapper(place: Place, within: GraphReading): Expression | undefined {
  if (place.value === undefined) return undefined;
  place.only(['mapper', 'mapperRef']);
  if (place.object && hasMapper(place)) return mapperIn(place, siteIn(within, 'schedule'));
  place.error('SCHED_MAPPER', `A mapper is expected, not ${describe(place.value)}.`, asMapper);
  return undefined;
}

function missingStart(value: Json | undefined): string {
  if (value === undefined) return 'The schedule does not say at which state of spec.states its runs start.';
  if (typeof value !== 'string') return `start must be the id of a state, not ${describe(value)}.`;
  return `spec.states has no state ${named(value)} to start at.`;
}
