import { expect, it } from 'vitest';
import { runCommand } from '../../../src/cli/run.js';
import type { RunTools } from '../../../src/cli/run-tools.js';
import type { RunReport } from '../../../src/temporal/run-report.js';

const report: RunReport = {
  journeyId: 'r-1',
  runId: 'x',
  journeyName: 'order',
  journeyVersion: '1.0.0',
  phase: 'RUNNING',
  status: {
    currentState: 'approve',
    activeStates: [{ state: 'approve', type: 'wait', dueAt: '2027-01-01T00:00:00Z', within: 'check' }],
    updatedAt: '2026-12-01T00:00:00Z',
    tags: [],
    attributes: {},
  },
  steps: ['approve'],
  resting: true,
  startedAt: '2026-11-01T00:00:00Z',
  endedAt: null,
  retries: [{ activity: 'http', attempt: 3, reason: 'no \u001b[31mroute' }],
};

async function shown(it: RunReport, ...args: string[]): Promise<string> {
  let printed = '';
  const open = async () => ({ report: async () => it, close: async () => undefined }) as unknown as RunTools;
  const write = (text: string) => {
    printed += text;
  };
  const questions = { canAsk: false, ask: async () => '' };
  await runCommand({ out: { write }, errors: { write }, questions, open }).parseAsync(['show', 'r-1', ...args], {
    from: 'user',
  });
  return printed;
}

it('FLT-4 `run show` says where a run stands and what is being tried again, without control characters', async () => {
  const text = await shown(report);
  expect(text).toMatch(/Phase +RUNNING \(waits\)\nAt +approve\n/);
  expect(text).toContain('approve (wait) in check, until 2027-01-01T00:00:00Z');
  expect(text).toMatch(/Tried again +http, attempt 3: no /);
  expect(text).not.toContain('\u001b');
  expect(JSON.parse(await shown(report, '--format', 'json'))).toEqual(report);
});

it('FLT-4 `run show` says why a run cannot go on', async () => {
  const failingTask = { attempt: 5, cause: 'NON_DETERMINISTIC_ERROR', reason: 'No such timer' };
  expect(await shown({ ...report, failingTask })).toMatch(
    /Cannot go on +its workflow task failed 4 times\nWhy +NON_DETERMINISTIC_ERROR: No such timer\n/,
  );
});
