import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { readCadence } from '../../../../src/schedules/cadence/cadence-json.js';
import { enumerate } from '../../../../src/schedules/cadence/occurrences.js';
import { scheduleOf } from '../../../../src/schedules/intents/conversation.js';
import { asked, context, interpret, offered, scheduled } from './support.js';

const question = (utterance: string): string => {
  const result = interpret(utterance);
  return 'clarify' in result ? result.clarify.question : JSON.stringify(result);
};

describe('GAP-13 Every word about time', () => {
  it.each([
    ['every hour from 9:30am to 5pm', 'cron 30 9-16 * * * Europe/Berlin'],
    ['every 15 minutes from 9:10am to 5pm', 'cron 10,25,40,55 9-16 * * * Europe/Berlin'],
    ['every 2 hours from 9am to 5pm', 'cron 0 9,11,13,15,17 * * * Europe/Berlin'],
    ['every 5 hours between 8am and 6pm', 'cron 0 8,13,18 * * * Europe/Berlin'],
    ['every 10 minutes from 10pm to 6am', 'cron */10 0,1,2,3,4,5,22,23 * * * Europe/Berlin'],
    ['every hour at :15 between 9:30am and 5pm', 'cron 15 10-16 * * * Europe/Berlin'],
    ['every hour at 10 past and 40 past', 'cron 10,40 * * * * Europe/Berlin'],
    ['hourly between 8am and 6pm except on weekends', 'cron 0 8-18 * * 1-5 Europe/Berlin'],
    ['every hour in December', 'cron 0 * * 12 * Europe/Berlin'],
    ['twice an hour', 'every 1800'],
    ['every Friday at 9am sharp', 'cron 0 9 * * 5 Europe/Berlin'],
  ])('is used: %s', (time, schedule) => {
    expect(scheduled(`run stock-take ${time}`)).toBe(schedule);
  });

  it.each([
    ['every 2 hours on weekdays starting at 9am', 'from 09:00 to midnight'],
    ['every 15 minutes on weekdays at 9am', 'from 09:00 to midnight'],
    ['every 15 minutes from 9am to 5:30pm', 'same minutes of every hour'],
    ['every hour between 9am and 5pm starting next Monday', 'Which Monday'],
    ['every hour between 9am and 5pm starting on Monday', 'starts immediately'],
    ['every 45 minutes during the night', '"at night"'],
    ['every quarter on Monday at 9am', '"every quarter"'],
    ['every day between 9am and 5pm', '"from 09:00 to 17:00"'],
    ['four times a year at 9am', '"4 times a year"'],
    ['tomorrow at 9am starting Monday', 'a start of its own'],
    ['tomorrow at 9am until Friday', 'an end of its own'],
    ['every day at 2027-07-05T14:00:00Z', 'a recurrence'],
    ['every morning at 5pm', '5:00 AM or 5:00 PM'],
    ['on Monday December 25 at 9am', 'is a Saturday, not a Monday'],
    ['Saturday the 22nd at 7pm', 'not a Saturday'],
    ['every hour at 25:00', '"at 25:00"'],
    ['every Friday at 9am unless it rains', '"unless it rains"'],
    ['every Friday at 9am if the oven is hot', '"if the oven is hot"'],
    ['every Friday at 9am with high priority', '"with high priority"'],
    ['quickly every Friday at 9am', '"quickly"'],
    ['every Monday or Tuesday at 9am', '"every Monday or"'],
    ['before 9am every day', '"before"'],
    ['biweekly', '"biweekly"'],
    ['every day at 9am, not 10am', 'not'],
    ['from Monday at 9am', 'How often'],
    ['weekdays 5-7', '"5-7"'],
    ['every day at 9am but only once', '"but only once"'],
    ['bimonthly on the 1st at 9am', '"bimonthly"'],
    ['every day at 9am except the 1st of the month', 'Exceptions for single days'],
  ])('is asked about: %s', (time, words) => {
    expect(question(`run stock-take ${time}`)).toContain(words);
  });

  it.each([
    'post hello in #counter every Friday at 9am unless it is a holiday',
    'post hello in #counter every Friday unless it is a holiday at 9am',
    'post hello unless it is a holiday in #counter every Friday at 9am',
    'remind #counter to rest every Friday at 9am unless it is a holiday',
  ])('does not become text, nor is it dropped: %s', (utterance) => {
    expect(question(utterance)).toContain('"unless it is a holiday"');
    expect(offered(utterance).map(({ label }) => label)).toEqual(['every Friday at 09:00, without that']);
  });

  it('is not repeated if it looks like a path or markup', () => {
    for (const tail of ['if ../../key exists', 'unless <b>x</b>'])
      expect(question(`run stock-take every Friday at 9am ${tail}`)).not.toMatch(/\.\.\/|</);
  });

  const actions = ['run stock-take', 'run order-flour with shelf=2', 'post hello in #counter', 'remind #ovens to rest'];
  const times = [
    'every Friday at 9am',
    'every weekday at 8:30am',
    'every 2 hours on weekdays',
    'on the 1st and 15th of each month at noon',
    'every 10 minutes between 9am and 5pm',
    'tomorrow at 3pm',
    'on December 24 at 6pm',
    'every day in December at 9am',
    'weekly on Tuesday at 7am in Berlin',
  ];
  const extra = ['unless', 'quickly', 'twice', 'before', 'hardly', 'without', 'overmorrow', 'sometimes', '42', 'not'];

  it('cannot be added to a request without being used or asked about', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...actions),
        fc.constantFrom(...times),
        fc.constantFrom(...extra),
        fc.nat(),
        (action, time, word, at) => {
          const plain = `${action} ${time}`;
          const words = time.split(' ');
          words.splice(at % (words.length + 1), 0, word);
          const more = interpret(`${action} ${words.join(' ')}`);
          if ('functionId' in more) expect(JSON.stringify(more)).not.toBe(JSON.stringify(interpret(plain)));
          if ('functionId' in more && !JSON.stringify(more).includes(word))
            // The word was used for the schedule, which is therefore different.
            expect(scheduleOf(more.functionArgs)).not.toEqual(
              scheduleOf((interpret(plain) as typeof more).functionArgs),
            );
        },
      ),
      { numRuns: 2000 },
    );
  });

  /** An independent interpretation: each part, with the property of every occurrence. */
  type Part = [string, (at: DateTime) => boolean];
  const steps: Part[] = [
    ['every hour', () => true],
    ['every 2 hours', () => true],
    ['every 15 minutes', () => true],
    ['every 20 minutes', () => true],
  ];
  const minuteOfDay = (at: DateTime) => at.hour * 60 + at.minute;
  const windows: Part[] = [
    ['', () => true],
    ['from 9:30am to 5pm', (at) => minuteOfDay(at) >= 570 && minuteOfDay(at) <= 1020],
    ['between 9:10am and 5pm', (at) => minuteOfDay(at) >= 550 && minuteOfDay(at) <= 1020],
    ['between 9am and 5:30pm', (at) => minuteOfDay(at) >= 540 && minuteOfDay(at) <= 1050],
    ['starting at 9am', () => true],
  ];
  const days: Part[] = [
    ['', () => true],
    ['on weekdays', (at) => at.weekday <= 5],
    ['on Mondays and Thursdays', (at) => at.weekday === 1 || at.weekday === 4],
    ['except on Fridays', (at) => at.weekday !== 5],
    ['on the 1st of every month', (at) => at.day === 1],
  ];
  const months: Part[] = [
    ['', () => true],
    ['in July and August', (at) => at.month === 7 || at.month === 8],
    ['except in August', (at) => at.month !== 8],
  ];

  it('holds for every occurrence of the schedule', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...steps),
        fc.constantFrom(...windows),
        fc.constantFrom(...days),
        fc.constantFrom(...months),
        (...parts) => {
          const utterance = `run stock-take ${parts
            .map(([words]) => words)
            .filter(Boolean)
            .join(' ')}`;
          const result = interpret(utterance);
          expect('none' in result).toBe(false);
          if (!('functionId' in result)) return;
          const { cadence } = readCadence(scheduleOf(result.functionArgs), { now: context().now });
          for (const instant of enumerate(cadence!, context().now, { count: 60 })) {
            const at = DateTime.fromMillis(instant, { zone: 'Europe/Berlin' });
            for (const [words, holds] of parts)
              expect([words, at.toISO(), holds(at)]).toEqual([words, at.toISO(), true]);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('GAP-15 Reasonable requests', () => {
  it.each([
    ['weekdays at noon except Friday', 'cron 0 12 * * 1-4 Europe/Berlin'],
    ['every day at 9am, not on weekends', 'cron 0 9 * * 1-5 Europe/Berlin'],
    ['every weekday at 9am but not in August', 'cron 0 9 * 1-7,9-12 1-5 Europe/Berlin'],
    ['every quarter at 9am on the 1st', 'cron 0 9 1 1,4,7,10 * Europe/Berlin'],
    ['every week at 9am on Monday', 'cron 0 9 * * 1 Europe/Berlin'],
    ['every year at 9am on March 31', 'cron 0 9 31 3 * Europe/Berlin'],
    ['M/W/F at 7am', 'cron 0 7 * * 1,3,5 Europe/Berlin'],
    ['Tu/Th at 7am', 'cron 0 7 * * 2,4 Europe/Berlin'],
    ['every monday in december at 9am', 'cron 0 9 * 12 1 Europe/Berlin'],
    ['every weekday at 9am in January', 'cron 0 9 * 1 1-5 Europe/Berlin'],
    ['every day at 9am but only in December', 'cron 0 9 * 12 * Europe/Berlin'],
    ['every day from June to August at 9am', 'cron 0 9 * 6-8 * Europe/Berlin'],
    ['Mondays at 9 am, 12 pm and 3 pm', 'cron 0 9,12,15 * * 1 Europe/Berlin'],
    ['every day at 9am Hawaii time', 'cron 0 9 * * * Pacific/Honolulu'],
    ['every day at 9am in Hawaii', 'cron 0 9 * * * Pacific/Honolulu'],
    ['every day at 9am Ohio time', 'cron 0 9 * * * America/New_York'],
    ['all the days at the 20:00', 'cron 0 20 * * * Europe/Berlin'],
  ])('run stock-take %s', (time, schedule) => {
    expect(scheduled(`run stock-take ${time}`)).toBe(schedule);
  });

  it.each([
    'stock-take, daily, 18:15',
    'I would like that the stock-take starts every day at 18:15',
    'could you maybe run the stock-take workflow daily at 18:15, if that is not too much trouble?',
    'uh, so, like, could we, you know, run stock-take every day at 18:15? cheers',
  ])('%s', (utterance) => {
    expect(scheduled(utterance)).toBe('cron 15 18 * * * Europe/Berlin');
  });

  it.each([
    'what have i got scheduled',
    "what's scheduled for this orchestrator?",
    'when do my jobs run',
    'do I have jobs',
    "what's next?",
  ])('%s', (utterance) => {
    expect(interpret(utterance)).toMatchObject({ functionId: 'schedule.list' });
  });

  it.each([
    ['the morning orders should also run on Saturday', '15 6 * * 2,6'],
    ['also run the morning orders on Saturdays', '15 6 * * 2,6'],
    ['the morning orders should run at 9am and 2pm', '0 9,14 * * 2'],
    ['move the dough timer from Monday to Sunday', '30 4 * * 0,2-6'],
    ['stop the dough timer on Fridays', '30 4 * * 1-4,6'],
  ])('%s', (utterance, expression) => {
    expect(interpret(utterance)).toMatchObject({ functionArgs: { patch: { schedule: { expression } } } });
  });

  it.each([
    ['weekly: the dough timer', 'none'],
    ['dough timer: pause', 'schedule.pause'],
    ['the oven check off', 'schedule.pause'],
    ['puase the dough timer', 'schedule.pause'],
    ['get the oven check going again', 'schedule.resume'],
    ["when's the next morning orders?", 'schedule.show'],
    ['when was the last oven check?', 'schedule.show'],
    ['never run the oven check again', 'schedule.pause'],
  ])('%s', (utterance, functionId) => {
    const result = interpret(utterance);
    expect('functionId' in result ? result.functionId : 'none').toBe(functionId);
  });

  it.each([
    'we run stock-take every Monday at 9am',
    'stock-take was great on Monday at 9am',
    'I already ran stock-take on Tuesday at 5pm',
    'who runs stock-take on Fridays at 9am?',
    'is stock-take scheduled for Friday at 9am?',
  ])('ignores statements and questions: %s', (utterance) => {
    expect(interpret(utterance)).toEqual({ none: true, reason: 'NO_SCHEDULE_INTENT' });
  });

  it.each([
    'remind me to drink water every day at 9am',
    'remind @dana to drink water every day at 9am',
    'remind dana to drink water every day at 9am',
    'tell @dana hi every day at 9am',
    'remind John and Mary to drink water every day at 9am',
    'post hello to @dana every day at 9am',
    'set a reminder for me to drink water every day at 9am',
    'set me a reminder to drink water every day at 9am',
  ])('asks before a message for one person goes to a channel: %s', (utterance) => {
    expect(asked(utterance)).toBe('UNKNOWN_CHANNEL');
    expect(offered(utterance).map(({ label }) => label)).toEqual(['here', '#counter', '#ovens']);
  });

  it.each([
    ['post hello in every channel every day at 9am', 'MULTIPLE_TARGETS'],
    ['run stock-take shelf=2 every day', 'MISSING_TIME'],
  ])('%s is asked about', (utterance, code) => {
    expect(asked(utterance)).toBe(code);
  });

  it('posts a reminder for me to a direct conversation without a question', () => {
    const result = interpret('remind me to drink water every day at 9am', { conversation: { channelId: 'D42' } });
    expect(result).toMatchObject({ functionArgs: { targetRef: { channelId: 'D42' } } });
  });
});
