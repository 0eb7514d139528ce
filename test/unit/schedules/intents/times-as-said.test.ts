import { describe, expect, it } from 'vitest';
import { asked, interpret, offered, scheduled } from './support.js';

const post = (text: string) => ({ functionArgs: { targetAction: { inputs: { text } } } });

describe('GAP-13 A recurring run with one time', () => {
  it.each(['set a recurring stock-take at 1am', 'schedule a repeating stock-take for 3pm'])(
    'is not a single run: %s',
    (utterance) => {
      expect(interpret(utterance)).toMatchObject({ clarify: { question: 'How often should it run?' } });
    },
  );

  it('is one with a recurrence', () => {
    expect(scheduled('schedule a recurring stock-take every day at 1am')).toBe('cron 0 1 * * * Europe/Berlin');
  });
});

describe('GAP-13 A night and an hour after midnight', () => {
  it('can mean either of two days', () => {
    expect(offered('run stock-take Friday night at 1').map(({ value }) => value)).toEqual([
      '2027-06-10T23:00:00Z',
      '2027-06-11T23:00:00Z',
    ]);
    expect(offered('run stock-take on Friday nights at 1am').map(({ label }) => label)).toEqual([
      'every Friday at 01:00',
      'every Saturday at 01:00',
    ]);
    expect(asked('run stock-take every Sunday night at midnight')).toBe('AMBIGUOUS_DATE');
  });

  it('is clear tonight, before midnight, and without a weekday', () => {
    expect(scheduled('run stock-take tonight at 1')).toBe('once 2027-06-09T23:00:00Z');
    expect(scheduled('run stock-take tonight at midnight')).toBe('once 2027-06-09T22:00:00Z');
    expect(scheduled('run stock-take on Friday nights at 11')).toBe('cron 0 23 * * 5 Europe/Berlin');
    expect(scheduled('run stock-take every night at 3')).toBe('cron 0 3 * * * Europe/Berlin');
  });
});

describe('GAP-13 School days', () => {
  it('are asked about: they are not all weekdays', () => {
    expect(asked('run stock-take at 4:20pm on school days')).toBe('MISSING_TIME');
  });
});

describe('GAP-13 A text after a complete time', () => {
  it.each([
    [
      'post in #counter at 8:45am on weekdays: standup in 15 minutes',
      'cron 45 8 * * 1-5 Europe/Berlin',
      'standup in 15 minutes',
    ],
    ['post in #counter at noon: meeting at 3pm tomorrow', 'once 2027-06-09T10:00:00Z', 'meeting at 3pm tomorrow'],
    ['announce in #counter on Dec 24 at 9am that we close at noon', 'once 2027-12-24T08:00:00Z', 'we close at noon'],
    ['remind #counter about the 4pm tasting at 3:50pm', 'once 2027-06-09T13:50:00Z', 'the 4pm tasting'],
  ])('keeps its own times: %s', (utterance, schedule, text) => {
    expect(scheduled(utterance)).toBe(schedule);
    expect(interpret(utterance)).toMatchObject(post(text));
  });

  it('does not include a second place with its own time', () => {
    expect(asked('post bread in #counter daily at 9am, cake in #ovens daily at 10am')).toBe('MULTIPLE_TARGETS');
  });

  it('is not "10 minutes before the tasting"', () => {
    expect(asked('remind #counter 10 minutes before the tasting at 3pm')).toBe('MISSING_TIME');
  });
});

describe('GAP-15 More phrasings of a time', () => {
  it.each([
    ['run stock-take at 12 noon sharp, weekdays', 'cron 0 12 * * 1-5 Europe/Berlin'],
    ['run stock-take daily at 1700h', 'cron 0 17 * * * Europe/Berlin'],
    ['run stock-take every day at 12:30 pm eastern', 'cron 30 12 * * * America/New_York'],
    ['run stock-take at noon on the 1st of Jan, Apr, Jul and Oct', 'cron 0 12 1 1,4,7,10 * Europe/Berlin'],
    ['let #counter know every Monday at 9am that the sprint starts', 'cron 0 9 * * 1 Europe/Berlin'],
  ])('%s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
  });

  it('asks about a day that one of the months does not have', () => {
    expect(asked('run stock-take at noon on the 31st of January and April')).toBe('MISSING_TIME');
  });
});
