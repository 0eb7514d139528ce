import type { JsonObject } from '../../../src/base/json/value.js';
import type { KnownStep } from '../../../src/engine/steps/step-address.js';
import { stepUses } from '../../../src/language/states/graph-traversal.js';
import { caseSeed, Random } from '../dataweave/random.js';
import { type WorldJourney, worldJourney } from './journey.js';
import { worldStart } from './journey-builder.js';
import type { WorldReply } from './log.js';
import type { Outage } from './world-clock.js';

/** The number of worlds per journey: reading a journey takes longer than playing it. */
export const worldsPerJourney = 50;

/** A journey, its input, and its environment: services, clients, operators, outages. */
export interface World {
  seed: number;
  journey: WorldJourney;
  /** The steps of the journey. */
  steps: ReadonlyMap<string, KnownStep>;
  input: JsonObject;
  /** Milliseconds since the start. */
  cancelAt?: number;
  outage?: Outage;
  /** Whether calling processes may be lost. */
  losesWorkers: boolean;
  /** The share of failed replies. */
  failureRate: number;
  /** The frequency of submissions. */
  eagerness: number;
}

let latest: { seed: number; journey: WorldJourney; steps: World['steps'] } | undefined;

/** The world of this seed. */
export function worldOf(seed: number): World {
  const journeySeed = Math.floor(seed / worldsPerJourney);
  if (latest?.seed !== journeySeed) {
    const journey = worldJourney(caseSeed(7, journeySeed));
    latest = { seed: journeySeed, journey, steps: stepUses(journey.definition) };
  }
  const random = new Random(caseSeed(11, seed));
  const number = () => random.below(10);
  const outageFrom = worldStart + random.below(30_000);
  return {
    seed,
    journey: latest.journey,
    steps: latest.steps,
    input: { a: number(), b: number(), c: number(), x: '<o><n>1</n></o>', broken: '<o>' },
    ...(random.chance(0.25) && { cancelAt: 1 + random.below(40_000) }),
    ...(random.chance(0.1) && { outage: { from: outageFrom, to: outageFrom + 1_000 + random.below(20_000) } }),
    losesWorkers: random.chance(0.15),
    failureRate: random.pick([0, 0.15, 0.4]),
    eagerness: random.pick([0.3, 0.7, 1]),
  };
}

/** A source of choices for one aspect of a world, independent of the others. */
export function randomFor(world: World, ...what: (string | number)[]): Random {
  let hash = 0x811c9dc5;
  for (const character of what.join('|')) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return new Random(caseSeed(world.seed, hash >>> 0));
}

/** The reply to attempt number `number` (from 0) of a call, independent of its time. */
export function replyTo(world: World, state: string, index: number | undefined, number: number): WorldReply {
  const random = randomFor(world, 'reply', state, index ?? -1, number);
  const afterMs = 3 + random.below(2_600);
  const reply = { headers: {}, afterMs, status: 200, body: { n: random.below(10) } };
  if (world.losesWorkers && random.chance(0.3)) return { ...reply, lost: true };
  const fact = world.journey.facts.get(state);
  // Polled values are often not ready.
  if (fact?.is === 'http' && fact.poll && random.chance(0.6)) return { ...reply, status: 202 };
  // Loops end.
  if (number > 12 || !random.chance(world.failureRate)) return reply;
  return random.pick<WorldReply>([
    { ...reply, status: 404 },
    { ...reply, status: 500 },
    { ...reply, status: 503 },
    { ...reply, status: 429 },
    { ...reply, fail: 'network' },
    { ...reply, fail: 'timeout' },
    { ...reply, afterMs: afterMs + 7_000 },
  ]);
}
