import type { Projection } from '../../definition/definition.js';
import { statusFields } from '../../definition/reserved.js';
import type { Signature } from '../../definition/signature.js';
import { describe, given, optionalInteger } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import type { Json } from '../../json/value.js';
import { forbidInApi } from '../../reading/forbid-in-api.js';
import { inlineSchema } from '../../reading/json-schema.js';
import { readProjection } from '../../reading/projection.js';
import type { GraphReading } from '../../reading/reading.js';
import { nextOf, stateRef } from '../../reading/references.js';
import { blockOf, type StateType } from '../state.js';
import { readSignature } from './signature.js';

/** A step: `wait` and `webhook` differ in who submits, not in what happens. */
export interface WaitState<T extends 'wait' | 'webhook' = 'wait' | 'webhook'> {
  type: T;
  schema: Json;
  response?: Projection;
  timeout?: { sec: number; next: string };
  /** How its submissions are signed. */
  signature?: Signature;
  next: string;
}

/** The states that a step can go on to. */
export function stepExits({ next, timeout }: WaitState): string[] {
  return timeout ? [next, timeout.next] : [next];
}

/** Names a step cannot have: the built-in cancel step, and the links every status carries. */
const reservedSteps = ['cancel', 'self', 'result'];

/** Reads a step of either type. */
export function readStep<T extends 'wait' | 'webhook'>(
  form: Pick<StateType<WaitState<T>>, 'type' | 'schema'>,
  state: Place,
  within: GraphReading,
  id: string,
): WaitState<T> | undefined {
  const { type } = form;
  forbidInApi(state.at('type'), within, 'WAIT_IN_API', 'wait for input');
  if (reservedSteps.includes(id)) state.error('STEP_ID_RESERVED', `A step cannot be called "${id}".`, undefined, 'key');
  const block = blockOf(state, form);
  if (!block) {
    if (state.has('next')) nextOf(state, within);
    return undefined;
  }
  if (type === 'wait' && block.at('channel').value !== 'manual')
    (block.has('channel') ? block.at('channel') : block).error(
      'WAIT_CHANNEL',
      `channel must be manual, not ${describe(block.at('channel').value)}.`,
      undefined,
      'key',
    );
  const schema = inputSchema(block);
  const response = readResponse(state, block);
  const timeout = readTimeout(block, within);
  const signature = readSignature(block.at('signature'));
  const next = nextOrDefault(state, block, within);
  if (schema === undefined) return undefined;
  return {
    type,
    schema,
    ...given('response', response),
    ...given('timeout', timeout),
    ...given('signature', signature),
    next,
  };
}

function inputSchema(block: Place) {
  const input = block.at('input');
  input.only(['schema']);
  if (input.at('schema').value !== undefined) return inlineSchema(input.at('schema'));
  // One that stands beside input is told where it belongs.
  if (block.has('schema')) return undefined;
  (input.object ? input : block).error(
    'WAIT_SCHEMA_MISSING',
    'The step does not describe the body it accepts.',
    undefined,
    'key',
  );
  return undefined;
}

function readResponse(state: Place, block: Place): WaitState['response'] {
  let response = block.at('response');
  if (state.has('response')) {
    state.at('response').compat('C16', `response stands beside ${String(state.at('type').value)} instead of in it.`);
    if (response.value === undefined) response = state.at('response');
  }
  return response.value === undefined ? undefined : readProjection(response, statusFields);
}

function readTimeout(block: Place, within: GraphReading): WaitState['timeout'] {
  const sec = optionalInteger(block.at('timeoutSec'), 'WAIT_TIMEOUT', 'timeoutSec');
  const next = block.has('onTimeout') ? stateRef(block.at('onTimeout'), within) : undefined;
  if (block.has('timeoutSec') && !block.has('onTimeout') && !block.at('onTimeout').isMisspelt)
    block.error('WAIT_ONTIMEOUT_MISSING', 'timeoutSec stands without onTimeout.', undefined, 'key');
  if (block.has('onTimeout') && !block.has('timeoutSec') && !block.at('timeoutSec').isMisspelt)
    block.warn('WAIT_ONTIMEOUT_MISSING', 'onTimeout stands without timeoutSec and is never taken.', undefined, 'key');
  return sec !== undefined && next !== undefined ? { sec, next } : undefined;
}

function nextOrDefault(state: Place, block: Place, within: GraphReading): string {
  const inner = block.has('default') ? block.at('default') : undefined;
  const outer = state.has('default') ? state.at('default') : undefined;
  const old = inner ?? outer;
  old?.compat('C1', 'default names the next state.');
  const meant = old && stateRef(old, within);
  return state.has('next') || meant === undefined ? nextOf(state, within) : meant;
}
