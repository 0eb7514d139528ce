import { defineConfig } from 'vitest/config';

const shared = {
  // A test that exceeds these hangs, even on a busy machine.
  testTimeout: 300_000,
  hookTimeout: 180_000,
  // A busy machine is slow; vitest's default is a second.
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks' as const,
  // Files that share a process import the product once, which otherwise costs more than most tests; none of them may leave anything behind.
  isolate: false,
};

/** Files that take long by their nature: CI runs them after `npm test`, as `npm run test:slow`. CONTRIBUTING has the reasons. */
const slow = [
  'compensation',
  'crash',
  'calls-in-flight-at-the-end',
  'child-workflows',
  'hooks-crash',
  'docs',
  'engine-cases',
  'examples',
  'foreign-workers',
  'installed',
  'library',
  'map',
  'map-steps',
  'operation',
  'payloads',
  'pipelines-outside',
  'pipelines-source',
  'run-migrate',
  'scenarios',
  'schedules-crash',
  'schedules-cron',
  'schedules-jobs-misfire',
  'schedules-jobs-outage',
  'schedules-migrate',
  'schedules-races',
  'server-away',
  'timers',
  'journeys-that-never-wait',
  'kill-matrix',
  'up-killed',
  'upgrade',
  'worker-plugin',
  'worker-versions',
].map((it) => `test/temporal/${it}.test.ts`);

/** Unit tests that wait for a real broker, or run Helm. */
const slowUnit = ['test/unit/activities/kafka-publish/publisher.test.ts', 'test/unit/deploy/helm-chart.test.ts'];

const onServer = {
  ...shared,
  // Each poll costs time of the server; vitest's default is 50 ms.
  expect: { poll: { timeout: 60_000, interval: 200 } },
  setupFiles: ['test/temporal/support/encrypted.ts'],
  globalSetup: ['test/temporal/global-setup.ts'],
};

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    // Two files at a time keep two cores busy without starving timers.
    maxWorkers: 2,
    projects: [
      { test: { ...shared, name: 'unit', include: ['test/unit/**/*.test.ts'], exclude: slowUnit } },
      { test: { ...onServer, name: 'temporal', include: ['test/temporal/**/*.test.ts'], exclude: slow } },
      { test: { ...onServer, name: 'slow', include: [...slow, ...slowUnit] } },
      {
        test: {
          ...onServer,
          name: 'next-scheduler',
          include: ['test/temporal/schedules*.test.ts'],
          // Workers that die do so whatever keeps the Schedule.
          exclude: ['test/temporal/schedules-crash.test.ts'],
          globalSetup: ['test/temporal/next-scheduler-setup.ts'],
        },
      },
    ],
  },
});
