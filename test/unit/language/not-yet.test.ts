import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { load } from '../../../src/language/load.js';
import { notYet, unsupportedFeatures } from '../../../src/language/not-yet.js';
import { readApiCatalogue } from '../../../src/library/api-documents.js';
import { checkPlatformConfig } from '../../../src/service/platform-config.js';
import { taskKinds } from '../../../src/tasks/index.js';
import { doc } from './cases/case.js';

const fixtures = new URL('../../fixtures/', import.meta.url);

describe('what is not executable yet', () => {
  it('is found at every place, from the one table', async () => {
    const { catalogue } = await readApiCatalogue({ root: fixtures.pathname });
    const text = await readFile(new URL('journeys/harvest.journey.yaml', fixtures), 'utf8');
    const { definition } = load({ text }, { catalogue });
    const places = unsupportedFeatures(definition!).map(({ pointer }) => pointer);
    expect(places).toEqual(expect.arrayContaining(Object.keys(notYet.blocks)));
    const kinds = {
      '/spec/states/key/task/kind': 'apiKeyValidate:v1',
      '/spec/compensation/states/tell/task/kind': 'kafkaPublish:v1',
      '/spec/subjourneys/mayRead/states/check/task/kind': 'jwtValidate:v1',
    };
    for (const [pointer, kind] of Object.entries(kinds))
      expect(places.includes(pointer)).toBe(taskKinds.get(kind)?.run === undefined);
  });

  it('is nothing for a plain journey', () => {
    const { definition } = load({ text: doc({ spec: 'outcomes: { Good: { when: { phase: SUCCEEDED } } }' }) });
    expect(unsupportedFeatures(definition!)).toEqual([]);
  });
});

describe('configured values', () => {
  const { definition } = load({
    text: doc({
      spec: 'platform: { config: { url: { type: string, required: true }, most: { type: integer }, rules: { type: object } } }',
    }),
  });

  it.each([
    [{}, ['CONFIG_MISSING']],
    [{ url: 'x' }, []],
    [{ url: 7, most: 1.5, rules: [] }, ['CONFIG_TYPE', 'CONFIG_TYPE', 'CONFIG_TYPE']],
    [{ url: '', most: 3, rules: {} }, []],
    [JSON.parse('{"__proto__": {"url": "x"}}'), ['CONFIG_MISSING']],
  ])('%j', (values, codes) => {
    expect(checkPlatformConfig(definition!, values).map(({ code }) => code)).toEqual(codes);
  });
});
