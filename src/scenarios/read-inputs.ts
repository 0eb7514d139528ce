import { describe, given, isBlock, list, optionalText, text } from '../document/fields.js';
import type { Place } from '../document/place.js';
import type { Json } from '../json/value.js';
import { readStepExpectation } from './read-expectation.js';
import { duration, textMap } from './read-values.js';
import type { SignalInput, StepInput, Trigger } from './scenario.js';

const triggerFields = ['at', 'afterState', 'delay'] as const;
/** Fields of what reaches a run, for the reader and for the published schema. */
export const cancelFields: readonly string[] = triggerFields;
export const signalFields: readonly string[] = ['step', 'payload', ...triggerFields];
export const stepFields: readonly string[] = [...signalFields, 'headers', 'query', 'certificate', 'expect'];

/** `steps`: submissions over HTTP, in this order. */
export function readSteps(place: Place): StepInput[] {
  return list(place, 'FIELD_TYPE', 'steps').flatMap((item) => {
    const step = readTarget(item, stepFields, 'A step');
    return step === undefined
      ? []
      : {
          ...readTiming(item),
          step,
          payload: payloadOf(item),
          headers: textMap(item.at('headers'), 'headers'),
          query: textMap(item.at('query'), 'query'),
          ...given('certificate', optionalText(item.at('certificate'), 'FIELD_TYPE', 'certificate')),
          ...given('expect', item.has('expect') ? readStepExpectation(item.at('expect')) : undefined),
        };
  });
}

/** `signals`: plain Temporal signals named after steps, in this order. */
export function readSignals(place: Place): SignalInput[] {
  return list(place, 'FIELD_TYPE', 'signals').flatMap((item) => {
    const step = readTarget(item, signalFields, 'A signal');
    return step === undefined ? [] : { ...readTiming(item), step, payload: payloadOf(item) };
  });
}

/** `cancel`: when the run is asked to end. */
export function readTrigger(place: Place, name: string): Trigger | undefined {
  if (!isBlock(place, 'FIELD_TYPE', name)) {
    if (place.value === null)
      place.error('FIELD_REQUIRED', `${name} needs at or afterState.`, 'Like cancel: {at: PT5M}.');
    return undefined;
  }
  place.only(cancelFields);
  const trigger = readTiming(place);
  if (!place.has('at') && !place.has('afterState')) {
    place.error('FIELD_REQUIRED', `${name} needs at or afterState.`, 'Like cancel: {at: PT5M}.');
  }
  return trigger;
}

function readTarget(place: Place, fields: readonly string[], name: string): string | undefined {
  if (!place.object) {
    place.error('FIELD_TYPE', `${name} is an object, not ${describe(place.value)}.`);
    return undefined;
  }
  place.only(fields);
  if (!place.has('step')) {
    place.error('FIELD_REQUIRED', `${name} needs step: the id of the state that waits for it.`);
    return undefined;
  }
  return text(place.at('step'), 'FIELD_TYPE', 'step');
}

/** The payload as written, null included; an empty object where there is none. */
function payloadOf(place: Place): Json {
  return place.at('payload').value === undefined ? {} : (place.at('payload').value as Json);
}

function readTiming(place: Place): Trigger {
  if (place.has('at') && place.has('afterState')) {
    place.at('afterState').error('SCENARIO_TIMING', 'Use either at or afterState.', 'delay goes with both.', 'key');
  }
  return {
    pointer: place.pointer,
    ...given('at', duration(place.at('at'), 'at')),
    ...given('afterState', optionalText(place.at('afterState'), 'FIELD_TYPE', 'afterState')),
    ...given('delay', duration(place.at('delay'), 'delay')),
  };
}
