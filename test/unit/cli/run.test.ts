import { expect, it } from 'vitest';
import type { RunTools } from '../../../src/cli/run/run-command-deps.js';
import { runCommand } from '../../../src/cli/run/run-subcommands.js';
import { libraryOf } from '../../../src/service/library-interface.js';
import type { RunReport } from '../../../src/temporal/runs/run-diagnostics.js';

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

/** Runs a command about runs with its services. */
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

it('FLT-4 `run show` shows current states and retries, without control characters', async () => {
  const text = await shown(report);
  expect(text).toMatch(/Phase +RUNNING \(waits\)\nAt +approve\n/);
  expect(text).toContain('approve (wait) in check, until 2027-01-01T00:00:00Z');
  expect(text).toMatch(/Retrying +http, attempt 3: no /);
  expect(text).not.toContain('\u001b');
  expect(JSON.parse(await shown(report, '--format', 'json'))).toEqual(report);
});

it('FLT-4 `run show` shows why a run is blocked', async () => {
  const failingTask = { attempt: 5, cause: 'NON_DETERMINISTIC_ERROR', reason: 'No such timer' };
  expect(await shown({ ...report, failingTask })).toMatch(
    /Blocked +its workflow task failed 4 times\nWhy +NON_DETERMINISTIC_ERROR: No such timer\n/,
  );
});

/** Three runs: one running, one failed by a `fail` state, one by an expression. */
const view = (journeyId: string, phase: string, error?: object) => ({
  ...report,
  journeyId,
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
  result: async (id: string) => all.find((it) => it.journeyId === id)!,
} as unknown as RunTools['runs'];

it('R15-RUNS `run list` shows the error code of every failed run', async () => {
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
    const found = JSON.parse(await run({ runs }, 'list', '--error', code, '--json')) as { journeyId: string }[];
    expect(found.map(({ journeyId }) => journeyId)).toEqual(['r-3']);
  },
);

it('R15-RUNS the hint for a run whose id begins with a hyphen is a valid command', async () => {
  const result = async () => ({ ...view('-Ab3', 'RUNNING') });
  expect(await run({ runs: { result } as unknown as RunTools['runs'] }, 'result', '--', '-Ab3')).toContain(
    '  journeyman run submit -- -Ab3 approve\n',
  );
  process.exitCode = 0;
});

it.each([
  ['shop/order-4711', 'shop/order-4711'],
  ['shop/ü 1?', "'shop/ü 1?'"],
  ['shop/x; rm -rf $HOME #', "'shop/x; rm -rf $HOME #'"],
  ["shop/it's", "'shop/it'\\''s'"],
])('LESS-4 the hint for a run with the key of %s can be pasted into a shell', async (id, word) => {
  const result = async () => ({ ...view(id, 'RUNNING') });
  expect(await run({ runs: { result } as unknown as RunTools['runs'] }, 'result', id)).toContain(
    `  journeyman run submit ${word} approve\n`,
  );
  process.exitCode = 0;
});

it('R15-WATCH `run start` of a file with errors explains that the gateway may still serve it', async () => {
  const broken = () => [{ code: 'STATE_TYPE', severity: 'error' as const, pointer: '', message: 'no' }];
  const library = async () => ({ ...libraryOf([]), broken });
  await expect(run({ library } as unknown as RunTools, 'start', 'order')).rejects.toMatchObject({
    problem: {
      code: 'JOURNEY_BROKEN',
      hint: expect.stringMatching(/reads the folder itself.*POST \/api\/v1\/journeys\/order\/start/),
    },
  });
});

it('GAP-23 an outcome shows its outcomeId, and an internal error by its cause', async () => {
  const outcome = {
    phase: 'SUCCEEDED',
    status: 'SUCCEEDED',
    outcomeId: 'paid',
    terminatedAtState: 'sum',
    output: null,
  };
  const shows = async (it: object) =>
    await run({ runs: { result: async () => it } as unknown as RunTools['runs'] }, 'result', 'r-1');
  expect(await shows({ ...view('r-1', 'SUCCEEDED'), outcome })).toMatch(/^Outcome +paid$/m);
  const failed = { ...outcome, phase: 'FAILED', status: internal.code, outcomeId: undefined, error: internal };
  const printed = await shows({ ...view('r-1', 'FAILED'), outcome: failed });
  expect(printed).toMatch(/^Status +DW_TYPE_MISMATCH$/m);
  expect(printed).not.toContain('urn:journeyforge');
  process.exitCode = 0;
});

it('GAP-23 a misspelt step is rejected with the nearest one', async () => {
  const wait = { type: 'wait', schema: true, next: 'end' };
  const definition = { start: 'approve', states: { approve: wait, end: { type: 'succeed' } }, subjourneys: {} };
  const found = { input: async () => ({ definition }) } as unknown as RunTools['runs'];
  await expect(run({ runs: found }, 'submit', 'r-1', 'aprove', '--input', '{}')).rejects.toMatchObject({
    problem: { code: 'STEP_UNKNOWN', hint: 'Did you mean "approve"?' },
  });
});
