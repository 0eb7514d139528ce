import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/value.js';
import { answerDraft, say } from '../../../../src/schedules/intents/conversation.js';
import { asked, context, interpret, scheduled } from './support.js';

/** The result after an answer to an utterance. */
function heardAfter(utterance: string, answer: string) {
  return answerDraft(say(utterance, context()).draft as never, answer, context()).result;
}

describe('GAP-13 Midnight on days of the week', () => {
  it.each([
    ['run stock-take every Friday at midnight', 'cron 0 0 * * 5 Europe/Berlin'],
    ['run stock-take at midnight on Fridays', 'cron 0 0 * * 5 Europe/Berlin'],
    ['run stock-take on Fridays at 00:00', 'cron 0 0 * * 5 Europe/Berlin'],
    ['run stock-take on Fridays at noon and midnight', 'cron 0 0,12 * * 5 Europe/Berlin'],
    ['run stock-take every night at midnight', 'cron 0 0 * * * Europe/Berlin'],
  ])('begins each of them: %s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
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

describe('GAP-13 A deadline', () => {
  it.each([
    'run stock-take by 5pm every Friday',
    'run stock-take tomorrow by noon',
    'remind #counter every Friday to log hours by 5pm',
  ])('is not a start time, and is asked about: %s', (utterance) => {
    expect(asked(utterance)).toBe('MISSING_TIME');
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

describe('GAP-15 A time between a recipient and the text', () => {
  it.each([
    ['message the ovens channel every Sunday at 6pm with clean the trays', 'C20', 'clean the trays'],
    ['tell the ovens crew every Monday at 9am to clean the trays', 'C20', 'clean the trays'],
    ['notify the ovens channel at 5pm every day that we close soon', 'C20', 'we close soon'],
    ['ping the counter team every Friday at 3pm about invoices', 'C10', 'invoices'],
  ])('%s', (utterance, channelId, text) => {
    expect(interpret(utterance)).toMatchObject({
      functionArgs: { targetAction: { inputs: { text } }, targetRef: { channelId } },
    });
  });

  it.each(['dm Bob every Friday at 5pm with timesheet please', 'nudge dana on Fridays at 3pm to send the report'])(
    'is asked about if the recipient is a person: %s',
    (utterance) => {
      expect(asked(utterance)).toBe('UNKNOWN_CHANNEL');
    },
  );
});

describe('GAP-15 A remark before a command', () => {
  it.each([
    ["we don't need the oven check anymore, delete it", 'schedule.delete'],
    ['nobody needs the oven check so delete it', 'schedule.delete'],
    ['the oven check is annoying, please pause it', 'schedule.pause'],
    ['the oven check is down. run it now', 'schedule.run_now'],
  ])('names the job: %s', (utterance, functionId) => {
    expect(interpret(utterance)).toEqual({ functionId, functionArgs: { jobId: 'job-10' } });
  });

  it('can come before a change', () => {
    expect(scheduled('the oven check is too chatty, set it to every 2 hours')).toBe('every 7200');
    expect(scheduled('the dough timer is too early, make it 5:30am')).toBe('cron 30 5 * * 1-6 Europe/Berlin');
  });

  it.each([
    'if the oven check fails, pause it',
    'after the oven check, delete it',
    'the oven check and the dough timer are noisy, pause it',
    "don't delete the oven check, just pause it",
    'the oven check is so slow',
  ])('is not a condition, and does not name two jobs: %s', (utterance) => {
    expect(interpret(utterance)).toHaveProperty('clarify');
  });

  it('keeps the question about a limited time', () => {
    expect(asked('the oven check looks wrong, pause it until Monday')).toBe('UNSUPPORTED_RECURRENCE');
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

describe('GAP-14 An answer with a workflow and a time', () => {
  it.each([
    ['run payroll every day at 9am', 'stock-take, at 10am', '0 10 * * *'],
    ['run payroll every day at 9am', 'run stock-take at 10am', '0 10 * * *'],
    ['run payroll on Fridays at 9am', 'stock-take on Mondays', '0 9 * * 1'],
    ['every Friday at 9am', 'stock-take at 10am', '0 10 * * 5'],
    ['run order-flour every day at 5', 'stock-take at 5pm', '0 17 * * *'],
    ['run order-flour every Tuesday at 9am', 'no, stock-take at 10am', '0 10 * * 2'],
  ])('keeps everything else: %s, %s', (utterance, answer, expression) => {
    expect(heardAfter(utterance, answer)).toMatchObject({
      functionArgs: { schedule: { expression }, targetAction: { workflowId: 'stock-take' } },
    });
  });

  it('keeps the inputs and the channel', () => {
    expect(heardAfter('run payroll with name=Ada in #ovens every day at 9am', 'stock-take at 10am')).toMatchObject({
      functionArgs: { targetAction: { inputs: { name: 'Ada' } }, targetRef: { channelId: 'C20' } },
    });
  });

  it('is another request if it is a command and nothing is open', () => {
    expect(heardAfter('run order-flour every Tuesday at 9am', 'run stock-take at 10am')).toEqual(
      interpret('run stock-take at 10am'),
    );
  });

  it('is asked about if it adds a workflow', () => {
    expect(heardAfter('run order-flour every Tuesday at 9am', 'and stock-take at 10am')).toMatchObject({
      clarify: { code: 'MULTIPLE_TARGETS' },
    });
  });
});

describe('GAP-14 A correction that adds something', () => {
  it('adds days: they are not replaced', () => {
    for (const answer of ['Tuesday too', 'and Tuesday', 'Tuesday as well'])
      expect(heardAfter('run stock-take every Monday at 9am', answer)).toMatchObject({
        functionArgs: { schedule: { expression: '0 9 * * 1,2' } },
      });
  });

  it.each([
    ['run stock-take every day at 9am', 'and night-shift too'],
    ['post hello in #counter every day at 9am', 'and #ovens'],
    ['pause the oven check', 'and the dough timer'],
  ])('is asked about where a job has only one: %s, %s', (utterance, answer) => {
    expect(heardAfter(utterance, answer)).toMatchObject({ clarify: { code: 'MULTIPLE_TARGETS' } });
  });

  it('is not made the only change', () => {
    const result = heardAfter('move the morning orders to 7am', 'and the dough timer');
    expect(result).toEqual({ none: true, reason: 'NO_SCHEDULE_INTENT' });
  });
});

describe('GAP-14 A correction of the time', () => {
  it('of a delay is another delay', () => {
    expect(heardAfter('run stock-take in 20 minutes', '30 minutes')).toMatchObject({
      functionArgs: { schedule: { runAt: '2027-06-09T09:30:00Z' } },
    });
  });

  it.each([
    ['the 15th', '0 9 15 * *'],
    ['and the 15th', '0 9 1,15 * *'],
    ['the 15th too', '0 9 1,15 * *'],
  ])('of a day of every month is about every month: %s', (answer, expression) => {
    expect(heardAfter('run stock-take on the 1st of every month at 9am', answer)).toMatchObject({
      functionArgs: { schedule: { expression } },
    });
  });

  it('that adds a day of the year is asked about', () => {
    expect(heardAfter('run stock-take every January 1 at 9am', 'and July 1')).toMatchObject({
      clarify: { code: 'UNSUPPORTED_RECURRENCE' },
    });
  });

  it.each([
    ['run stock-take at 9am', '0 9 * * 1'],
    ['run stock-take on Tuesdays', '0 8 * * 2'],
    ['run stock-take', '0 8 * * 1'],
  ])('can come with the action: %s', (answer, expression) => {
    expect(heardAfter('every Monday at 8am', answer)).toMatchObject({ functionArgs: { schedule: { expression } } });
  });
});

it('GAP-14 a quoted answer is the text of a post', () => {
  expect(heardAfter('post in #counter every Monday at 10am', '"run stock-take"')).toMatchObject({
    functionArgs: { targetAction: { workflowId: 'post-message', inputs: { text: 'run stock-take' } } },
  });
});

describe('GAP-14 An answer to a question about the day or the half of the day', () => {
  it('can be the number of the day', () => {
    expect(heardAfter('run stock-take next Friday at 9am', '18')).toMatchObject({
      functionArgs: { schedule: { runAt: '2027-06-18T07:00:00Z' } },
    });
    expect(heardAfter('run stock-take next Friday at 9am', '20')).toMatchObject({
      clarify: { code: 'AMBIGUOUS_DATE' },
    });
  });

  it.each([
    ['run stock-take next week at 9am', 'Thursday', '2027-06-17T07:00:00Z'],
    ['run stock-take next month at 9am', 'the 20th', '2027-07-20T07:00:00Z'],
    ['run stock-take next month at 9am', '20', '2027-07-20T07:00:00Z'],
  ])('is a day of the week or month that was said: %s, %s', (utterance, answer, runAt) => {
    expect(heardAfter(utterance, answer)).toMatchObject({ functionArgs: { schedule: { runAt } } });
  });

  it('keeps the day if it only names another time', () => {
    expect(heardAfter('run stock-take next Friday at 9am', '10am')).toMatchObject({
      clarify: {
        code: 'AMBIGUOUS_DATE',
        options: [{ label: 'Fri 2027-06-11 10:00' }, { label: 'Fri 2027-06-18 10:00' }],
      },
    });
  });

  it('keeps the time if it only names days', () => {
    expect(heardAfter('run stock-take every day at 5', 'on Mondays')).toMatchObject({
      clarify: {
        code: 'AMBIGUOUS_MERIDIEM',
        options: [{ value: { expression: '0 5 * * 1' } }, { value: { expression: '0 17 * * 1' } }],
      },
    });
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

describe('GAP-15 More everyday words', () => {
  it.each([
    ['yo run stock-take every Monday at 1pm', 'cron 0 13 * * 1 Europe/Berlin'],
    ['good morning, run stock-take daily at 5pm', 'cron 0 17 * * * Europe/Berlin'],
    ['run stock-take in a fortnight at 9am', 'once 2027-06-23T07:00:00Z'],
    ['run stock-take a fortnight from today at 9am', 'once 2027-06-23T07:00:00Z'],
    ['run stock-take in a couple of hours', 'once 2027-06-09T11:00:00Z'],
    ['run stock-take every couple of hours', 'every 7200'],
    ['change the dough timer to run only on Tuesdays', 'cron 30 4 * * 2 Europe/Berlin'],
  ])('%s', (utterance, schedule) => {
    expect(scheduled(utterance)).toBe(schedule);
  });

  it.each([
    ['how did the last runs of the oven check go?', { functionId: 'schedule.runs' }],
    ['what happened with the oven check?', { functionId: 'schedule.runs' }],
    ['did the oven check fail?', { functionId: 'schedule.show' }],
    ["when's the oven check going out", { functionId: 'schedule.show' }],
    ['call the oven check "heat watch" from now on', { functionArgs: { patch: { name: 'heat watch' } } }],
    ['rename the oven check to heat watch from now on', { functionArgs: { patch: { name: 'heat watch' } } }],
    ['ping oven.list every 5 minutes', { functionArgs: { targetAction: { functionId: 'oven.list' } } }],
  ])('%s', (utterance, result) => {
    expect(interpret(utterance)).toMatchObject(result);
  });
});

describe('GAP-15 An unknown action', () => {
  it.each(['frobnicate the widgets every day at 9am', 'polish the counter on Mondays at 8am'])(
    'with a time is asked about: %s',
    (utterance) => {
      expect(asked(utterance)).toBe('UNKNOWN_WORKFLOW');
    },
  );

  it.each([
    'the oven crashed at 9am again',
    'breaks the build every Monday at 9am',
    'crashed the server at 9am',
    'love the smell every Monday at 9am',
    'write me a haiku about Mondays',
  ])('is not a statement or another request: %s', (utterance) => {
    expect(interpret(utterance)).toEqual({ none: true, reason: 'NO_SCHEDULE_INTENT' });
  });

  it('does not post a text that ends in "about"', () => {
    expect(asked('write a poem about every Friday at 9am')).toBe('MISSING_TIME');
  });
});

describe('GAP-15 A request', () => {
  it.each([
    ['dont run the dough timer on mondays', { functionArgs: { patch: { schedule: { expression: '30 4 * * 2-6' } } } }],
    [
      'every thursday 4pm in #ovens: timesheets due friday',
      {
        functionArgs: { targetAction: { inputs: { text: 'timesheets due friday' } }, targetRef: { channelId: 'C20' } },
      },
    ],
    ['stock-take should run every day at 9am', { functionArgs: { schedule: { expression: '0 9 * * *' } } }],
    ['stock-take must be run on the last day of each month at 6pm', { clarify: { code: 'UNSUPPORTED_RECURRENCE' } }],
    ['schedule looks good to me', { none: true }],
  ])('%s', (utterance, result) => {
    expect(interpret(utterance)).toMatchObject(result);
  });

  it.each([
    'post "hi" in #counter instead of #ovens every day at 9am',
    'remind #counter by Friday at 5pm to log hours',
    'remind #counter before Friday to log hours',
    'move the dough timer from 4:30am to 6am and from Friday to Monday',
    'move the dough timer by 6pm',
    'move the dough timer from 6pm',
    'move job-7 before 6pm',
    'move job-7 past 6pm',
    'move job-7 but not to 6pm',
    'change the text of the dough timer to knead now and move it to #ovens',
    'change the text of the dough timer to "knead" and time to 6am',
    'make the dough timer post twice',
    'delete the Tuesday dough timer',
    'pause the Friday dough timer',
    'post "hi" again in #counter every day at 9am',
    'run stock-take every day at 9am instead',
  ])('with a word that has no place in the call is asked about: %s', (utterance) => {
    expect(interpret(utterance)).toHaveProperty('clarify');
  });
});

describe('GAP-15 An answer about two things', () => {
  const daily = 'run stock-take every day at 9am';
  const posts = 'post hi in #counter every day at 9am';

  it.each([
    ['run stock-take every day at 5', 'pm, London time', { expression: '0 17 * * *', timezone: 'Europe/London' }],
    ['run stock-take every day at 5', 'pm, but only weekdays', { expression: '0 17 * * 1-5' }],
    ['run stock-take next Thursday at 9am', 'the 17th but at 10am', { runAt: '2027-06-17T08:00:00Z' }],
    ['post hi in #shop every Thursday at 2pm', '#ovens, and make it 2:30pm', { expression: '30 14 * * 4' }],
    [daily, 'at 10am and in UTC', { expression: '0 10 * * *', timezone: 'UTC' }],
    [daily, 'order-flour, but only on Mondays', { expression: '0 9 * * 1' }],
    [posts, 'in #ovens, on Mondays', { expression: '0 9 * * 1' }],
  ])('changes both: %s, %s', (utterance, answer, schedule) => {
    expect(heardAfter(utterance, answer)).toMatchObject({ functionArgs: { schedule } });
  });

  it.each([
    ['run stock-take every day at 5', 'pm and order-flour'],
    ['run stock-take every day at 5', 'pm and order-flour too'],
    ['run stock-take every day at 5', 'pm, by Friday'],
    ['run stock-take on Mondays', '9am and order-flour'],
    ['run stock-take on Mondays', '9am and Tuesdays'],
    ['run stock-take on Mondays', '9am this Monday'],
    ['run stock-take every day at 9am', 'am'],
    ['run stock-take every Monday at 9am', 'Tuesday too at 10am'],
    ['run stock-take every day at 9am', 'order-flour and night-shift'],
    ['run stock-take next Thursday at 9am', 'the 17th and the 18th'],
    ['move the dough timer to Thursdays', 'and Friday at 6pm'],
    ['move the dough timer an hour later', 'and Sundays'],
  ])('is not half understood: %s, %s', (utterance, answer) => {
    expect(heardAfter(utterance, answer)).not.toHaveProperty('functionId');
  });
});

describe('GAP-15 A correction that names the old value', () => {
  it.each([
    [
      'run order-flour every Tuesday at 9am',
      'wait, stock-take not order-flour',
      { targetAction: { workflowId: 'stock-take' } },
    ],
    ['run stock-take every day at 9am', 'utc not berlin', { schedule: { timezone: 'UTC' } }],
    ['run stock-take every day at 9am', '10am instead of 9am', { schedule: { expression: '0 10 * * *' } }],
    ['run stock-take every day at 9am', 'not 9am, 10am', { schedule: { expression: '0 10 * * *' } }],
    ['run stock-take every weekday at 9am', 'not on Fridays, 10am', { schedule: { expression: '0 10 * * 1-4' } }],
    ['run stock-take tomorrow at 6pm', 'every day i mean', { schedule: { expression: '0 18 * * *' } }],
  ])('%s, %s', (utterance, answer, functionArgs) => {
    expect(heardAfter(utterance, answer)).toMatchObject({ functionArgs });
  });

  it.each(['10am instead of 8am', 'not Friday, 10am', 'Saturdays not Sundays'])(
    'is not applied if the call has another: %s',
    (answer) => {
      expect(heardAfter('run stock-take every weekday at 9am', answer)).not.toHaveProperty('functionId');
    },
  );
});

describe('GAP-15 An addition', () => {
  it.each([
    ['run stock-take tomorrow at 9am', 'and Friday', 'UNSUPPORTED_RECURRENCE'],
    ['run stock-take tomorrow at 9am', 'and every Friday', 'UNSUPPORTED_RECURRENCE'],
    ['run stock-take in 20 minutes', 'and in 40 minutes', 'UNSUPPORTED_RECURRENCE'],
    ['move the morning orders to 6pm', 'and Thursday', 'MULTIPLE_TARGETS'],
  ])('to a single run or a change is asked about: %s, %s', (utterance, answer, code) => {
    expect(heardAfter(utterance, answer)).toMatchObject({ clarify: { code } });
  });

  it.each([
    ['move the morning orders to 6pm', 'Thursday too', '0 18 * * 2,4'],
    ['add Sunday to the morning orders', 'and Saturday', '15 6 * * 0,2,6'],
    ["don't run the dough timer on Fridays", 'and Mondays', '30 4 * * 2-4,6'],
  ])('keeps the days that were said before: %s, %s', (utterance, answer, expression) => {
    expect(heardAfter(utterance, answer)).toMatchObject({ functionArgs: { patch: { schedule: { expression } } } });
  });
});

describe('GAP-15 A correction', () => {
  it.each([
    ['run stock-take every Monday at 9am', 'this Monday', { schedule: { runAt: '2027-06-14T07:00:00Z' } }],
    [
      'run stock-take every day at 9am',
      'run order-flour at 10am instead',
      { targetAction: { workflowId: 'order-flour' }, schedule: { expression: '0 10 * * *' } },
    ],
    ['post hi in #counter every day at 9am', 'say bye in #ovens', { targetAction: { inputs: { text: 'bye' } } }],
    ['post hi in #counter every day at 9am', 'say that we close', { targetAction: { inputs: { text: 'we close' } } }],
    ['move the dough timer an hour later', 'two hours', { patch: { schedule: { expression: '30 6 * * 1-6' } } }],
  ])('%s, %s', (utterance, answer, functionArgs) => {
    expect(heardAfter(utterance, answer)).toMatchObject({ functionArgs });
  });

  it('of a text with a time can be another request', () => {
    const result = heardAfter('post hi in #counter every day at 9am', 'say bye at 10am');
    expect(result).toMatchObject({
      clarify: { options: [{ label: 'post "bye", daily 10:00' }, { label: 'post "bye", 2027-06-10 10:00' }] },
    });
  });
});
