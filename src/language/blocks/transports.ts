import { isBlock } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { didYouMean } from '../../document/suggest.js';
import type { Reading } from '../../reading/reading.js';

/** Inbound transports that are part of the language but not served: the kind each is for, if only one. */
const transports: ReadonlyMap<string, Reading['kind'] | undefined> = new Map([
  ['websocket', 'Journey'],
  ['queue', 'Journey'],
  ['grpc', 'Api'],
  ['function', undefined],
]);

/** Checks a binding other than HTTP. The one for the command line has no fields, and `run start` needs none of it; the others are refused. */
export function checkTransport(id: string, place: Place, kind: Reading['kind']): void {
  if (id === 'cli') {
    if (isBlock(place, 'BINDING_SHAPE', 'bindings.cli')) place.only([], 'error');
    return;
  }
  if (!transports.has(id)) {
    const hint = didYouMean(id, ['http', 'cli', ...transports.keys()]);
    place.error('BINDING_UNSUPPORTED', `There is no binding "${id}".`, hint, 'key');
    return;
  }
  const only = transports.get(id) ?? kind;
  if (only !== kind) place.error('BINDING_KIND', `${id} is for kind ${only} only.`, undefined, 'key');
  else place.error('BINDING_UNSUPPORTED', `This release does not serve ${id}.`, undefined, 'key');
}

/** The steps a binding names must be steps of the journey. */
export function checkSteps(place: Place, steps: ReadonlySet<string>): void {
  isBlock(place, 'BINDING_SHAPE', 'steps');
  for (const [id, step] of place.entries())
    if (!steps.has(id))
      step.error('BINDING_STEP_UNKNOWN', `There is no wait or webhook state "${id}".`, didYouMean(id, steps), 'key');
}
