import { describe, expect, it } from 'vitest';
import { load } from '../../../src/language/load.js';
import { checkPlatformConfig } from '../../../src/service/platform-config.js';
import { doc } from '../language/cases/case.js';

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
