import type { TextSource } from '../../definition/definition.js';
import { describe, given } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import { forbidInApi } from '../../reading/forbid-in-api.js';
import type { Scope } from '../../reading/reading.js';
import { nextOf } from '../../reading/references.js';
import { template } from '../../reading/template.js';
import { parseDuration, parseInstant } from '../../time/duration.js';
import { blockOf, type StateReader } from '../state.js';

export const readTimer: StateReader = (state, scope) => {
  const next = nextOf(state, scope);
  forbidInApi(state.at('type'), scope, 'TIMER_IN_API', 'sleep');
  const block = blockOf(state, 'timer', ['duration', 'until'], ['next']);
  if (!block) return undefined;
  if (block.has('duration') === block.has('until')) {
    const both = block.has('duration') ? 'both duration and until' : 'neither duration nor until';
    block.error('TIMER_XOR', `The timer has ${both}.`, undefined, 'key');
    return undefined;
  }
  const duration = block.has('duration')
    ? moment(block.at('duration'), scope, 'TIMER_DURATION', (t) => parseDuration(t) !== undefined)
    : undefined;
  const until = block.has('until')
    ? moment(block.at('until'), scope, 'TIMER_UNTIL', (t) => parseInstant(t) !== undefined)
    : undefined;
  return { type: 'timer', ...given('duration', duration), ...given('until', until), next };
};

function moment(
  place: Place,
  scope: Scope,
  code: 'TIMER_DURATION' | 'TIMER_UNTIL',
  valid: (text: string) => boolean,
): TextSource | undefined {
  if (typeof place.value === 'string' && place.value.includes('${')) {
    place.compat('C12', 'The timer is computed by a placeholder.');
    return { text: template(place, scope.reading) };
  }
  if (typeof place.value === 'string' && valid(place.value)) return { text: place.value };
  if (place.object && hasMapper(place)) {
    place.only(['mapper', 'mapperRef']);
    const mapper = mapperIn(place, siteIn(scope, 'schedule'));
    return mapper && { mapper };
  }
  place.error(code, `${describe(place.value)} is no ${code === 'TIMER_DURATION' ? 'duration' : 'instant'}.`);
  return undefined;
}
