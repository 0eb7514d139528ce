import { defineConfig } from 'vitest/config';

/** Tests that take minutes: `npm run soak:jobs`. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/soak/**/*.test.ts'],
    globalSetup: [
      process.env.NEXT_SCHEDULER ? 'test/temporal/next-scheduler-setup.ts' : 'test/temporal/global-setup.ts',
    ],
    testTimeout: 600_000,
    hookTimeout: 180_000,
    pool: 'forks',
  },
});
