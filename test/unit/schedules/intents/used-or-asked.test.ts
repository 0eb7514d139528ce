import { describe, expect, it } from 'vitest';
import { answerDraft, say } from '../../../../src/schedules/intents/conversation.js';
import { asked, context, interpret, offered, scheduled } from './support.js';

/** The result after answers to an utterance. */
function interpretWithAnswers(utterance: string, ...answers: string[]) {
  let reply = say(utterance, context());
  for (const answer of answers) reply = answerDraft(reply.draft as never, answer, context());
  return reply.result;
}

describe('GAP-13 A move from one day to another', () => {
  it.each([
    ['move the dough timer from Thursday to Sunday at 1pm', 'cron 0 13 * * 0-3,5,6 Europe/Berlin'],
    ['move the dough timer from Monday to 5am on Sunday', 'cron 0 5 * * 0,2-6 Europe/Berlin'],
    ['move the dough timer from Monday at 4:30am to Sunday at 5am', 'cron 0 5 * * 0,2-6 Europe/Berlin'],
    ['move the dough timer from Monday to Sunday at 5am UTC', 'cron 0 5 * * 0,2-6 UTC'],
  ])('keeps the days that it does not mention: %s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
  });

  it('keeps them after the answer about AM or PM, and after a correction of the time', () => {
    const move = (expression: string) => ({ functionArgs: { patch: { schedule: { expression } } } });
    expect(interpretWithAnswers('move the dough timer from Monday to Sunday at 5', '5:00 AM')).toMatchObject(
      move('0 5 * * 0,2-6'),
    );
    expect(interpretWithAnswers('move the dough timer from Monday to Sunday at 5am', 'no, 6am')).toMatchObject(
      move('0 6 * * 0,2-6'),
    );
  });

  it('is asked about if the job does not run on that day, or not at that time', () => {
    expect(asked('move the dough timer from Sunday to Monday at 5am')).toBe('MISSING_PATCH');
    expect(asked('move the dough timer from Monday at 9am to Sunday at 5am')).toBe('MISSING_PATCH');
  });
});

describe('GAP-13 A number of runs', () => {
  it.each(['five times, every hour', 'every hour, five times', '3 times every hour'])('is asked about: %s', (time) => {
    expect(asked(`run stock-take ${time}`)).toBe('UNSUPPORTED_RECURRENCE');
  });
});

describe('GAP-15 More phrasings', () => {
  it.each([
    ['can u run stock-take every day at 9am', 'cron 0 9 * * * Europe/Berlin'],
    ['cron 15 3 * * 0 for stock-take', 'cron 15 3 * * 0 Europe/Berlin'],
    ['the morning orders should use New York time', 'cron 15 6 * * 2 America/New_York'],
  ])('%s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
  });

  it.each([
    [
      'can you fire off the oven check one time now',
      { functionId: 'schedule.run_now', functionArgs: { jobId: 'job-10' } },
    ],
    [
      "if the oven check is missed, don't run it late",
      { functionArgs: { jobId: 'job-10', patch: { misfirePolicy: 'skip_missed' } } },
    ],
  ])('%s', (utterance, result) => {
    expect(interpret(utterance)).toMatchObject(result);
  });

  it('asks about a run on a holiday', () => {
    expect(asked('skip the morning orders on Thanksgiving')).toBe('UNSUPPORTED_RECURRENCE');
    expect(offered('skip the morning orders on Thanksgiving')).toHaveLength(1);
  });

  it.each([
    ['run stock-take every Friday at 9am', 'and Monday too', '0 9 * * 1,5'],
    ['run stock-take at 5 every Monday', '5pm then', '0 17 * * 1'],
    ['run stock-take every day', '9am but only on weekdays', '0 9 * * 1-5'],
  ])('%s: %s', (utterance, answer, expression) => {
    expect(interpretWithAnswers(utterance, answer)).toMatchObject({ functionArgs: { schedule: { expression } } });
  });
});

describe('GAP-15 A yes in several words', () => {
  it.each(['yep go ahead', 'ok, do it please', 'sure go ahead!'])('%s', (answer) => {
    expect(interpretWithAnswers('run stock-take every day at 9am until Christmas', answer)).toMatchObject({
      functionId: 'schedule.create',
    });
  });
});

describe('GAP-13 A person or group that a message is for', () => {
  it.each([
    'remind my boss to sign the forms every Friday at 9am',
    'remind the finance team to close the books every Friday at 4pm',
    'remind everyone in finance to close the books every Friday at 4pm',
    'remind dana: close the books every Friday at 4pm',
    'remind dana close the books every Friday at 4pm',
    'tell the finance team to close the books every Friday at 4pm',
    'send Dana the weekly numbers every Monday at 9am',
    'send my boss the weekly numbers every Monday at 9am',
    'send me the weekly numbers every Monday at 9am',
    'send the weekly numbers to Dana every Monday at 9am',
    'send a reminder to the finance team to close the books every Friday at 4pm',
  ])('is asked about: %s', (utterance) => {
    expect(asked(utterance)).toBe('UNKNOWN_CHANNEL');
    expect(offered(utterance).map(({ label }) => label)).toEqual(['here', '#counter', '#ovens']);
  });

  it('is named in the text after the answer', () => {
    const reminder = interpretWithAnswers('remind my boss to sign the forms every Friday at 9am', '#ovens');
    expect(reminder).toMatchObject({
      functionArgs: {
        targetAction: { inputs: { text: 'my boss: sign the forms' } },
        targetRef: { channelId: 'C20' },
      },
    });
    expect(interpretWithAnswers('send the numbers to Dana every Friday at 9am', 'here')).toMatchObject({
      functionArgs: { targetAction: { inputs: { text: 'Dana: the numbers' } }, targetRef: { channelId: 'C900' } },
    });
  });

  it.each([
    ['remind the ovens team to rotate the trays every Monday at 9am', 'C20', 'rotate the trays'],
    ['tell the counter crew to rotate the trays every Monday at 9am', 'C10', 'rotate the trays'],
    ['post to the ovens team rotate the trays every Monday at 9am', 'C20', 'rotate the trays'],
    ['send the ovens team the numbers every Monday at 9am', 'C20', 'the numbers'],
    ['send Dana the numbers in #ovens every Monday at 9am', 'C20', 'Dana: the numbers'],
    ['send us the numbers every Monday at 9am', 'C900', 'the numbers'],
    ['send the report and the numbers every Monday at 9am', 'C900', 'the report and the numbers'],
  ])('is the channel of that name, or those here: %s', (utterance, channelId, text) => {
    expect(interpret(utterance)).toMatchObject({
      functionArgs: { targetAction: { inputs: { text } }, targetRef: { channelId } },
    });
  });
});

it('GAP-13 two channels for one message are asked about', () => {
  expect(asked('send the ovens team the numbers in #counter every Monday at 9am')).toBe('MULTIPLE_TARGETS');
});

describe('GAP-13 A condition of a list', () => {
  it.each([
    'what jobs do we have running on Fridays?',
    'which enabled jobs post to #counter?',
    'list the jobs that run on Fridays',
    'which jobs run tomorrow?',
    "what's running tomorrow?",
    'anything scheduled for the weekend?',
    'list only the oven jobs',
    'list jobs in #counter',
    'show me jobs created by dana',
    'any failed jobs?',
    'which jobs are not paused?',
    'list paused and enabled jobs',
  ])('is asked about unless it is a state: %s', (utterance) => {
    expect(interpret(utterance)).toMatchObject({ clarify: { code: 'AMBIGUOUS_JOB', field: 'state' } });
    expect(offered(utterance).at(-1)).toEqual({ label: 'all jobs', value: 'all' });
  });

  it('is answered with a state, or with all jobs', () => {
    const list = { functionId: 'schedule.list' };
    expect(interpretWithAnswers('list jobs in #counter', 'all enabled jobs')).toMatchObject({
      ...list,
      functionArgs: { state: 'enabled' },
    });
    expect(interpretWithAnswers('list jobs in #counter', 'all jobs')).toEqual({
      ...list,
      functionArgs: { orchestratorId: 'bakery' },
    });
  });
});

describe('GAP-13 The history of a job', () => {
  it.each([
    'show me the history of the oven check',
    'list the runs of the oven check',
    "show the oven check's history",
    'past runs of the oven check',
  ])('lists its runs: %s', (utterance) => {
    expect(interpret(utterance)).toEqual({ functionId: 'schedule.runs', functionArgs: { jobId: 'job-10' } });
  });
});

const questionOf = (utterance: string) => {
  const result = interpret(utterance);
  return 'clarify' in result ? result.clarify.question : JSON.stringify(result);
};

describe('GAP-13 Words about time at the end of an unquoted text', () => {
  it.each([
    ['every leap day at 9am', '"every leap day"'],
    ['every 1st, 2nd and last Tuesday at 9am', '"every 1st, 2nd and last"'],
    ['on bank holidays at 9am', '"on bank holidays"'],
    ['only on odd days at 9am', '"on odd days"'],
    ['in the first week of the month every Monday at 9am', '"in the first week of the month"'],
    ['during school holidays every Monday at 9am', '"during school holidays"'],
    ['once at 6pm and then every day at 7am', '"once at 6pm and then"'],
    ['five minutes before every hour', '"five minutes before"'],
    ['a week before Christmas at 9am', '"a week before"'],
    ['30 minutes before the oven check', '"30 minutes before the oven check"'],
    ['before 5pm on Fridays', '"before"'],
    ['fortnightly on a Wednesday, noon', '"on a"'],
    ['5 times, once an hour, starting at noon', 'no end of its own'],
    ['twice every morning at 9am and 11am', '"twice"'],
  ])('is asked about: %s', (time, words) => {
    expect(questionOf(`post hello ${time}`)).toContain(words);
    expect(questionOf(`remind #counter to say hello ${time}`)).toContain(words);
  });

  it.each([
    ['post every oven counts every Monday at 9am', 'every oven counts', '0 9 * * 1'],
    ['post happy Friday every Friday at 9am', 'happy Friday', '0 9 * * 5'],
    ['post see you on Monday every Friday at 5pm', 'see you on Monday', '0 17 * * 5'],
    ['remind #counter to check each oven every Friday at 4pm', 'check each oven', '0 16 * * 5'],
    ['post "every leap day" every Friday at 4pm', 'every leap day', '0 16 * * 5'],
  ])('is text if it is not about time, or quoted: %s', (utterance, text, expression) => {
    expect(interpret(utterance)).toMatchObject({
      functionArgs: { schedule: { expression }, targetAction: { inputs: { text } } },
    });
  });

  it.each([
    ['at 9am post hello on bank holidays', '"on bank holidays"'],
    ['at 9am post hello every leap day', '"every leap day"'],
    ['post that rent is due on the first and the fifteenth at 9am', '"on the first and the fifteenth"'],
  ])('is asked about on either side of the time: %s', (utterance, words) => {
    expect(questionOf(utterance)).toContain(words);
  });

  it('midnight of an eve is asked about', () => {
    expect(offered("at midnight on New Year's Eve post hello").map(({ label }) => label)).toEqual([
      'Fri 2027-12-31 00:00',
      'Sat 2028-01-01 00:00',
    ]);
    expect(scheduled('run stock-take on December 31 at midnight')).toBe('once 2027-12-30T23:00:00Z');
  });

  it('"is here" is not a place', () => {
    expect(interpret('post the weekend is here every Friday at 5pm')).toMatchObject({
      functionArgs: { targetAction: { inputs: { text: 'the weekend is here' } } },
    });
  });

  it('"once" before the time of a single run is not text', () => {
    expect(interpret('post hello once tomorrow at 9am')).toMatchObject({
      functionArgs: { scheduleType: 'once', targetAction: { inputs: { text: 'hello' } } },
    });
  });
});

describe('GAP-15 A question instead of a refusal', () => {
  it.each([
    ['tomorrow night at half eleven post hello', '"at half eleven"'],
    ["each quarter's first Monday at 11am post hello", "each quarter's first Monday"],
    ['post hello this evening', 'At what time should it run'],
    ['post hello in the morning', 'When should it run?'],
    ['what will happen on Friday?', 'A list of jobs'],
    ['skip the next two runs of the oven check', 'cannot be skipped'],
  ])('%s', (utterance, words) => {
    expect(questionOf(utterance)).toContain(words);
  });

  it('halves before the unit are understood', () => {
    expect(scheduled('run stock-take every two and a half hours')).toBe('every 9000');
    expect(interpret('in two and a half hours run stock-take')).toMatchObject({
      functionArgs: { scheduleType: 'once' },
    });
  });
});
