import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../../src/base/problems/problem.js';
import { jobCommand } from '../../../src/cli/job/job-subcommands.js';
import type { AutomationDeps } from '../../../src/cli/job/orchestrator-command-helpers.js';
import { queueCommand } from '../../../src/cli/job/queue-command.js';
import { automation, type Rig, twoScopes } from '../../support/automation.js';

function terminal(rig: Rig = automation()) {
  let [printed, stderr, closed] = ['', '', 0];
  const parts: AutomationDeps = {
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
    open: async () => ({
      automation: rig,
      close: async () => {
        closed += 1;
      },
    }),
  };
  const running =
    (make: (parts: AutomationDeps) => Command) =>
    async (...args: string[]) => {
      [printed, stderr, closed] = ['', '', 0];
      const command = make(parts);
      for (const sub of command.commands) sub.exitOverride().configureOutput({ writeErr: () => undefined });
      await command.parseAsync(args, { from: 'user' });
      return { printed, stderr, closed };
    };
  return { rig, job: running(jobCommand), queue: running(queueCommand) };
}

const code = async (work: Promise<unknown>) => {
  const error = await work.catch((it: unknown) => it);
  return error instanceof ProblemError ? error.problem.code : error;
};

const create = [
  ...['create', '-o', 'eng', '--journey', 'report', '--input', '{"day":"friday"}'],
  ...['--cron', '0 9 * * fri', '--timezone', 'Europe/Rome', '--name', 'friday report'],
];

describe('journeyman job', () => {
  it('creates a job from options and shows it', async () => {
    const { rig, job } = terminal();
    const { printed, closed } = await job(
      ...create,
      '--misfire-policy',
      'skip_missed',
      '--allow-overlap',
      '--max-duration',
      '60',
    );
    const [record] = [...rig.jobs.records.values()];
    expect(record).toMatchObject({
      orchestratorId: 'eng',
      name: 'friday report',
      createdBy: { caller: expect.stringContaining('CLI') },
      schedule: { type: 'cron', expression: '0 9 * * fri', timezone: 'Europe/Rome' },
      targetAction: { type: 'workflow_start', workflowId: 'report', inputs: { day: 'friday' } },
      misfirePolicy: 'skip_missed',
      allowOverlap: true,
      maxDurationSec: 60,
    });
    expect(printed).toMatch(/^Job +job-eng-/);
    expect(printed).toMatch(/Next +2030-01-11T08:00:00\.000Z/);
    expect(closed).toBe(1);
    expect(rig.logged).toMatchObject([
      { event: 'scheduler.job.created', by: { caller: expect.stringContaining('CLI') } },
    ]);
  });

  it('accepts intervals, single times and functions', async () => {
    const { rig, job } = terminal();
    await job(
      'create',
      '-o',
      'eng',
      '--every',
      '15m',
      '--anchor',
      '2030-01-01T00:00:00Z',
      '--function',
      'workflow.list',
    );
    await job(
      'create',
      '--profile',
      'slack_main',
      '--at',
      '2031-01-01T00:00:00Z',
      '--function',
      'workflow.status',
      '--args',
      '{"runId":"r"}',
    );
    expect([...rig.jobs.records.values()]).toMatchObject([
      { schedule: { everySeconds: 900 }, targetAction: { functionId: 'workflow.list' } },
      {
        schedule: { type: 'once' },
        targetAction: { functionArgs: { runId: 'r' } },
        createdBy: { channelProfileId: 'slack_main' },
      },
    ]);
  });

  it('SCH-D17 accepts the JSON of show from a file', async () => {
    const { rig, job } = terminal();
    await job(...create);
    const [id] = [...rig.jobs.records.keys()];
    const file = join(mkdtempSync(join(tmpdir(), 'jm-job-')), 'job.json');
    writeFileSync(file, (await job('show', id!, '-o', 'eng', '--format', 'json')).printed);
    expect((await job('update', id!, '-o', 'eng', '--file', file)).printed).toBe(`${id} is unchanged.\n`);
    await job('create', '-o', 'eng', '--file', file, '--name', 'copy');
    expect([...rig.jobs.records.values()].map(({ name }) => name)).toEqual(['friday report', 'copy']);
  });

  it('R3-58 lists jobs with cadence, target and last result', async () => {
    const { job } = terminal();
    await job(...create);
    const { printed } = await job('list', '-o', 'eng');
    expect(printed).toMatch(/^JOB +NAME +STATE +TARGET +CADENCE +LAST RUN +LAST RESULT +NEXT RUN\n/);
    expect(printed).toMatch(/friday report +enabled +report +.*09:00.* +- +- +2030-01-11T08:00:00\.000Z/);
    expect((await job('list', '-o', 'main')).printed).toBe('No jobs.\n');
    expect(JSON.parse((await job('list', '-o', 'eng', '--format', 'json')).printed)).toMatchObject([
      { name: 'friday report' },
    ]);
  });

  it('pauses, resumes, runs, updates and deletes, and reports when nothing changed', async () => {
    const { rig, job } = terminal();
    await job(...create);
    const [id] = [...rig.jobs.records.keys()] as [string];
    const act = async (name: string, ...more: string[]) => (await job(name, id, '-o', 'eng', ...more)).printed;
    expect(await act('pause')).toBe(`${id} is paused.\n`);
    expect(await act('pause')).toBe(`${id} was already paused.\n`);
    expect(await act('run-now', '--request-id', 'r')).toBe(`${id}-now-r\n`);
    expect(await act('resume')).toBe(`${id} is enabled.\n`);
    expect(await act('update', '--every', '6h', '--clear', 'name', '--no-allow-overlap')).toMatch(/Name +-\n/);
    expect(rig.jobs.records.get(id)).toMatchObject({ name: null, schedule: { everySeconds: 21_600 } });
    expect(await act('delete')).toBe(`${id} is deleted.\n`);
    expect(await code(act('resume'))).toBe('JOB_STATE');
  });

  it('shows drift and repairs it', async () => {
    const { rig, job } = terminal();
    await job(...create);
    const [id] = [...rig.jobs.records.keys()] as [string];
    rig.jobs.drifted.add(id);
    expect((await job('show', id, '-o', 'eng')).printed).toContain(`Repair it: journeyman job repair ${id} -o eng`);
    expect((await job('repair', id, '-o', 'eng')).printed).toBe(`${id} is repaired.\n`);
    expect((await job('repair', id, '-o', 'eng')).printed).toBe(`${id} does not need repair.\n`);
    expect(rig.logged.map(({ event }) => event)).toEqual(['scheduler.job.created', 'scheduler.job.repaired']);
  });

  it('the history shows the reason of each outcome', async () => {
    const { rig, job } = terminal();
    await job(...create);
    const [id] = [...rig.jobs.records.keys()] as [string];
    const { printed } = await job('history', id, '-o', 'eng');
    expect(printed).toMatch(/^DUE +ORIGIN +PHASE +OUTCOME +WHY +COVERS +ENDED +RUN\n/);
    expect(printed).toContain('ACCESS_DENIED: The orchestrator may not use this.');
  });

  it('R3-59 lists the workers', async () => {
    const { job } = terminal();
    expect((await job('status', '-o', 'eng')).printed).toMatch(
      /WORKER +LAST HEARTBEAT\nworker-1 +2030-01-01T00:00:00\.000Z/,
    );
    expect((await job('functions', '-o', 'ops')).printed).toMatch(
      /schedule\.create +orchestratorId, schedule, targetAction/,
    );
  });

  it('R3-29 R3-30 requires an orchestrator unless main is the only one', async () => {
    const { job } = terminal();
    expect(await code(job('list'))).toBe('ORCHESTRATOR_REQUIRED');
    expect(await code(job('list', '-o', 'nobody'))).toBe('ORCHESTRATOR_UNKNOWN');
    expect(await code(job('list', '--profile', 'nobody'))).toBe('CHANNEL_PROFILE_UNKNOWN');
    const alone = terminal(automation({ orchestrators: { main: twoScopes.orchestrators.main! }, channelProfiles: {} }));
    await alone.job('create', '--journey', 'report', '--every', '1h');
    expect([...alone.rig.jobs.records.values()]).toMatchObject([{ orchestratorId: 'main' }]);
  });

  it.each([
    ['input that is not JSON', ['create', '-o', 'eng', '--journey', 'x', '--input', '{']],
    ['input that is not an object', ['create', '-o', 'eng', '--journey', 'x', '--input', '[]']],
    ['two cadences', ['create', '-o', 'eng', '--cron', '* * * * *', '--every', '1h']],
    ['two targets', ['create', '-o', 'eng', '--journey', 'x', '--function', 'y']],
    ['two scopes', ['list', '-o', 'eng', '--profile', 'slack_main']],
    ['an invalid policy', ['create', '-o', 'eng', '--misfire-policy', 'often']],
  ])('rejects %s without asking the server', async (_, args) => {
    await expect(terminal().job(...args)).rejects.toThrow(/^error: /);
  });

  it('rejects options that do not belong together', async () => {
    const { job } = terminal();
    for (const args of [
      ['--timezone', 'UTC'],
      ['--anchor', '2030-01-01T00:00:00Z'],
      ['--input', '{}'],
      ['--args', '{}'],
    ])
      expect(await code(job('create', '-o', 'eng', ...args))).toBe('USAGE_INVALID');
    expect(await code(job('create', '-o', 'eng', '--file', '/nowhere.json'))).toBe('USAGE_INVALID');
  });
});

describe('journeyman queue', () => {
  it('R3-33 R3-34 adds a run to the queue and lists it', async () => {
    const { rig, queue } = terminal();
    const { printed: id } = await queue(
      'add',
      '-o',
      'eng',
      '--journey',
      'report',
      '--input',
      '{"day":"x"}',
      '--request-id',
      'r',
    );
    expect([...rig.dispatcher.envelopes.values()]).toMatchObject([
      { executionId: id.trim(), origin: 'cli', orchestratorId: 'eng', targetAction: { workflowId: 'report' } },
    ]);
    const { printed } = await queue('list');
    expect(printed).toMatch(/^DUE +ORCHESTRATOR +JOB +ORIGIN +PHASE/);
    expect(printed).toContain(id.trim());
    expect((await queue('list', '-o', 'ops')).printed).toBe('No runs.\n');
    expect((await queue('list', '--phase', 'done')).printed).toBe('No runs.\n');
    expect((await queue('show', id.trim(), '-o', 'eng')).printed).toMatch(/Phase +incoming/);
    expect(await code(queue('show', id.trim(), '-o', 'ops'))).toBe('EXECUTION_UNKNOWN');
    await expect(queue('add', '-o', 'eng')).rejects.toThrow('specify --journey or --function');
    expect(await code(queue('add', '-o', 'ops', '--journey', 'report'))).toBe('ACCESS_DENIED');
  });
});
