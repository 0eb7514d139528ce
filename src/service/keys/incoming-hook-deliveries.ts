import { isObject, type Json, type JsonObject } from '../../base/json/value.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import type { Correlation } from '../../engine/definition/definition.js';
import type { Signature } from '../../engine/definition/inbound-signature-scheme.js';
import { keyedRunId, textOfKey } from '../../engine/definition/keyed-run-id.js';
import { payloadRefusal } from '../../engine/step-submissions.js';
import type { Bindings } from '../../expressions/expression-engine-interface.js';
import { stepWithId } from '../../language/states/graph-traversal.js';
import type { InboundRequest } from '../inbound-request.js';
import type { Library, LibraryEntry } from '../library-interface.js';
import type { Starts } from '../prepare-start-with-ajv.js';
import type { Delivery, StartRun } from '../runs-interface.js';
import { checkedKey, evaluateOutside, type OutsideEvaluation, runKeyOf } from './evaluate-run-key.js';

/** A step that other systems submit at one URL for all runs. */
export interface Hook {
  readonly entry: LibraryEntry;
  readonly stepId: string;
  readonly schema: Json;
  readonly signature: Signature;
  readonly correlate: Correlation;
}

/** The path of a hook. */
export function hookPath(journey: string, stepId: string): string {
  return `/api/v1/hooks/${encodeURIComponent(journey)}/${encodeURIComponent(stepId)}`;
}

/** Finds a hook by its path; HOOK_UNKNOWN. The newest version of the journey determines how requests are read. */
export function findHook(library: Pick<Library, 'find'>, journey: string, stepId: string): Hook {
  const entry = library.find(journey);
  const step = entry && stepWithId(entry.definition, stepId);
  if (!entry || !step?.correlate || !step.signature) return refuse('HOOK_UNKNOWN');
  return { entry, stepId, schema: step.schema, signature: step.signature, correlate: step.correlate };
}

/** A request to a hook, with a valid signature. */
export interface HookRequest {
  readonly inbound: InboundRequest;
  readonly payload: Json;
  readonly body: Uint8Array;
  readonly idempotencyKey?: string;
}

/** Settings of all deliveries. */
export interface DeliverySettings extends OutsideEvaluation {
  /** How deliveries start missing runs, and the owner of those; without it, they start none. */
  readonly starting?: { readonly starts: Starts; readonly owner: string };
}

/** The delivery that a request to a hook is. Its expressions are evaluated here, outside of any run. */
export async function deliveryOf(hook: Hook, request: HookRequest, settings: DeliverySettings): Promise<Delivery> {
  const { entry, stepId, correlate } = hook;
  const { inbound, payload, body } = request;
  const { headers, query, certificate } = inbound;
  const bindings = { payload, request: { headers: { ...headers } } };
  const { name } = entry.definition;
  const key = checkedKey(await evaluateOutside(correlate.key, bindings, 'The key of the run', settings));
  const deliveryId = correlate.dedupe && (await deliveryIdOf(correlate.dedupe, bindings, settings));
  const idempotencyKey = deliveryId ?? request.idempotencyKey;
  const { input } = correlate;
  const { starting } = settings;
  return {
    id: keyedRunId(name, key),
    caller: `hook:${stepId}`,
    stepId,
    payload,
    headers,
    query,
    body,
    ...(certificate !== undefined && { certificate }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(deliveryId !== undefined && { dropRepeats: true }),
    early: true,
    ...(input &&
      starting && { start: () => startOf(hook, input, { key, bindings, request }, { ...settings, starting }) }),
  };
}

async function deliveryIdOf(dedupe: Correlation['key'], bindings: Bindings, how: OutsideEvaluation): Promise<string> {
  const value = await evaluateOutside(dedupe, bindings, 'The id of the delivery', how, 'DELIVERY_ID_INVALID');
  const text = typeof value === 'number' ? textOfKey(value) : value;
  if (typeof text === 'string' && text.length >= 1 && text.length <= 255) return text;
  return refuse('DELIVERY_ID_INVALID');
}

/** The start of the run that a delivery found missing. Everything is checked first: a rejected delivery starts nothing. */
async function startOf(
  { entry, schema }: Hook,
  input: Correlation['key'],
  { key, bindings, request }: { key: string; bindings: Bindings; request: HookRequest },
  { starting: { starts, owner }, ...how }: Required<Pick<DeliverySettings, 'starting'>> & OutsideEvaluation,
): Promise<StartRun> {
  const refused = payloadRefusal(schema, request.payload);
  if (refused) throw new ProblemError(refused);
  const body = await evaluateOutside(input, bindings, 'The input of the run', how, 'INPUT_INVALID');
  if (!isObject(body)) return refuse('INPUT_INVALID', 'startIfMissing.input must return an object.');
  const start = starts.prepare(entry, { ...request.inbound, body: body as JsonObject });
  const own = await runKeyOf(entry.definition, start.body, how);
  if (own !== key) refuse('HOOK_KEY_DIFFERS', `The input has the key ${quoted(own)}, the request ${quoted(key)}.`);
  return { ...start, mode: 'async', caller: owner, ownSchedules: true, inbound: request.inbound };
}

function quoted(key: string | undefined): string {
  return JSON.stringify(key ?? '');
}
