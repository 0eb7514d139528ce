import { describe, integer, isBlock, optionalBoolean, optionalOneOf } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { readInterval } from '../../scheduling/cadence/read.js';
import { defaultPolicy, type Policy } from '../definition.js';

const code = 'PIPELINE_POLICY';

/** Fields that are counts, with the bounds that keep a pipeline within its room. */
const counts = {
  maxEventsPerTopic: { of: 'topicEvents', least: 1, most: 10_000 },
  maxPayloadBytes: { of: 'payloadBytes', least: 1, most: 262_144 },
  window: { of: 'window', least: 1, most: 10_000 },
  history: { of: 'runs', least: 1, most: 200 },
} as const;

/** `spec.policy`. */
export function readPolicy(place: Place): Policy {
  const policy: Policy = { ...defaultPolicy };
  if (!isBlock(place, code, 'policy')) return policy;
  place.only(['backoffTimeout', 'producerBusy', 'wakeHints', ...Object.keys(counts)]);
  policy.backoffMs = backoff(place.at('backoffTimeout')) ?? policy.backoffMs;
  policy.producerBusy =
    optionalOneOf(place.at('producerBusy'), ['skip', 'queue'], code, 'producerBusy') ?? policy.producerBusy;
  policy.wakeHints = optionalBoolean(place.at('wakeHints'), code, 'wakeHints') ?? policy.wakeHints;
  for (const [name, { of, least, most }] of Object.entries(counts)) {
    const at = place.at(name);
    const value = at.value === undefined ? undefined : integer(at, code, name, least);
    if (value === undefined) continue;
    if (value > most) at.error(code, `${name} is ${value}; at most ${most} is allowed.`);
    else policy[of] = value;
  }
  return policy;
}

const backoffBounds = { shortest: 1_000, longest: 86_400_000 };

function backoff(place: Place): number | undefined {
  if (place.value === undefined) return undefined;
  const { cadence } = typeof place.value === 'string' ? readInterval(place.value, 0, { bounds: backoffBounds }) : {};
  if (cadence?.kind === 'every') return cadence.millis;
  place.error(
    code,
    `backoffTimeout must be a duration from 1s to 1d, not ${describe(place.value)}.`,
    'Write it like 5m or PT5M.',
  );
  return undefined;
}
