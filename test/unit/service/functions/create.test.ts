import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/value.js';
import { automation, jobArgs, testNow } from '../../../support/automation.js';

const codes = (errors: unknown) =>
  (errors as { code: string; pointer: string }[]).map((it) => `${it.pointer} ${it.code}`);
const slack = { channel: 'slack', channelProfileId: 'slack_main', channelId: 'C100', postingMode: 'channel_post' };

describe('schedule.create', () => {
  it('R3-08 R3-09 R3-11 R3-45 X3-02 creates a job with the whole record; R3-28 in the orchestrator of the caller', async () => {
    const { invoke, jobs } = automation();
    const job = await invoke('schedule.create', jobArgs({ name: 'friday report' }));
    expect(job).toMatchObject({
      jobId: expect.stringMatching(/^job-eng-[0-9a-f]{12}$/),
      orchestratorId: 'eng',
      name: 'friday report',
      createdBy: { caller: 'key:ann' },
      schedule: { type: 'cron', expression: '0 9 * * fri', timezone: 'Europe/Rome' },
      targetAction: { type: 'workflow_start', workflowId: 'report', inputs: { day: 'friday' } },
      targetRef: null,
      state: 'enabled',
      misfirePolicy: 'fire_once_on_recovery',
      allowOverlap: false,
      maxDurationSec: 86_400,
      nextRunAt: '2030-01-11T08:00:00.000Z',
      lastRunAt: null,
      lastResult: null,
      createdAt: '2030-01-07T12:00:00.000Z',
      updatedAt: '2030-01-07T12:00:00.000Z',
    });
    expect([...jobs.records.keys()]).toEqual([job.jobId]);
    expect(job).not.toHaveProperty('changes');
  });

  it('R3-01 R3-02 R3-03 X3-01 accepts once, interval and cron, and the type in either field', async () => {
    const { invoke, refused } = automation();
    const made = async (args: JsonObject) => (await invoke('schedule.create', jobArgs(args))).schedule;
    expect(await made({ scheduleType: 'once', schedule: { runAt: '2030-02-01T10:00:00+01:00' } })).toEqual({
      type: 'once',
      runAt: '2030-02-01T09:00:00.000Z',
    });
    expect(await made({ scheduleType: 'interval', schedule: { everySeconds: 3600 } })).toEqual({
      type: 'interval',
      everySeconds: 3600,
      anchorAt: '2030-01-07T12:00:00.000Z',
    });
    const { scheduleType: _, ...rest } = jobArgs({ schedule: { type: 'interval', every: '15m' } });
    expect((await invoke('schedule.create', rest)).schedule).toMatchObject({ everySeconds: 900 });
    const both = await refused(
      'schedule.create',
      jobArgs({ schedule: { type: 'once', runAt: '2030-02-01T10:00:00Z' } }),
    );
    expect(codes(both.errors)).toEqual(['/scheduleType JOB_INVALID']);
    expect(await refused('schedule.create', jobArgs({ scheduleType: 'daily' }))).toMatchObject({
      code: 'FUNCTION_ARGUMENTS',
      errors: [
        { pointer: '/scheduleType', message: expect.stringContaining('schedule.create.scheduleType must be one of') },
      ],
    });
    const { scheduleType: __, ...none } = jobArgs();
    expect(codes((await refused('schedule.create', none)).errors)).toEqual(['/schedule/type CADENCE_TYPE_UNKNOWN']);
  });

  it.each([
    [
      'R3-04 four fields',
      'cron',
      { expression: '0 9 * *', timezone: 'UTC' },
      '/schedule/expression CADENCE_CRON_FIELD_COUNT',
    ],
    [
      'R3-07 seconds',
      'cron',
      { expression: '*/10 0 9 * * *', timezone: 'UTC' },
      '/schedule/expression CADENCE_CRON_FIELD_COUNT',
    ],
    ['R3-06 a missing zone', 'cron', { expression: '0 9 * * *' }, '/schedule/timezone CADENCE_ZONE_MISSING'],
    [
      'R3-06 R3-54 an invalid zone',
      'cron',
      { expression: '0 9 * * *', timezone: 'PST' },
      '/schedule/timezone CADENCE_ZONE_UNKNOWN',
    ],
    [
      'a date that does not exist',
      'cron',
      { expression: '0 9 31 2 *', timezone: 'UTC' },
      '/schedule/expression CADENCE_CRON_NEVER',
    ],
    ['R3-55 X3-03 too short', 'interval', { everySeconds: 9 }, '/schedule/everySeconds CADENCE_TOO_SHORT'],
    ['R3-55 X3-03 too long', 'interval', { everySeconds: 31_536_001 }, '/schedule/everySeconds CADENCE_TOO_LONG'],
    ['SCH-D8 a time that has passed', 'once', { runAt: '2030-01-07T12:00:00Z' }, '/schedule/runAt CADENCE_IN_THE_PAST'],
    [
      'SCH-D8 a time before the epoch',
      'once',
      { runAt: '1960-01-01T00:00:00Z' },
      '/schedule/runAt CADENCE_YEAR_OUT_OF_RANGE',
    ],
  ])('rejects %s', async (_, scheduleType, schedule, expected) => {
    const { refused, jobs } = automation();
    const problem = await refused('schedule.create', jobArgs({ scheduleType, schedule }));
    expect([problem.code, codes(problem.errors)]).toEqual(['JOB_INVALID', [expected]]);
    expect(problem.errors?.every(({ hint }) => hint)).toBe(true);
    expect(jobs.records.size).toBe(0);
  });

  it('reports all findings with code, pointer and hint', async () => {
    const { refused } = automation();
    const { errors } = await refused(
      'schedule.create',
      jobArgs({
        name: '\u0007',
        schedule: { expression: '61 9 * * *', timezone: 'Mars/Olympus' },
        targetAction: { type: 'workflow_start', workflowId: '../../etc', inputs: { file: '/etc/passwd' } },
        targetRef: { channel: 'slack', channelProfileId: 'slack_main', postingMode: 'thread_reply', colour: 'red' },
        maxDurationSec: 0,
        state: 'deleted',
      }),
    );
    expect(codes(errors)).toEqual([
      '/name JOB_INVALID',
      '/schedule/expression CADENCE_CRON_RANGE',
      '/schedule/timezone CADENCE_ZONE_UNKNOWN',
      '/targetAction/workflowId PATH_REFUSED',
      '/targetAction/inputs/file PATH_REFUSED',
      '/targetRef/colour TARGET_REF_INVALID',
      '/targetRef/channelId TARGET_REF_INVALID',
      '/targetRef/threadTs TARGET_REF_INVALID',
      '/state JOB_INVALID',
      '/maxDurationSec JOB_INVALID',
    ]);
    expect(errors?.every(({ hint, message }) => hint && message)).toBe(true);
    expect(JSON.stringify(errors)).not.toMatch(/passwd|\.\.\/etc/);
  });

  it('R3-48 to R3-50 a Slack target is validated; other channels are generic', async () => {
    const { invoke, refused } = automation();
    const made = async (targetRef: JsonObject) => (await invoke('schedule.create', jobArgs({ targetRef }))).targetRef;
    expect(await made(slack)).toEqual(slack);
    const reply = { ...slack, postingMode: 'thread_reply', threadTs: '1794800000.000100' };
    expect(await made(reply)).toEqual(reply);
    for (const [ref, expected] of [
      [{ ...slack, threadTs: '1.2' }, ['/targetRef/threadTs TARGET_REF_INVALID']],
      [{ ...reply, threadTs: '' }, ['/targetRef/threadTs TARGET_REF_INVALID']],
      [{ ...slack, postingMode: 'shout' }, ['/targetRef/postingMode TARGET_REF_INVALID']],
      [{ ...slack, channelId: 7 }, ['/targetRef/channelId TARGET_REF_INVALID']],
      [{ channel: 'pigeon' }, ['/targetRef/channelProfileId TARGET_REF_INVALID']],
      [
        { channel: 'pigeon', channelProfileId: '../x' },
        ['/targetRef/channelProfileId TARGET_REF_INVALID', '/targetRef/channelProfileId PATH_REFUSED'],
      ],
    ] as [JsonObject, string[]][]) {
      const { errors } = await refused('schedule.create', jobArgs({ targetRef: ref }));
      expect(codes(errors), JSON.stringify(ref)).toEqual(expected);
    }
  });

  it('R3-14 R3-16 R3-17 accepts only a journey or a function as the target', async () => {
    const { invoke, refused } = automation();
    const command = { type: 'command_invoke', functionId: 'workflow.status', functionArgs: { runId: 'run-42' } };
    expect((await invoke('schedule.create', jobArgs({ targetAction: command }))).targetAction).toEqual(command);
    for (const [targetAction, expected] of [
      [{ type: 'workflow_start' }, '/targetAction/workflowId JOB_INVALID'],
      [{ type: 'workflow_start', workflowId: 'report', functionId: 'x' }, '/targetAction/functionId JOB_INVALID'],
      [{ type: 'command_invoke', functionArgs: {} }, '/targetAction/functionId JOB_INVALID'],
    ] as [JsonObject, string][])
      expect(codes((await refused('schedule.create', jobArgs({ targetAction }))).errors)).toEqual([expected]);
    const shell = await refused('schedule.create', jobArgs({ targetAction: { type: 'shell', command: 'ls' } }));
    expect(codes(shell.errors)).toEqual(['/targetAction/type FUNCTION_ARGUMENTS']);
  });

  it('X3-10 rejects unknown fields and wrong types by name', async () => {
    const { refused } = automation();
    const unknown = await refused('schedule.create', jobArgs({ targetAktion: {}, nmae: 'x' }));
    expect(unknown).toMatchObject({ code: 'FUNCTION_ARGUMENTS', status: 400 });
    expect(unknown.errors).toMatchObject([
      { message: 'unknown argument `targetAktion`', pointer: '/targetAktion', hint: 'Did you mean targetAction?' },
      { message: 'unknown argument `nmae`', pointer: '/nmae', hint: 'Did you mean name?' },
    ]);
    const wrong = await refused('schedule.create', jobArgs({ schedule: 'every day' }));
    expect(wrong.errors).toMatchObject([
      { message: expect.stringMatching(/^schedule\.create\.schedule must be/), pointer: '/schedule' },
    ]);
    const { orchestratorId: _, ...nowhere } = jobArgs();
    expect((await refused('schedule.create', nowhere)).errors).toMatchObject([
      { message: 'schedule.create.orchestratorId is required', pointer: '/orchestratorId' },
    ]);
  });

  it('SCH-D18 createdBy is the authenticated caller', async () => {
    const { refused, jobs } = automation();
    const problem = await refused('schedule.create', jobArgs({ createdBy: { caller: 'key:boss', senderId: 'U1' } }));
    expect(codes(problem.errors)).toEqual(['/createdBy JOB_INVALID']);
    expect(jobs.records.size).toBe(0);
  });

  it('a repeated request returns the same job; with other values it is rejected', async () => {
    const rig = automation();
    const as = { requestId: 'k' };
    const every = { scheduleType: 'interval', schedule: { everySeconds: 60 } };
    const first = await rig.invoke('schedule.create', jobArgs(every), as);
    rig.clock = testNow + 90_000;
    const second = await rig.invoke('schedule.create', jobArgs(every), as);
    expect([second.jobId, second.createdAt, second.schedule]).toEqual([first.jobId, first.createdAt, first.schedule]);
    expect([rig.jobs.records.size, rig.logged.length]).toEqual([1, 1]);
    expect(await rig.refused('schedule.create', jobArgs(), as)).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect((await rig.invoke('schedule.create', jobArgs(every), { requestId: 'l' })).jobId).not.toBe(first.jobId);
  });
});
