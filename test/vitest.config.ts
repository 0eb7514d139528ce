import { defineConfig } from 'vitest/config';

const shared = {
  // Times by which something hangs, also on a machine that does ten other things.
  testTimeout: 300_000,
  hookTimeout: 180_000,
  // What is waited for comes late there; vitest's own patience is a second.
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks' as const,
};

/** Whole proofs that take a minute or more each: CI runs them, and `npm run test:slow`. */
const slow = ['docs', 'engine-cases', 'installed', 'scenarios', 'turns'].map((it) => `test/temporal/${it}.test.ts`);

const onServer = {
  ...shared,
  setupFiles: ['test/temporal/support/encrypted.ts'],
  globalSetup: ['test/temporal/global-setup.ts'],
};

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    // Tests with a server mostly wait; two at a time keep a small machine busy without starving the timers. Three do so on a quiet one only.
    maxWorkers: 2,
    projects: [
      // Files that share a process import the product once; none of them may leave anything behind.
      { test: { ...shared, name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false } },
      { test: { ...onServer, name: 'temporal', include: ['test/temporal/**/*.test.ts'], exclude: slow } },
      { test: { ...onServer, name: 'slow', include: slow } },
      {
        test: {
          ...onServer,
          name: 'next-scheduler',
          include: ['test/temporal/schedules*.test.ts'],
          // A worker that dies does so whatever keeps the Schedule.
          exclude: ['test/temporal/schedules-crash.test.ts'],
          globalSetup: ['test/temporal/next-scheduler-setup.ts'],
        },
      },
    ],
  },
});
