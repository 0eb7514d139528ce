import type { TextSource } from '../../definition/definition.js';
import { hasPlaceholder } from '../../definition/template.js';
import { capital, describe, given } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import { forbidInApi } from '../../reading/forbid-in-api.js';
import type { GraphReading } from '../../reading/reading.js';
import { nextOf } from '../../reading/references.js';
import { template } from '../../reading/template.js';
import { addDuration, latestInstant, likelyDuration, parseDuration, parseInstant } from '../../time/duration.js';
import { blockOf } from '../state.js';
import { schema } from './schema.js';

/** A sleep, for a duration or until an instant. */
export interface TimerState {
  type: 'timer';
  duration?: TextSource;
  until?: TextSource;
  next: string;
  /** How many times faster than real time a computed sleep passes; set only where a scenario is played on a real server. */
  speed?: number;
}

/** Reads a `timer`. */
export function read(state: Place, within: GraphReading): TimerState | undefined {
  const next = nextOf(state, within);
  forbidInApi(state.at('type'), within, 'TIMER_IN_API', 'sleep');
  const block = blockOf(state, { type: 'timer', schema });
  if (!block) return undefined;
  if (block.has('duration') === block.has('until')) {
    const both = block.has('duration') ? 'both duration and until' : 'neither duration nor until';
    block.error('TIMER_XOR', `The timer has ${both}.`, undefined, 'key');
    return undefined;
  }
  const duration = block.has('duration') ? moment(block.at('duration'), within, 'TIMER_DURATION', dueAfter) : undefined;
  const until = block.has('until') ? moment(block.at('until'), within, 'TIMER_UNTIL', parseInstant) : undefined;
  return { type: 'timer', ...given('duration', duration), ...given('until', until), next };
}

/** The earliest that a duration can be over: no run began before 1970. */
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
  if (place.object && hasMapper(place)) {
    place.only(['mapper', 'mapperRef']);
    const mapper = mapperIn(place, siteIn(within, 'schedule'));
    return mapper && { mapper };
  }
  const meant = code === 'TIMER_DURATION' && typeof place.value === 'string' ? likelyDuration(place.value) : undefined;
  place.error(
    code,
    `${capital(describe(place.value))} is no ${code === 'TIMER_DURATION' ? 'duration' : 'instant'}.`,
    meant && `Write ${meant}, as ISO-8601 has it.`,
  );
  return undefined;
}
