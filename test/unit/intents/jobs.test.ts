import { describe, expect, it } from 'vitest';
import { asked, heard, offered, scheduled } from './support.js';

const called = (utterance: string) => {
  const result = heard(utterance);
  if (!('functionId' in result)) return JSON.stringify(result);
  return `${result.functionId} ${result.functionArgs.jobId ?? JSON.stringify(result.functionArgs)}`;
};

describe('R3-19 R3-23 R3-24 speaking about jobs', () => {
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
  ])('%s', (utterance, call) => {
    expect(called(utterance)).toBe(call);
  });

  it('R3-21 asks which job when several fit, and offers those', () => {
    expect(heard('pause the morning job')).toEqual({
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
    'R3-21 offers every job that is left when none is named: %s',
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
  ])('R3-20 never does two things: %s', (utterance) => {
    expect(asked(utterance)).toBe('MULTIPLE_TARGETS');
  });

  it.each(['pause the dough timer until Monday', 'delete the dough timer tomorrow', 'stop the oven check for 2 hours'])(
    'R3-21 does not drop what it cannot do: %s',
    (utterance) => {
      expect(asked(utterance)).toBe('UNSUPPORTED_RECURRENCE');
    },
  );
});

describe('R3-19 R3-24 changing a job in words', () => {
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
  ])('sets a new time and keeps the rest: %s', (utterance, schedule) => {
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
  ])('changes nothing else: %s', (utterance, patch) => {
    const result = heard(utterance);
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
  ])('R3-21 asks when that is not enough: %s', (utterance, code) => {
    expect(asked(utterance)).toBe(code);
  });
});
