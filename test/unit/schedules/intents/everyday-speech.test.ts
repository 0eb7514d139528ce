import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/value.js';
import { answerDraft, say } from '../../../../src/schedules/intents/conversation.js';
import { asked, context, offered, scheduled } from './support.js';

/** The result after an answer to an utterance. */
function heardAfter(utterance: string, answer: string) {
  return answerDraft(say(utterance, context()).draft as never, answer, context()).result;
}

describe('GAP-13 Midnight on days of the week', () => {
  it('can begin or end each of them', () => {
    for (const time of ['every Friday at midnight', 'at midnight on Fridays'])
      expect(offered(`run stock-take ${time}`).map(({ label }) => label)).toEqual([
        'every Friday at 00:00',
        'every Saturday at 00:00',
      ]);
    expect(asked('run stock-take on weekdays at midnight')).toBe('AMBIGUOUS_DATE');
    expect(heardAfter('run stock-take every Friday at midnight', '2')).toMatchObject({
      functionArgs: { schedule: { expression: '0 0 * * 6' } },
    });
  });

  it('is asked about beside another time of day, which stays on that day', () => {
    expect(offered('run stock-take on Fridays at noon and midnight').map(({ label }) => label)).toEqual([
      'every Friday at 12:00 and 00:00',
    ]);
  });

  it('is clear as a time in digits, and on every day', () => {
    expect(scheduled('run stock-take on Fridays at 00:00')).toBe('cron 0 0 * * 5 Europe/Berlin');
    expect(scheduled('run stock-take every night at midnight')).toBe('cron 0 0 * * * Europe/Berlin');
  });
});

describe('GAP-13 Hours that pass midnight on days of the week', () => {
  it.each([
    'run stock-take every 30 minutes from 10pm to 2am on Fridays',
    'run stock-take every hour between 10pm and midnight on Fridays',
    'change the dough timer to every 30 minutes from 10pm to 2am',
  ])('are asked about: %s', (utterance) => {
    expect(asked(utterance)).toBe('UNSUPPORTED_RECURRENCE');
  });

  it('can end at midnight, or be on the same days', () => {
    const time = 'run stock-take every hour from 10pm to 2am on Fridays';
    const chosen = (expression: string) => ({ functionArgs: { schedule: { expression } } });
    expect(heardAfter(time, '1')).toMatchObject(chosen('0 22-23 * * 5'));
    expect(heardAfter(time, '2')).toMatchObject(chosen('0 0,1,2,22,23 * * 5'));
  });

  it('are clear on every day, and until midnight', () => {
    expect(scheduled('run stock-take every hour from 10pm to 2am')).toBe('cron 0 0,1,2,22,23 * * * Europe/Berlin');
    expect(scheduled('run stock-take every 30 minutes from 6pm to midnight on Fridays')).toBe(
      'cron */30 18-23 * * 5 Europe/Berlin',
    );
  });
});

describe('GAP-13 Days that some months do not have', () => {
  it.each([
    ['run stock-take on the 31st of every month at 9am', 'cron 0 9 31 * * Europe/Berlin'],
    ['run stock-take every February 29 at 9am', 'cron 0 9 29 2 * Europe/Berlin'],
    ['run stock-take on the 31st at 9am', 'once 2027-07-31T07:00:00Z'],
  ])('are left out: %s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
  });
});

describe('GAP-14 An answer', () => {
  it.each(['the ovens channel', 'in the ovens channel', 'ovens channel', '#ovens'])(
    'can name a channel in words: %s',
    (answer) => {
      expect(heardAfter('post hello in #nowhere every day at 9am', answer)).toMatchObject({
        functionArgs: { targetRef: { channelId: 'C20' } },
      });
    },
  );

  it('can correct the channel in words', () => {
    expect(heardAfter('post hello in #counter every day at 9am', 'no, the ovens channel')).toMatchObject({
      functionArgs: { targetRef: { channelId: 'C20' } },
    });
  });

  it.each([
    ['tomorrow', '2027-06-10T06:00:00Z'],
    ['on Friday', '2027-06-11T06:00:00Z'],
    ['at 5pm', '2027-06-09T15:00:00Z'],
    ['tomorrow at 5pm', '2027-06-10T15:00:00Z'],
  ])('keeps the time of day of a run in the past unless it names another: %s', (answer, runAt) => {
    expect(heardAfter('run stock-take today at 8am', answer)).toMatchObject({ functionArgs: { schedule: { runAt } } });
  });
});

describe('GAP-15 A job with a single run', () => {
  const launch: JsonObject = {
    jobs: [
      {
        jobId: 'job-20',
        name: 'launch post',
        state: 'enabled',
        schedule: { type: 'once', runAt: '2027-07-01T15:00:00Z' },
      },
    ],
  };

  it('keeps its time of day on another date', () => {
    expect(scheduled('postpone the launch post to July 8', launch)).toBe('once 2027-07-08T15:00:00Z');
    expect(scheduled('move the launch post to December 8', launch)).toBe('once 2027-12-08T16:00:00Z');
  });

  it('can be moved by an hour', () => {
    expect(scheduled('postpone the launch post by an hour', launch)).toBe('once 2027-07-01T16:00:00Z');
    expect(scheduled('move the launch post 2 hours earlier', launch)).toBe('once 2027-07-01T13:00:00Z');
  });
});
