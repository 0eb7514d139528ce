import { expect, it } from 'vitest';
import { runCommand } from '../../../src/cli/run.js';
import type { RunTools } from '../../../src/cli/run-tools.js';
import { libraryOf } from '../../../src/service/library.js';
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
  return await run({ report: async () => it } as unknown as RunTools, 'show', 'r-1', ...args);
}

/** Runs a command about runs with what it uses. */
async function run(tools: Partial<RunTools>, ...args: string[]): Promise<string> {
  let printed = '';
  const open = async () => ({ ...tools, close: async () => undefined }) as unknown as RunTools;
  const write = (text: string) => {
    printed += text;
  };
  const questions = { canAsk: false, ask: async () => '' };
  await runCommand({ out: { write }, errors: { write }, questions, open }).parseAsync(args, { from: 'user' });
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

/** Three runs: one goes on, one failed by its author's `fail`, one by an expression. */
const view = (id: string, phase: string, error?: object) => ({
  ...report,
  id,
  phase,
  ...(error && { outcome: { phase, status: phase, terminatedAtState: 'sum', output: null, error } }),
});
const internal = { code: 'urn:journeyforge:error:internal', cause: 'DW_TYPE_MISMATCH', reason: 'No' };
const all = [
  view('r-1', 'RUNNING'),
  view('r-2', 'FAILED', { code: 'NO_STOCK', reason: 'Sold' }),
  view('r-3', 'FAILED', internal),
];
const runs = {
  list: async ({ phase }: { phase?: string }) => ({
    items: all.filter((it) => phase === undefined || it.phase === phase).map(({ outcome: _, ...rest }) => rest),
  }),
  result: async (id: string) => all.find((it) => it.id === id)!,
} as unknown as RunTools['runs'];

it('R15-RUNS `run list` shows the code of every run that failed', async () => {
  const lines = (await run({ runs }, 'list')).trimEnd().split('\n');
  expect(lines.map((line) => line.split(/ +/).at(-1))).toEqual([
    'ERROR',
    report.status.updatedAt,
    'NO_STOCK',
    'DW_TYPE_MISMATCH',
  ]);
});

it.each(['DW_TYPE_MISMATCH', 'urn:journeyforge:error:internal'])(
  'R15-RUNS --error finds an internal error by %s',
  async (code) => {
    const found = JSON.parse(await run({ runs }, 'list', '--error', code, '--json')) as { id: string }[];
    expect(found.map(({ id }) => id)).toEqual(['r-3']);
  },
);

it('R15-RUNS a hint for a run whose id begins with a hyphen can be run', async () => {
  const result = async () => ({ ...view('-Ab3', 'RUNNING') });
  expect(await run({ runs: { result } as unknown as RunTools['runs'] }, 'result', '--', '-Ab3')).toContain(
    '  journeyman run submit -- -Ab3 approve\n',
  );
  process.exitCode = 0;
});

it('R15-WATCH `run start` of a file with errors says that it reads the folder, and what still serves it', async () => {
  const broken = () => [{ code: 'STATE_TYPE', severity: 'error' as const, pointer: '', message: 'no' }];
  const library = async () => ({ ...libraryOf([]), broken });
  await expect(run({ library } as unknown as RunTools, 'start', 'order')).rejects.toMatchObject({
    problem: {
      code: 'JOURNEY_BROKEN',
      hint: expect.stringMatching(/reads the folder itself.*POST \/api\/v1\/journeys\/order\/start/),
    },
  });
});
