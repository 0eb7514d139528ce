import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../../src/base/problems/problem.js';
import { scheduleCommand } from '../../../src/cli/schedule/schedule-subcommands.js';
import { libraryOf } from '../../../src/service/library-interface.js';
import { journey } from '../../support/journey.js';
import { FakeSchedules, scheduleView } from '../gateway/fake-schedules.js';

const run = (...args: string[]) => runWith({}, ...args);

interface Given {
  more?: { nextPageToken?: string };
  drift?: string[];
}

async function runWith({ more = {}, drift = [] }: Given, ...args: string[]) {
  let [printed, stderr] = ['', ''];
  let closed = 0;
  const schedules = new FakeSchedules();
  schedules.more = more;
  schedules.known.set('s-1', scheduleView('s-1', { note: '1 of 12 runs done', drift }));
  const closing = () => {
    closed += 1;
  };
  const command = scheduleCommand({
    out: {
      write(text) {
        printed += text;
      },
    },
    errors: {
      write(text) {
        stderr += text;
      },
    },
    open: async () => ({ schedules, library: async () => library, close: async () => closing() }),
  });
  for (const sub of command.commands) sub.exitOverride().configureOutput({ writeErr: () => undefined });
  await command.parseAsync(args, { from: 'user' });
  return { printed, stderr, asked: schedules.asked, closed, known: schedules.known };
}

const library = libraryOf([{ definition: journey('payment', { version: '2.0.0' }), hash: 'h' }]);

describe('journeyman schedule', () => {
  it('migrates one to a version of its journey in the folder, and to no other', async () => {
    const { printed, asked } = await run('migrate', 's-1', '--to', '2.0.0');
    expect(asked).toEqual([['migrate', 's-1', '2.0.0']]);
    expect(printed).toMatch(/^s-1 migrated to s-1-migrated\.\n/);
    await expect(run('migrate', 's-1', '--to', '1.9.0')).rejects.toMatchObject({
      problem: { code: 'JOURNEY_UNKNOWN', hint: 'The newest is 2.0.0.' },
    });
  });

  it('lists with filters, as a table or as JSON', async () => {
    const { printed, asked, closed } = await run(
      'list',
      '--journey',
      'payment',
      '--subject',
      'u-1',
      '--state',
      'active',
    );
    expect(asked).toEqual([['list', { pageSize: 100, journeyName: 'payment', subjectId: 'u-1', state: 'active' }]]);
    expect(printed).toMatch(/^SCHEDULE +JOURNEY +SUBJECT +STATE +RUNS +CADENCE +LAST RESULT +NEXT RUN +NOTE\n/);
    expect(printed).toMatch(/s-1 +payment 1\.0\.0 +u-1 +active +0\/12 +every month +SUCCEEDED/);
    expect(closed).toBe(1);
    expect(JSON.parse((await run('list', '--format', 'json')).printed)).toMatchObject([{ scheduleId: 's-1' }]);
  });

  it('shows a schedule with its context and counts of due times', async () => {
    const { printed } = await run('show', 's-1');
    expect(printed).toContain('1 ran, 0 missed, 0 skipped because a run was active');
    expect(printed).toContain('"token": "a"');
  });

  it('FLT-14 reports a truncated list', async () => {
    const whole = await run('list', '--limit', '1');
    expect(whole.stderr).toBe('');
    const cut = await runWith({ more: { nextPageToken: 'more' } }, 'list', '--limit', '1');
    expect(cut.stderr).toBe('Showing the first 1: use --limit for more.\n');
  });

  it('FLT-14 pauses and deletes all schedules of a subject or a journey, and none without a filter', async () => {
    const paused = await run('pause', '--subject', 'u-1', '--reason', 'audit');
    expect(paused.asked).toEqual([
      ['list', { pageSize: 200, subjectId: 'u-1' }],
      ['pause', 's-1', 'audit'],
    ]);
    expect(paused.printed).toMatch(/^s-1 +is active/);
    expect((await run('delete', '--journey', 'payment')).known.size).toBe(0);
    await expect(run('delete')).rejects.toThrow('journeyName, subjectId or both are required');
  });

  it('FLT-12 shows drift and how to repair it', async () => {
    const { printed } = await run('repair', 's-1');
    expect(printed).toContain('s-1 is repaired.');
    const drifted = await runWith({ drift: ['Temporal will start it at noon.'] }, 'show', 's-1');
    expect(drifted.printed).toContain('Temporal will start it at noon. Repair it: journeyman schedule repair s-1');
  });

  it('reports whether pausing changed anything', async () => {
    expect((await run('pause', 's-1', '--reason', 'audit')).asked).toEqual([['pause', 's-1', 'audit']]);
    expect((await run('pause', 's-1')).printed).toBe('s-1 is active.\n');
    expect((await run('resume', 's-1')).printed).toBe('s-1 was already active.\n');
  });

  it('runs, updates and deletes', async () => {
    expect((await run('run-now', 's-1', '--request-id', 'r')).printed).toBe('s-1-now\n');
    const { asked } = await run(
      'update',
      's-1',
      '--interval',
      'P1D',
      '--max-runs',
      '3',
      '--start-at',
      '2030-01-01T00:00:00Z',
    );
    expect(asked).toEqual([['update', 's-1', { interval: 'P1D', maxRuns: 3, startAt: '2030-01-01T00:00:00Z' }]]);
    const cron = await run('update', 's-1', '--cron', '0 2 * * *', '--timezone', 'Europe/Rome');
    expect(cron.asked).toEqual([['update', 's-1', { cron: '0 2 * * *', timezone: 'Europe/Rome' }]]);
    expect((await run('delete', 's-1')).known.size).toBe(0);
    await expect(run('show', 'nope')).rejects.toThrow(ProblemError);
  });

  it('reads pages up to the limit', async () => {
    const pages = async (...args: string[]) => (await run(...args)).asked.map(([, ...rest]) => rest.at(-1));
    expect(await pages('list', '--limit', '3')).toEqual([{ pageSize: 3 }]);
    expect(await pages('runs', 's-1', '--limit', '500')).toEqual([{ pageSize: 200 }]);
  });

  it.each([
    ['an invalid state', ['list', '--state', 'done']],
    ['a limit that is not a number', ['list', '--limit', 'all']],
    ['zero runs', ['runs', 's-1', '--limit', '0']],
    ['a bound that is not a number', ['update', 's-1', '--max-runs', '2.5']],
    ['a request id with spaces', ['run-now', 's-1', '--request-id', 'a b']],
    ['two cadences', ['preview', '--every', 'P1D', '--cron', '0 9 * * *']],
    ['no cadence', ['preview', '--count', '2']],
    ['an unknown option', ['list', '--subjects', 'x']],
  ])('rejects %s without asking the server', async (_, args) => {
    await expect(run(...args)).rejects.toThrow(/^error: /);
  });

  it('previews without a server', async () => {
    const { printed, closed } = await run(
      'preview',
      '--cron',
      '30 1 * * *',
      '--timezone',
      'America/New_York',
      '--from',
      '2027-11-07T00:00:00Z',
      '--count',
      '2',
    );
    expect(closed).toBe(0);
    expect(printed).toContain('2027-11-07T01:30:00-04:00');
    expect(printed).toContain('clock goes back: first of two');
    expect(
      (await run('preview', '--every', 'P1M', '--start-at', '2027-01-31T09:00:00Z', '--count', '3')).printed,
    ).toContain('2027-02-28T09:00:00+00:00');
  });
});
