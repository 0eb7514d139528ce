import { describe, expect, it } from 'vitest';
import { answerDraft, say } from '../../../../src/schedules/intents/conversation.js';
import { asked, context, interpret, offered, scheduled } from './support.js';

/** The result after an answer to a question. */
const answered = (utterance: string, answer: string) =>
  answerDraft(say(utterance, context()).draft as never, answer, context()).result;

describe('GAP-13 A command for a part of a job, or with inputs', () => {
  it.each([
    'delete the history of job-7',
    'remove the description of the dough timer',
    "delete job-7's last run",
    'cancel the change to job-7',
    'stop the current run of the dough timer',
    'remove #counter from the dough timer',
    'remove "dough" from the dough timer',
    "clear the dough timer's channel",
    'drop the channel from the dough timer',
    'run job-7 with region=EU',
    'run job-7 twice',
  ])('is asked about: %s', (utterance) => {
    expect(asked(utterance)).toBe('AMBIGUOUS_JOB');
    expect(offered(utterance)).toMatchObject([{ value: 'job-7' }]);
  });

  it('applies to the whole job if the answer says so', () => {
    expect(answered('run job-7 twice', '1')).toEqual({
      functionId: 'schedule.run_now',
      functionArgs: { jobId: 'job-7' },
    });
  });

  it.each([
    ['delete job-7, the dough timer', 'delete'],
    ['delete the schedule of the dough timer', 'delete'],
    ['stop job-7 from running', 'pause'],
    ['pause the dough timer in #counter', 'pause'],
  ])('is distinguished from one about the whole job: %s', (utterance, command) => {
    expect(interpret(utterance)).toEqual({ functionId: `schedule.${command}`, functionArgs: { jobId: 'job-7' } });
  });
});

describe('GAP-13 A stop for good', () => {
  it.each(['stop the dough timer for good', 'turn off the dough timer permanently'])(
    'is asked about: %s',
    (utterance) => {
      expect(offered(utterance)).toMatchObject([{ value: 'pause' }, { value: 'delete' }]);
      expect(answered(utterance, 'delete it')).toEqual({
        functionId: 'schedule.delete',
        functionArgs: { jobId: 'job-7' },
      });
    },
  );
});

describe('GAP-13 A change of a job', () => {
  it.each([
    ['make the dough timer hourly', 'cron 0 * * * 1-6 Europe/Berlin'],
    ['make the dough timer hourly from 9am to 5pm', 'cron 0 9-17 * * 1-6 Europe/Berlin'],
    ['make the dough timer run from 9am to 5pm every hour', 'cron 0 9-17 * * 1-6 Europe/Berlin'],
    ['make the morning orders hourly', 'every 3600'],
  ])('keeps its weekdays with a new interval: %s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
  });

  it('drops them if the answer says so', () => {
    expect(answered('make the dough timer run every 5 hours', '1')).toMatchObject({
      functionArgs: { patch: { schedule: { type: 'interval', everySeconds: 18_000 } } },
    });
  });

  it('to a quoted text includes the time and the place after it', () => {
    expect(interpret('make the dough timer say "knead" at 5am in #counter')).toMatchObject({
      functionArgs: {
        patch: {
          schedule: { expression: '0 5 * * 1-6' },
          targetAction: { inputs: { text: 'knead' } },
          targetRef: { channelId: 'C10' },
        },
      },
    });
  });
});

describe('GAP-15 More phrasings of a change', () => {
  it.each([
    ['make the dough timer not run on Mondays', 'cron 30 4 * * 2-6 Europe/Berlin'],
    ['have the dough timer skip Mondays', 'cron 30 4 * * 2-6 Europe/Berlin'],
    ["the dough timer shouldn't run on Mondays or Fridays", 'cron 30 4 * * 2-4,6 Europe/Berlin'],
    ['limit the dough timer to Mondays and Wednesdays', 'cron 30 4 * * 1,3 Europe/Berlin'],
  ])('%s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
  });

  it('moves it to another channel', () => {
    expect(interpret('the dough timer should go to #ovens instead')).toMatchObject({
      functionArgs: { patch: { targetRef: { channelId: 'C20' } } },
    });
  });

  it('offers another day of every month', () => {
    const monthly = { type: 'cron', expression: '0 10 1 * *', timezone: 'Europe/Berlin' };
    const jobs = [{ jobId: 'job-12', name: 'stock invoice', state: 'enabled', schedule: monthly }];
    expect(offered('move the stock invoice from the 1st to the 5th', { jobs })[0]!.label).toBe(
      'on day 5 of every month at 10:00',
    );
  });
});
