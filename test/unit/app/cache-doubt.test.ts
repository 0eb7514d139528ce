import { expect, it } from 'vitest';
import { cacheDoubt } from '../../../src/app/cache-doubt.js';
import { loadConfig } from '../../../src/config/load.js';
import { load } from '../../../src/language/load.js';
import { libraryOf } from '../../../src/service/library.js';

const { definition } = load({
  text: `
apiVersion: v1
kind: Journey
metadata: { name: profile, version: 1.0.0 }
spec:
  start: look
  states:
    look: { type: task, task: { kind: "cache:v1", operation: get, key: { mapper: { lang: dataweave, expr: "1" } }, resultVar: r }, next: done }
    done: { type: succeed }
`,
});
const library = libraryOf([{ definition: definition!, hash: 'h' }]);
const elsewhere = { TEMPORAL_ADDRESS: 'temporal.internal:7233' };

it('a cache in memory is told of where several workers can run and a journey uses it', () => {
  const doubt = (env: Record<string, string>, journeys = library) => cacheDoubt(loadConfig({ env }), journeys);
  expect(doubt(elsewhere)).toContain('profile');
  expect(doubt({})).toBeUndefined();
  expect(doubt({ ...elsewhere, JOURNEYMAN_CACHE_REDIS: 'redis://cache.internal:6379' })).toBeUndefined();
  expect(doubt(elsewhere, libraryOf([]))).toBeUndefined();
});

it.each([
  [{ JOURNEYMAN_CACHE_REDIS: 'redis://:hunter2@cache.internal:6379' }, 'holds a password'],
  [{ JOURNEYMAN_KAFKA_BROKERS: 'a:1', JOURNEYMAN_KAFKA_CONNECTION: '{ env: K }' }, 'either brokers or connection'],
])('%j is refused', (env, message) => {
  expect(() => loadConfig({ env })).toThrow(message);
});
