import { isObject, type Json, type JsonObject } from '../../src/base/json/value.js';

type Repair = (document: JsonObject) => void;

/** The value at a path of keys and indexes; throws if the path does not exist. */
function at(value: Json, ...path: (string | number)[]): JsonObject {
  let found: Json | undefined = value;
  for (const key of path) found = (found as JsonObject | undefined)?.[key as string];
  if (!isObject(found)) throw new Error(`there is no object at ${path.join('/')}`);
  return found;
}

/** Moves misindented states out of another state, next to it. */
function liftStates(states: JsonObject): void {
  for (const state of Object.values(states).filter(isObject)) {
    for (const [key, inner] of Object.entries(state)) {
      if (!isObject(inner) || !Object.hasOwn(inner, 'type')) continue;
      delete state[key];
      states[key] = inner;
    }
  }
}

/** Moves misindented fields of a wait or webhook back into its block, and its target to its place. */
function fillBlock(state: JsonObject): void {
  const { type, input, response, channel } = state;
  const block: JsonObject = {
    ...(channel === undefined ? {} : { channel }),
    ...(response === undefined ? {} : { response }),
    input: input as Json,
  };
  for (const field of ['channel', 'response', 'input']) delete state[field];
  for (const part of [block.input, block.response]) {
    if (!isObject(part) || part.default === undefined) continue;
    state.next = part.default;
    delete part.default;
  }
  state[type as string] = block;
}

/** Minimal edits that fix public journeys that are rejected or fail by their own logic. */
export const repairs: Readonly<Record<string, Repair>> = {
  'http-problem-details': (document) => {
    at(document, 'spec', 'states').done = { type: 'succeed', outputVar: 'api' };
  },
  'market-open-order-submission': (document) => {
    const branch = at(document, 'spec', 'states', 'preOpenWindow', 'parallel', 'branches', 0);
    const properties = at(branch, 'states', 'waitForPreOpenAction', 'wait', 'response', 'schema', 'properties');
    at(properties, 'action').enum = properties.enum!;
    delete properties.enum;
  },
  'transform-pipeline': (document) => {
    const mapper = at(document, 'spec', 'states', 'enrich', 'transform', 'mapper');
    mapper.expr = String(mapper.expr).replace('context.amount', 'context.order.amount');
  },
  'healthcare-appointment-referral': (document) => {
    const race = at(document, 'spec', 'states', 'referralOrExpiry');
    const { parallel } = race as { parallel: JsonObject };
    race.next = 'referralCompleted';
    parallel.join = { strategy: 'anyOf' };
    for (const branch of parallel.branches as JsonObject[]) {
      const states = at(branch, 'states');
      liftStates(states);
      for (const state of Object.values(states) as JsonObject[]) {
        if (state.next === 'referralCompleted') state.next = 'referralDone';
      }
      states.referralDone = { type: 'succeed' };
    }
    const states = at(parallel, 'branches', 0, 'states');
    fillBlock(at(states, 'patientDecision'));
    const callback = at(states, 'waitForAppointmentStatus');
    fillBlock(callback);
    at(callback, 'webhook', 'input', 'schema', 'properties', 'status').enum = [
      'CONFIRMED',
      'COMPLETED',
      'CANCELLED',
      'FAILED',
    ];
  },
  'mortgage-repricing-rate-lock': (document) => {
    at(document, 'spec', 'states').rejected = { type: 'fail', errorCode: 'OFFER_REJECTED', reason: 'No offer' };
  },
  'travel-booking-bundle': (document) => {
    const race = at(document, 'spec', 'states', 'changeOrCancelOrTimeout');
    race.next = 'prepareOutcome';
    fillBlock(at(race, 'parallel', 'branches', 0, 'states', 'waitForChangeOrCancel'));
  },
};
