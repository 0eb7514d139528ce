import type { JsonObject } from '../../src/base/json/value.js';
import { load } from '../../src/language/load-journey.js';
import { caseSeed, Random } from '../fuzz/dataweave/random.js';
import { cycle, Draft, inOrder, type Piece, whole } from './graph.js';
import { blink, call, called, heavy, large, nested, rest, step, wide } from './pieces.js';

/** A valid but hostile journey. */
export interface HostileDocument {
  /** Its number, which reproduces the document together with the seed. */
  index: number;
  name: string;
  text: string;
  isSync: boolean;
}

/** The document with this number. Invalid ones are regenerated: the loader is not under test here. */
export function hostileDocument(seed: number, index: number, service: string): HostileDocument {
  for (let attempt = 0; ; attempt++) {
    const random = new Random(caseSeed(seed + attempt * 7_919, index));
    const isSync = random.chance(0.2);
    const name = `hostile-${index}`;
    const spec = { lifecycle: { startMode: isSync ? 'sync' : 'async' }, ...specOf(new Draft(random, service)) };
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'Journey', metadata: { name, version: '1.0.0' }, spec });
    if (load({ text, path: `${name}.journey.json` }).definition) return { index, name, text, isSync };
    if (attempt === 20) throw new Error(`seed ${seed}, document ${index}: no valid document generated`);
  }
}

function specOf(draft: Draft): JsonObject {
  const { random } = draft;
  const main = whole(inOrder(Array.from({ length: draft.between(1, 2) }, () => shape(draft))), draft);
  const deadline = random.chance(0.15) && {
    execution: {
      maxDurationSec: draft.between(2, 30),
      onTimeout: { errorCode: 'OUT_OF_TIME', reason: 'as the generator wanted' },
    },
  };
  return {
    ...main,
    ...(Object.keys(draft.subjourneys).length > 0 && { subjourneys: draft.subjourneys }),
    ...deadline,
  };
}

/** A hostile pattern around random pieces. */
function shape(draft: Draft): Piece {
  const { random } = draft;
  const small = (): Piece => random.pick([step, step, blink, heavy, large, rest, call]);
  const quick = (): Piece => random.pick([step, step, step, heavy, large]);
  return random.weighted<() => Piece>([
    // A plain cycle, finite or endless.
    [4, () => cycle(inOrder([quick(), step]), rounds(draft, 2_000))],
    // A cycle of waits that are over at once.
    [2, () => cycle(inOrder([blink, quick()]), rounds(draft, 60, 0.15))],
    [2, () => cycle(nested(quick(), blink, draft.between(1, 3)), rounds(draft, 20, 0.15))],
    // Calls in a cycle, some with large responses.
    [2, () => cycle(inOrder([call, quick()]), rounds(draft, 20, 0.05))],
    // Nested parallels, up to the maximum depth.
    [3, () => nested(small(), random.pick([step, blink, rest]), draft.between(2, 16))],
    [3, () => cycle(nested(step, random.pick([step, rest]), draft.between(2, 16)), rounds(draft, 60))],
    [2, () => wide(inOrder([small(), quick()]), draft.between(2, 40))],
    [1, () => cycle(wide(quick(), draft.between(2, 30)), rounds(draft, 60))],
    // Subjourneys whose number doubles at each level.
    [2, () => called(quick(), draft.between(2, 9), 2)],
    [1, () => called(call, draft.between(1, 3), 2)],
    // Heavy expressions in sequence; an ever-growing context.
    [2, () => inOrder(Array.from({ length: draft.between(3, 30) }, () => heavy))],
    [2, () => cycle(inOrder([heavy, heavy]), rounds(draft, 40))],
    [2, () => inOrder(Array.from({ length: draft.between(2, 12) }, () => random.pick([large, call])))],
    [1, () => inOrder([large, cycle(inOrder([quick(), step]), rounds(draft, 400))])],
    // Waits between bursts.
    [2, () => inOrder([quick(), rest, cycle(quick(), draft.between(10, 500)), rest])],
  ])();
}

/** The number of iterations of a cycle; undefined means endless. */
function rounds(draft: Draft, most: number, forEver = 0.3): number | undefined {
  return draft.random.chance(forEver) ? undefined : draft.between(2, most);
}
