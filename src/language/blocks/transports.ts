import { describe, isBlock, list, optionalText, text } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { didYouMean } from '../../document/suggest.js';
import type { Reading } from '../../reading/reading.js';

/** An inbound transport that is part of the language but not served: the kind it is for, if only one, and its shape. */
interface Transport {
  kind?: Reading['kind'];
  check(place: Place, steps: ReadonlySet<string>): void;
}

const transports: Readonly<Record<string, Transport>> = {
  websocket: { kind: 'Journey', check: checkWebsocket },
  queue: { kind: 'Journey', check: checkQueue },
  grpc: { kind: 'Api', check: checkGrpc },
  cli: { check: checkEmpty },
  function: { check: checkEmpty },
};

/** Checks a binding other than HTTP. */
export function checkTransport(id: string, place: Place, kind: Reading['kind'], steps: ReadonlySet<string>): void {
  const transport = Object.hasOwn(transports, id) ? transports[id] : undefined;
  if (!transport) {
    const hint = didYouMean(id, ['http', ...Object.keys(transports)]);
    place.error('BINDING_UNSUPPORTED', `There is no binding "${id}".`, hint, 'key');
    return;
  }
  if (transport.kind && transport.kind !== kind)
    place.error('BINDING_KIND', `${id} is for kind ${transport.kind} only.`, undefined, 'key');
  else {
    const hint = 'Callers reach the journey over HTTP.';
    place.warn('BINDING_UNSUPPORTED', `${id} is accepted but not served.`, hint, 'key');
  }
  if (isBlock(place, 'BINDING_SHAPE', id)) transport.check(place, steps);
}

/** The steps a binding names must be steps of the journey. */
export function checkSteps(place: Place, steps: ReadonlySet<string>): void {
  isBlock(place, 'BINDING_SHAPE', 'steps');
  for (const [id, step] of place.entries())
    if (!steps.has(id))
      step.error('BINDING_STEP_UNKNOWN', `There is no wait or webhook state "${id}".`, didYouMean(id, steps), 'key');
}

function stepsIn(binding: Place): Place[] {
  const steps = binding.at('steps').entries();
  return steps.map(([, step]) => step);
}

function checkWebsocket(place: Place, steps: ReadonlySet<string>): void {
  place.only(['endpoint', 'start', 'steps'], 'warning');
  const endpoint = place.at('endpoint');
  isBlock(endpoint, 'BINDING_SHAPE', 'endpoint');
  endpoint.only(['path', 'subprotocol'], 'warning');
  optionalText(endpoint.at('subprotocol'), 'BINDING_SHAPE', 'endpoint.subprotocol');
  const path = optionalText(endpoint.at('path'), 'BINDING_SHAPE', 'endpoint.path');
  if (path !== undefined && !/^\/(?!\/)/.test(path))
    endpoint
      .at('path')
      .error('BINDING_SHAPE', `endpoint.path must start with / and name no host, not ${describe(path)}.`);
  for (const message of [place.at('start'), ...stepsIn(place)]) {
    isBlock(message, 'BINDING_SHAPE', 'The binding');
    message.only(['messageType'], 'warning');
    optionalText(message.at('messageType'), 'BINDING_SHAPE', 'messageType');
  }
  checkSteps(place.at('steps'), steps);
}

function checkQueue(place: Place, steps: ReadonlySet<string>): void {
  place.only(['starts', 'steps'], 'warning');
  for (const source of [...list(place.at('starts'), 'BINDING_SHAPE', 'starts'), ...stepsIn(place)]) {
    isBlock(source, 'BINDING_SHAPE', 'The binding');
    source.only(['channel'], 'warning');
    if (source.object) text(source.at('channel'), 'BINDING_SHAPE', 'channel');
  }
  checkSteps(place.at('steps'), steps);
}

function checkGrpc(place: Place): void {
  place.only(['service', 'method'], 'warning');
  for (const name of ['service', 'method']) optionalText(place.at(name), 'BINDING_SHAPE', name);
}

function checkEmpty(place: Place): void {
  for (const [name, field] of place.entries())
    field.error('BINDING_SHAPE', `This binding has no fields, so "${name}" means nothing.`, 'Write {}.', 'key');
}
