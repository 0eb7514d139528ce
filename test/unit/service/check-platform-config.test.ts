import { describe, expect, it } from 'vitest';
import { load } from '../../../src/language/load-journey.js';
import { checkPlatformConfig, declaredConfig } from '../../../src/service/check-platform-config.js';
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

it('LESS-8 ENV-1 are those of the journey, else those of all journeys, else the default', () => {
  const { definition } = load({
    text: doc({ spec: 'platform: { config: { a: { type: string, default: d }, b: { type: integer } } }' }),
  });
  const values = (config: Record<string, object>) =>
    declaredConfig(definition!, { environment: 'test', config: config as never });
  expect(values({})).toEqual({ a: 'd' });
  expect(values({ '*': { a: 's', b: 1, c: 2 } })).toEqual({ a: 's', b: 1 });
  expect(values({ '*': { a: 's', b: 1 }, probe: { a: 'own' }, other: { b: 7 } })).toEqual({ a: 'own', b: 1 });
});
