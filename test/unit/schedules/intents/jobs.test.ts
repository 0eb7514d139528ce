import { describe, expect, it } from 'vitest';
import { answerDraft, say } from '../../../../src/schedules/intents/conversation.js';
import { withName } from '../../../../src/schedules/intents/derive-job-names.js';
import { summarizeCall } from '../../../../src/schedules/intents/summarize-call.js';
import { asked, context, interpret, offered, scheduled } from './support.js';

const called = (utterance: string) => {
  const result = interpret(utterance);
  if (!('functionId' in result)) return JSON.stringify(result);
  return `${result.functionId} ${result.functionArgs.jobId ?? JSON.stringify(result.functionArgs)}`;
};

describe('R3-19 R3-23 R3-24 Commands for existing jobs', () => {
  it.each([
    ['show me my schedules', 'schedule.list {"orchestratorId":"bakery"}'],
    ["what's scheduled?", 'schedule.list {"orchestratorId":"bakery"}'],
    ['any jobs paused?', 'schedule.list {"orchestratorId":"bakery","state":"paused"}'],
    ['which jobs are paused?', 'schedule.list {"orchestratorId":"bakery","state":"paused"}'],
    ['list active jobs', 'schedule.list {"orchestratorId":"bakery","state":"enabled"}'],
    ['show job-7', 'schedule.show job-7'],
    ['when does the dough timer run next?', 'schedule.show job-7'],
    ['how often does the oven check run?', 'schedule.show job-10'],
    ["what's the status of the morning orders?", 'schedule.show job-9'],
    ['is the dough timer paused?', 'schedule.show job-7'],
    ['pause the dough timer', 'schedule.pause job-7'],
    ['stop the dough timer for now', 'schedule.pause job-7'],
    ['put the oven check on hold', 'schedule.pause job-10'],
    ['turn off the oven check please', 'schedule.pause job-10'],
    ['resume the prices', 'schedule.resume job-8'],
    ['unpause job-8', 'schedule.resume job-8'],
    ['turn the morning prices back on', 'schedule.resume job-8'],
    ['start the morning prices again', 'schedule.resume job-8'],
    ['delete job-9', 'schedule.delete job-9'],
    ['cancel the oven check', 'schedule.delete job-10'],
    ['get rid of the morning orders', 'schedule.delete job-9'],
    ['run the dough timer now', 'schedule.run_now job-7'],
    ['trigger job-10', 'schedule.run_now job-10'],
    ['kick off the oven check right away', 'schedule.run_now job-10'],
  ])('result in one call: %s', (utterance, call) => {
    expect(called(utterance)).toBe(call);
  });

  it('R3-21 ask which job is meant if several match, and offer the matches', () => {
    expect(interpret('pause the morning job')).toEqual({
      clarify: {
        code: 'AMBIGUOUS_JOB',
        field: 'jobId',
        question: 'Which job?',
        options: [
          { label: 'morning prices', value: 'job-8' },
          { label: 'morning orders', value: 'job-9' },
        ],
      },
    });
  });

  it.each(['pause it', 'delete job-99', 'pause the payroll job', 'resume the job'])(
    'R3-21 offer all jobs if none is named: %s',
    (utterance) => {
      expect(asked(utterance)).toBe('AMBIGUOUS_JOB');
      expect(offered(utterance).map(({ value }) => value)).toEqual(['job-7', 'job-8', 'job-9', 'job-10']);
    },
  );

  it.each([
    'pause all jobs',
    'delete everything',
    'pause the dough timer and the oven check',
    'delete job-7, job-10',
    'pause the dough timer and delete the oven check',
    'run stock-take every day at 9am and then delete job-7',
    'delete job-7. Also run order-flour every day at 5am',
  ])('R3-20 ask which one if several are named: %s', (utterance) => {
    expect(asked(utterance)).toBe('MULTIPLE_TARGETS');
  });

  it.each(['pause the dough timer until Monday', 'delete the dough timer tomorrow', 'stop the oven check for 2 hours'])(
    'R3-21 ask about a limit in time, which they do not support: %s',
    (utterance) => {
      expect(asked(utterance)).toBe('UNSUPPORTED_RECURRENCE');
    },
  );
});

describe('R3-19 R3-24 Changing a job in plain English', () => {
  it.each([
    ['move the dough timer to 5am', 'cron 0 5 * * 1-6 Europe/Berlin'],
    ['change the dough timer from 4:30am to 3:45am', 'cron 45 3 * * 1-6 Europe/Berlin'],
    ['move the morning orders to Thursdays', 'cron 15 6 * * 4 Europe/Berlin'],
    ['move the morning orders to Thursday at 7am', 'cron 0 7 * * 4 Europe/Berlin'],
    ['make the oven check run every 45 minutes', 'every 2700'],
    ['change the oven check to weekdays at 8pm', 'cron 0 20 * * 1-5 Europe/Berlin'],
    ['reschedule the morning orders to Tokyo time', 'cron 15 6 * * 2 Asia/Tokyo'],
    ["change the dough timer's time zone to America/New_York", 'cron 30 4 * * 1-6 America/New_York'],
    ['update job-9 to cron 0 8 * * mon-wed', 'cron 0 8 * * 1-3 Europe/Berlin'],
    ['push the dough timer back by 15 minutes', 'cron 45 4 * * 1-6 Europe/Berlin'],
    ['move the morning orders an hour earlier', 'cron 15 5 * * 2 Europe/Berlin'],
    ['run the dough timer at 5am instead', 'cron 0 5 * * 1-6 Europe/Berlin'],
  ])('sets a new time and keeps the rest of the schedule: %s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
  });

  it.each([
    ['if the dough timer misses a run, skip it', { misfirePolicy: 'skip_missed' }],
    ['skip missed runs of the oven check', { misfirePolicy: 'skip_missed' }],
    ['if the oven check misses a run, run it once afterwards', { misfirePolicy: 'fire_once_on_recovery' }],
    ['let the oven check overlap', { allowOverlap: true }],
    ["don't let the oven check overlap", { allowOverlap: false }],
    [
      'move the dough timer to #ovens',
      { targetRef: { channel: 'slack', channelProfileId: 'shop_chat', channelId: 'C20', postingMode: 'channel_post' } },
    ],
    [
      'change the text of the dough timer to "knead at 5"',
      { targetAction: { type: 'workflow_start', workflowId: 'post-message', inputs: { text: 'knead at 5' } } },
    ],
    ['change the oven check to run stock-take', { targetAction: { type: 'workflow_start', workflowId: 'stock-take' } }],
  ])('changes only what is named: %s', (utterance, patch) => {
    const result = interpret(utterance);
    expect(result).toMatchObject({ functionId: 'schedule.update' });
    expect('functionArgs' in result && result.functionArgs.patch).toEqual(patch);
  });

  it.each([
    ['update the dough timer', 'MISSING_PATCH'],
    ['move the oven check to 3am', 'MISSING_PATCH'],
    ['move the dough timer to 6', 'AMBIGUOUS_MERIDIEM'],
    ['move the dough timer to tomorrow at 9am', 'UNSUPPORTED_RECURRENCE'],
    ['change the time zone of the dough timer to CST', 'AMBIGUOUS_TIMEZONE'],
    ['move the dough timer to #attic', 'UNKNOWN_CHANNEL'],
    ['make the oven check run every 3 seconds', 'INTERVAL_OUT_OF_BOUNDS'],
  ])('R3-21 asks if the change is incomplete: %s', (utterance, code) => {
    expect(asked(utterance)).toBe(code);
  });
});

describe('GAP-12 A new time for a job that does not run any more', () => {
  const job = (state: string, runAt: string) => ({
    jobs: [{ jobId: 'job-1', name: 'cake order', state, schedule: { type: 'once', runAt } }],
  });
  const past = '2027-06-08T07:00:00Z';

  it.each([
    ['disabled', past],
    ['enabled', past],
  ])('enables a finished single run (%s)', (state, runAt) => {
    const result = interpret('move the cake order to tomorrow at 9am', job(state, runAt));
    expect(result).toMatchObject({
      functionId: 'schedule.update',
      functionArgs: { patch: { schedule: { runAt: '2027-06-10T07:00:00Z' }, state: 'enabled' } },
    });
    const notices = summarizeCall(result, context(job(state, runAt)))?.notices;
    expect(notices).toEqual(state === 'disabled' ? ['JOB_IS_ENABLED_AGAIN'] : []);
  });

  it('preserves the state of a single run in the future', () => {
    const result = interpret('move the cake order to tomorrow at 9am', job('enabled', '2027-06-12T07:00:00Z'));
    expect(result).not.toHaveProperty('functionArgs.patch.state');
  });

  it.each([
    ['enable it', { state: 'enabled' }],
    ['yes', { state: 'enabled' }],
    ['2', {}],
  ])('asks about a job that was disabled on purpose: %s', (answer, state) => {
    const weekly = { type: 'cron', expression: '0 9 * * 1', timezone: 'Europe/Berlin' };
    const disabled = context({ jobs: [{ jobId: 'job-1', name: 'cake order', state: 'disabled', schedule: weekly }] });
    const { result, draft } = say('move the cake order to 10am', disabled);
    expect(result).toMatchObject({ clarify: { code: 'MISSING_PATCH', field: 'patch.state' } });
    const { result: call } = answerDraft(JSON.parse(JSON.stringify(draft)), answer, disabled);
    const patch = { schedule: { ...weekly, expression: '0 10 * * 1' }, ...state };
    expect(call).toEqual({ functionId: 'schedule.update', functionArgs: { jobId: 'job-1', patch } });
  });
});

describe('GAP-16 Jobs without a name', () => {
  const post = (jobId: string, text: string, expression: string, name: string | null = null) => ({
    jobId,
    name,
    state: 'enabled',
    schedule: { type: 'cron', expression, timezone: 'Europe/Berlin' },
    targetAction: { type: 'workflow_start', workflowId: 'post-message', inputs: { text } },
  });
  const jobs = [
    post('job-1', 'hello world', '0 9 * * 5'),
    post('job-2', 'clean the trays', '30 17 * * 1-5'),
    post('job-3', 'count the stock', '0 9 1 * *', 'stock day'),
    {
      jobId: 'job-4',
      state: 'enabled',
      schedule: { type: 'interval', everySeconds: 3600 },
      targetAction: { type: 'workflow_start', workflowId: 'stock-take' },
    },
  ];

  it.each([
    ['run stock-take every weekday at 8:30am', 'stock-take, weekdays 08:30'],
    ['post hello world in #counter every Friday at 9am', 'hello world, Fridays 09:00'],
    ['post hi in #counter every Monday and Thursday at 9am', 'hi, Mondays and Thursdays 09:00'],
    ['post hi in #counter every day at 9am and 5pm', 'hi, daily 09:00 and 17:00'],
    ['run stock-take every 15 minutes', 'stock-take, every 15 minutes'],
    ['run stock-take tomorrow at 3pm', 'stock-take, 2027-06-10 15:00'],
    ['run stock-take on the 1st of every month at 9am', 'stock-take, on day 1 of every month at 09:00'],
    [
      `post ${'very '.repeat(20)}long in #counter every Friday at 9am`,
      'very very very very very very very very…, Fridays 09:00',
    ],
  ])('get one from their text and cadence: %s', (utterance, name) => {
    const result = interpret(utterance);
    expect('functionId' in result && withName(result, context()).functionArgs.name).toBe(name);
  });

  it('get another one when text or cadence change, unless a person named them', () => {
    const named = { jobs: [post('job-1', 'hello', '0 9 * * 5', 'hello, Fridays 09:00'), jobs[2]!] };
    const renamed = (utterance: string) => {
      const result = interpret(utterance, named);
      return 'functionId' in result && withName(result, context(named)).functionArgs;
    };
    expect(renamed('move the hello job to Mondays')).toMatchObject({ patch: { name: 'hello, Mondays 09:00' } });
    expect(renamed('make the hello job say "good day"')).toMatchObject({ patch: { name: 'good day, Fridays 09:00' } });
    expect(renamed('rename the hello job to greetings')).toMatchObject({ patch: { name: 'greetings' } });
    expect(renamed('move the stock day to 10am')).not.toHaveProperty('patch.name');
    expect(renamed('pause the hello job')).toEqual({ jobId: 'job-1' });
  });

  it.each([
    ['stop the Friday one', 'schedule.pause job-1'],
    ['stop posting hello', 'schedule.pause job-1'],
    ['stop posting hello world', 'schedule.pause job-1'],
    ['delete the weekly one', 'schedule.delete job-1'],
    ['pause the weekday one', 'schedule.pause job-2'],
    ['pause the 5:30pm job', 'schedule.pause job-2'],
    ['pause the trays reminder', 'schedule.pause job-2'],
    ['delete the monthly one', 'schedule.delete job-3'],
    ['pause the hourly job', 'schedule.pause job-4'],
    ['pause the stock-take job', 'schedule.pause job-4'],
  ])('are found by cadence and text: %s', (utterance, call) => {
    const result = interpret(utterance, { jobs });
    expect('functionId' in result ? `${result.functionId} ${result.functionArgs.jobId}` : result).toBe(call);
  });

  it('are shown with text and cadence, and asked about if several match', () => {
    expect(offered('pause the 9am one', { jobs }).map(({ label }) => label)).toEqual([
      'hello world, Fridays 09:00',
      'stock day',
    ]);
    expect(offered('pause it', { jobs }).map(({ label }) => label)).toEqual([
      'hello world, Fridays 09:00',
      'clean the trays, weekdays 17:30',
      'stock day',
      'stock-take, every hour',
    ]);
  });
});
