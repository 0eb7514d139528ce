import { expect, it } from 'vitest';
import { cacheWarning } from '../../../src/app/in-memory-cache-warning.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { load } from '../../../src/language/load-journey.js';
import { libraryOf } from '../../../src/service/library-interface.js';

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

it('an in-memory cache causes a warning if a journey uses it and several workers can run', () => {
  const warning = (env: Record<string, string>, journeys = library) => cacheWarning(loadConfig({ env }), journeys);
  expect(warning(elsewhere)).toContain('profile');
  expect(warning({})).toBeUndefined();
  expect(warning({ ...elsewhere, JOURNEYMAN_CACHE_REDIS: 'redis://cache.internal:6379' })).toBeUndefined();
  expect(warning(elsewhere, libraryOf([]))).toBeUndefined();
});

it.each([
  [{ JOURNEYMAN_CACHE_REDIS: 'redis://:hunter2@cache.internal:6379' }, 'contains a password'],
  [{ JOURNEYMAN_KAFKA_BROKERS: 'a:1', JOURNEYMAN_KAFKA_CONNECTION: '{ env: K }' }, 'either brokers or connection'],
])('%j is rejected', (env, message) => {
  expect(() => loadConfig({ env })).toThrow(message);
});
