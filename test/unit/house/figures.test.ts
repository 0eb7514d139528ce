import { describe, expect, it } from 'vitest';
import { bounds } from '../../house/bounds.js';
import { type FigureName, labels, measure } from '../../house/figures.js';
import { readSources } from './sources.js';

describe('Figures about the sources', () => {
  const figures = measure(readSources());

  const bounded = (Object.keys(labels) as FigureName[]).filter((name) => bounds[name].bound !== undefined);
  it.each(bounded)('%s stays within its bound', (name) => {
    const { value, found } = figures[name];
    expect(value, `${labels[name]}:\n${found.join('\n')}`).toBeLessThanOrEqual(bounds[name].bound!);
  });

  it('count correctly', () => {
    const planted = new Map([
      [
        'src/engine/a.ts',
        "import { b } from './b.js';\n/** What a is. */\nexport const x = { interpreter: 1, info: {}, limits };",
      ],
      ['src/engine/b.ts', "export interface x {}\nif (state.type === 'timer') b();"],
      ['src/language/states/timer.ts', "import { x } from '../../engine/a.js';\nif (state.type === 'timer') b();"],
    ]);
    expect(measure(planted)).toMatchObject({
      rooms: { found: ['src/engine', 'src/language'] },
      looseFiles: { value: 2 },
      singleImporter: {
        found: ['src/engine/a.ts ← src/language/states/timer.ts', 'src/engine/b.ts ← src/engine/a.ts'],
      },
      sharedNames: { found: ['x: src/engine/a.ts, src/engine/b.ts'] },
      typeNames: { found: ["src/engine/b.ts:2 if (state.type === 'timer') b();"] },
      journeyInputs: { value: 1 },
      whatComments: { found: ['src/engine/a.ts:2 /** What a is. */'] },
    });
  });
});
