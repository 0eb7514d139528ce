import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkStartedJourneys } from '../../../src/library/check-started-journeys.js';
import { readJourneys } from '../../../src/library/read-journeys.js';
import { readLibrary } from '../../../src/library/read-library.js';

const journey = (name: string, states: string, kind = 'Journey') =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: { name: ${name}, version: 1.0.0 }\nspec:\n  start: a\n  states:\n${states}`;

const starting = (name: string, comment = '') =>
  journey(
    'sell',
    `    a:\n      task:\n        kind: workflow:v1\n        journey: ${name}${comment}\n        resultVar: r\n      next: b\n    b: { type: succeed }\n`,
  );

describe('the journeys that workflow:v1 tasks name', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'journeys-'));
    await write('deliver.journey.yaml', journey('deliver', '    a: { type: succeed }\n'));
    await write('page.journey.yaml', journey('page', '    a: { type: succeed }\n', 'Api'));
    await write('broken.journey.yaml', journey('broken', '    a: { type: nothing }\n'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const write = (file: string, text: string) => writeFile(join(folder, file), text);

  /** The findings about `sell`, read alone or with its folder. */
  const check = async (text: string, paths = [folder]) => {
    await write('sell.journey.yaml', text);
    const journeys = await readJourneys(paths);
    return [
      ...journeys.findings.filter(({ file }) => file.endsWith('sell.journey.yaml')),
      ...(await checkStartedJourneys(paths, journeys)),
    ];
  };

  it('an unknown one is a warning at its name, with the nearest name', async () => {
    const place = { file: join(folder, 'sell.journey.yaml'), line: 10, column: 9 };
    const finding = { code: 'WORKFLOW_JOURNEY', severity: 'warning', hint: 'Did you mean "deliver"?', ...place };
    expect(await check(starting('delivr'))).toMatchObject([finding]);
    expect(await check(starting('delivr'), [join(folder, 'sell.journey.yaml')])).toMatchObject([finding]);
    const { findings } = await readLibrary({ specs: folder, catalogue: { overlays: [] } });
    expect(findings).toContainEqual(expect.objectContaining(finding));
  });

  it('an Api cannot be started', async () => {
    expect(await check(starting('page'))).toMatchObject([{ code: 'WORKFLOW_JOURNEY', message: 'page is an Api.' }]);
  });

  it.each(['deliver', 'sell', 'broken'])('there is no warning of %s', async (name) => {
    expect(await check(starting(name))).toEqual([]);
    expect(await check(starting(name), [join(folder, 'sell.journey.yaml')])).toEqual([]);
  });

  it('a comment acknowledges the warning', async () => {
    expect(await check(starting('elsewhere', ' # journeyman-allow: WORKFLOW_JOURNEY deployed later'))).toEqual([]);
  });
});
