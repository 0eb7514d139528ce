import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Definition, Graph, State } from '../../../src/engine/definition/definition.js';
import { load } from '../../../src/language/load-journey.js';
import { readApiCatalogue } from '../../../src/library/read-library.js';
import { mulberry } from '../../fuzz/loader/mutate.js';
import { journey } from '../../support/journey.js';

const folders = [
  { folder: 'specs', root: 'specs' },
  { folder: 'specs/pipelines', root: 'specs' },
  { folder: 'test/fixtures/journeys', root: 'test/fixtures' },
  { folder: '../shared/corpus/journeys', root: '../shared/corpus' },
];

/** Every journey of the examples, the fixtures and, if it exists, the shared corpus. */
export async function writtenJourneys(): Promise<{ name: string; text: string; definition: Definition }[]> {
  const found = [];
  for (const { folder, root } of folders.filter((it) => existsSync(it.folder))) {
    const { catalogue } = await readApiCatalogue({ root });
    for (const name of (await readdir(folder)).filter((it) => /\.journey\.(yaml|json)$/.test(it)).sort()) {
      const text = await readFile(join(folder, name), 'utf8');
      const { definition } = load({ text, path: name }, { catalogue });
      if (definition) found.push({ name: join(folder, name), text, definition });
    }
  }
  return found;
}

/** A random journey with loops, branches, maps and subjourneys. */
export function randomJourney(seed: number, states = 12): Definition {
  const random = mulberry(seed);
  const below = (count: number) => Math.floor(random() * count);
  const expression = () => ({ lang: 'dataweave', expr: `context.${'x'.repeat(1 + below(40))} > ${below(9)}` });
  const graph = (size: number, depth: number): Graph => {
    const ids = Array.from({ length: size }, (_, i) => (random() < 0.1 ? `state with a long name ${i}` : `s${i}`));
    const any = () => ids[below(size)]!;
    const state = (i: number): State => {
      const next = random() < 0.75 ? ids[Math.min(i + 1, size - 1)]! : any();
      const kind = below(depth > 0 ? 9 : 7);
      if (i === size - 1 || kind === 0) return random() < 0.6 ? { type: 'succeed' } : fail;
      if (kind <= 2)
        return {
          type: 'choice',
          choices: Array.from({ length: 1 + below(3) }, () => ({ when: expression(), next: any() })),
          ...(random() < 0.7 && { default: next }),
        };
      if (kind === 3) return { type: 'wait', schema: true, timeout: { sec: below(100_000), next: any() }, next };
      if (kind === 4) return { type: 'subjourney', ref: 'called', resultKind: 'output', onFailure: 'propagate', next };
      if (kind === 7) {
        const branches = Array.from({ length: 1 + below(3) }, (_, n) => ({
          name: `branch ${n}`,
          ...graph(1 + below(5), depth - 1),
        }));
        return { type: 'parallel', branches, join: { strategy: 'allOf', errorPolicy: 'collectAll' }, next };
      }
      if (kind === 8)
        return { type: 'map', items: expression(), maxConcurrency: 10, graph: graph(1 + below(5), depth - 1), next };
      return { type: 'transform', mapper: expression(), target: { kind: 'var', name: 'x' }, next };
    };
    return { start: ids[0]!, states: Object.fromEntries(ids.map((id, i) => [id, state(i)])) };
  };
  return journey(`random-${seed}`, { ...graph(states, 2), subjourneys: { called: graph(4, 1) } });
}

const fail: State = { type: 'fail', errorCode: 'SOLD_OUT', reason: 'There is nothing left' };
