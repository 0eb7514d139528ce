import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { journeyDiagram } from '../../../src/graph/journey-diagram.js';
import { svgOf } from '../../../src/graph/svg.js';
import { load } from '../../../src/language/load-journey.js';
import { readApiCatalogue } from '../../../src/library/read-library.js';

const { catalogue } = await readApiCatalogue({ root: 'specs' });

// UPDATE_DOCS=1 redraws them.
it.each(['checkout', 'onboarding'])('the picture of %s is up to date', (name) => {
  const text = readFileSync(`specs/${name}.journey.yaml`, 'utf8');
  const svg = svgOf(journeyDiagram(load({ text }, { catalogue }).definition!));
  const file = `docs/pictures/${name}.svg`;
  if (process.env.UPDATE_DOCS) writeFileSync(file, svg);
  expect(readFileSync(file, 'utf8')).toBe(svg);
});
