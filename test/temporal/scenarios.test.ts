import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { loadScenarios } from '../../src/simulator/files.js';
import { LiveRunner } from '../../src/simulator/live/runner.js';
import { LiveStack } from '../../src/simulator/live/stack.js';
import { runScenario } from '../../src/simulator/run-scenario.js';

const file = fileURLToPath(new URL('../unit/simulator/fixtures/refund.scenario.yaml', import.meta.url));
const { scenarios } = await loadScenarios([file]);

describe('scenarios hold on a real server as in virtual time', () => {
  let stack: LiveStack;
  beforeAll(async () => {
    stack = await LiveStack.start(loadConfig({ env: {} }), pino({ level: 'silent' }), inject('temporalAddress'));
  });
  afterAll(() => stack.stop());

  test.each(scenarios.map((it) => [it.scenario.name, it] as const))('%s', async (_, { definition, scenario }) => {
    const { mismatches } = await runScenario(definition, scenario, new LiveRunner({ stack }));
    expect(mismatches).toEqual([]);
  });
});
