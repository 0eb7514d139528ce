import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json/value.js';
import { answerDraft, say } from '../../../../src/schedules/intents/conversation.js';
import { summarizeCall } from '../../../../src/schedules/intents/summarize-call.js';
import { context, interpret } from './support.js';

/** Starts a conversation and answers each question; the draft is passed as JSON. */
function talk(utterance: string, ...answers: Json[]) {
  let reply = say(utterance, context());
  for (const answer of answers) {
    if (!reply.draft) throw new Error(`nothing was asked: ${JSON.stringify(reply.result)}`);
    reply = answerDraft(JSON.parse(JSON.stringify(reply.draft)) as Json, answer, context());
  }
  return reply.result;
}

describe('R3-21 Answering a question', () => {
  it.each<[string, Json[], string]>([
    ['run stock-take every day at 5', ['5:00 PM'], 'run stock-take every day at 5pm'],
    ['run stock-take every day at 5', ['am'], 'run stock-take every day at 5am'],
    ['run stock-take every day at 5', ['6:30am'], 'run stock-take every day at 6:30am'],
    [
      'run stock-take every day at 5',
      [{ expression: '0 5 * * *', timezone: 'Europe/Berlin' }],
      'run stock-take every day at 5am',
    ],
    ['run stock-take every day', ['7am'], 'run stock-take every day at 7am'],
    ['run stock-take every day', ['at noon'], 'run stock-take at noon every day'],
    ['run stock-take every day', ['7', 'PM'], 'run stock-take every day at 7pm'],
    ['schedule stock-take', ['tomorrow at 7am'], 'run stock-take tomorrow at 7am'],
    ['schedule stock-take', ['every Friday', '7am'], 'run stock-take every Friday at 7am'],
    ['run stock-take next Friday at 7', ['2027-06-18', '7:00 AM'], 'run stock-take on June 18 at 7am'],
    ['run stock-take every day at 7am CST', ['Asia/Shanghai'], 'run stock-take every day at 7am in Asia/Shanghai'],
    ['run stock-take every day at 7am QQT', ['Berlin'], 'run stock-take every day at 7am in Berlin'],
    ['run stock-take every 2 seconds', ['5 minutes'], 'run stock-take every 5 minutes'],
    ['run stock-take every other Friday at 7am', ['every Friday at 07:00'], 'run stock-take every Friday at 7am'],
    ['run stock-take every other Friday', ['every Friday', '7am'], 'run stock-take every Friday at 7am'],
    ['run payroll every day at 7am', ['stock-take'], 'run stock-take every day at 7am'],
    ['run payroll every day at 7am', ['the purple one', 'order flour'], 'run order-flour every day at 7am'],
    ['post hi in #cellar every day at 7am', ['C20'], 'post hi in #ovens every day at 7am'],
    ['post hi in #cellar every day at 7am', ['#counter'], 'post hi in #counter every day at 7am'],
    ['schedule a reminder for tomorrow at 7am', ['feed the starter'], 'remind us to feed the starter tomorrow at 7am'],
    ['schedule a reminder for tomorrow at 7am', ['run stock-take'], 'run stock-take tomorrow at 7am'],
    ['schedule a reminder for tomorrow at 7am', ['post hi in #ovens'], 'post hi in #ovens tomorrow at 7am'],
    ['pause the morning job', ['job-9'], 'pause job-9'],
    ['pause the morning job', ['prices'], 'pause job-8'],
    ['update the dough timer', ['5am'], 'move the dough timer to 5am'],
    ['update the dough timer', ['post in #ovens'], 'move the dough timer to #ovens'],
    ['pause the dough timer and delete the oven check', ['delete oven check'], 'delete the oven check'],
    ['pause all jobs', ['job-10'], 'pause job-10'],
    ['pause the dough timer until Monday', ['pause'], 'pause the dough timer'],
    ['run stock-take and order-flour every day at 7am', ['order-flour'], 'run order-flour every day at 7am'],
  ])('completes the request: %s, %j', (utterance, answers, same) => {
    expect(talk(utterance, ...answers)).toEqual(interpret(same));
  });

  it('accepts the instant of an option, and schedules "now" for the next minute', () => {
    const runAt = (result: unknown) =>
      (result as { functionArgs: { schedule: { runAt: string } } }).functionArgs.schedule.runAt;
    expect(runAt(talk('run stock-take today at 7am', '2027-06-10T05:00:00Z'))).toBe('2027-06-10T05:00:00Z');
    expect(runAt(talk('run stock-take today at 7am', 'run_now'))).toBe('2027-06-09T09:01:00Z');
    expect(runAt(talk('run stock-take on October 31 2027 at 2:15am', '02:15 after the change'))).toBe(
      '2027-10-31T01:15:00Z',
    );
  });

  it('repeats the question after an answer it does not understand, and stops when dismissed', () => {
    const { result } = say('run stock-take every day at 5', context());
    expect(talk('run stock-take every day at 5', 'a purple elephant')).toEqual(result);
    expect(talk('run stock-take every day at 5', { expression: '* * * * *', timezone: 'Europe/Berlin' })).toEqual(
      result,
    );
    expect(talk('run stock-take every day at 5', 'a purple elephant', 'never mind')).toEqual({
      none: true,
      reason: 'DISMISSED',
    });
  });

  it('reads dates relative to the utterance, and asks again if the time has passed', () => {
    const { draft } = say('run stock-take tomorrow at 5', context({ now: '2027-06-09T21:50:00Z' }));
    const late = context({ now: '2027-06-09T22:10:00Z' });
    expect(answerDraft(draft as unknown as Json, '5:00 AM', late).result).toMatchObject({
      functionArgs: { schedule: { runAt: '2027-06-10T03:00:00Z' } },
    });
    const after = context({ now: '2027-06-10T09:00:00Z' });
    expect(answerDraft(draft as unknown as Json, '5:00 AM', after).result).toMatchObject({
      clarify: { code: 'PAST_INSTANT' },
    });
  });

  it.each<[Json]>([[null], ['text'], [{ utterance: 5 }], [{ utterance: 'x', now: '', answers: 'no' }]])(
    'rejects an invalid draft: %j',
    (draft) => {
      expect(() => answerDraft(draft, 'yes', context())).toThrow('The draft is not valid');
    },
  );

  it('does not trust the contents of a draft', () => {
    const forged = {
      utterance: 'run stock-take every day at 5',
      now: '1999-01-01T00:00:00Z',
      answers: [{ expression: '* * * * *' }, 7, 'x'],
    };
    expect(answerDraft(forged, '5:00 PM', context()).result).toEqual(interpret('run stock-take every day at 5pm'));
  });
});

describe('GAP-11 Choosing an option by its number', () => {
  it.each<[string, Json[], string]>([
    ['run stock-take every day at 5', ['2'], 'run stock-take every day at 5pm'],
    ['run stock-take every day at 5', ['1'], 'run stock-take every day at 5am'],
    ['run stock-take every day at 5', ['option 2'], 'run stock-take every day at 5pm'],
    ['run stock-take every day at 5', ['#2'], 'run stock-take every day at 5pm'],
    ['run stock-take every day at 5', ['2.'], 'run stock-take every day at 5pm'],
    ['run stock-take every day at 5', ['the second one'], 'run stock-take every day at 5pm'],
    ['run stock-take every day at 5', ['the last one'], 'run stock-take every day at 5pm'],
    ['run stock-take every day at 5', ['2pm'], 'run stock-take every day at 2pm'],
    ['run stock-take every other Tuesday at 10am', ['1'], 'run stock-take every Tuesday at 10am'],
    ['run stock-take next Friday at noon', ['2'], 'run stock-take on June 18 at noon'],
    ['run payroll every day at 9am', ['4'], 'run stock-take every day at 9am'],
    ['post hi in #cellar every day at 9am', ['2'], 'post hi in #ovens every day at 9am'],
    ['pause the morning job', ['2'], 'pause job-9'],
  ])('%s, %j', (utterance, answers, same) => {
    expect(talk(utterance, ...answers)).toEqual(interpret(same));
  });

  it('takes the second option of "every other Tuesday at 10am"', () => {
    expect(talk('run stock-take every other Tuesday at 10am', '2')).toMatchObject({
      functionArgs: { schedule: { everySeconds: 1_209_600, anchorAt: '2027-06-15T08:00:00Z' } },
    });
  });

  it('repeats the question after a number without an option', () => {
    const { result } = say('run payroll every day at 9am', context());
    expect(talk('run payroll every day at 9am', '17')).toEqual(result);
  });
});

describe('GAP-14 An answer adds to the request', () => {
  it.each<[string, Json[], string]>([
    ['run stock-take with name=Ada', ['every day at 9am'], 'run stock-take with name=Ada every day at 9am'],
    ['run stock-take with name=Ada', ['every Friday', '6pm'], 'run stock-take with name=Ada every Friday at 6pm'],
    ['run stock-take every Monday with name=Ada', ['9am'], 'run stock-take with name=Ada every Monday at 9am'],
    ['run payroll with name=Ada every day at 9am', ['stock-take'], 'run stock-take with name=Ada every day at 9am'],
    ['run stock-take on Mondays', ['and Wednesdays, at 8am'], 'run stock-take on Mondays and Wednesdays at 8am'],
    ['run stock-take on Mondays', ['every day at 8am'], 'run stock-take every day at 8am'],
    ['run stock-take twice a week', ['Monday and Thursday', '9am'], 'run stock-take on Mondays and Thursdays at 9am'],
    ['run stock-take twice a week', ['Monday', 'Thursday', '9am'], 'run stock-take on Mondays and Thursdays at 9am'],
    ['run stock-take twice a week', ['Monday', 'and Friday', '9am'], 'run stock-take on Mondays and Fridays at 9am'],
    ['run stock-take twice a day', ['8am', '6pm'], 'run stock-take every day at 8am and 6pm'],
    ['run stock-take twice daily at 8am', ['and 6pm'], 'run stock-take every day at 8am and 6pm'],
    ['run stock-take twice a month at 9am', ['1 and 15'], 'run stock-take on the 1st and 15th of each month at 9am'],
    ['run stock-take every quarter', ['on the 1st at 6am'], 'run stock-take every quarter on the 1st at 6am'],
    ['run stock-take every Monday at sunrise', ['7am'], 'run stock-take every Monday at 7am'],
    ['run stock-take every day at 11', ['actually make it 10:30am'], 'run stock-take every day at 10:30am'],
    ['schedule stock-take', ['at 14:00', 'tomorrow'], 'run stock-take tomorrow at 14:00'],
    ['schedule stock-take', ['at 14:00', 'every Friday'], 'run stock-take every Friday at 14:00'],
    ['change the dough timer', ['the time zone', 'Tokyo'], 'use Tokyo time for the dough timer'],
    ['change the dough timer', ['make it 5:15am'], 'move the dough timer to 5:15am'],
    ['add Sunday', ['to the dough timer'], 'add Sunday to the dough timer'],
    ['run stock-take every day at 8', ['forget it, list my jobs instead'], 'list my jobs'],
    ['run stock-take every day at 8', ['list my jobs'], 'list my jobs'],
  ])('%s, %j', (utterance, answers, same) => {
    expect(talk(utterance, ...answers)).toEqual(interpret(same));
  });

  it.each([
    'run stock-take with name=Ada every Monday at 9am',
    'run stock-take every Monday with name=Ada at 9am',
    'run stock-take every Monday at 9am with name=Ada',
    'with name=Ada run stock-take every Monday at 9am',
    'every Monday at 9am run stock-take with name=Ada',
  ])('accepts inputs in any order: %s', (utterance) => {
    expect(interpret(utterance)).toMatchObject({
      functionArgs: {
        schedule: { expression: '0 9 * * 1' },
        targetAction: { workflowId: 'stock-take', inputs: { name: 'Ada' } },
      },
    });
  });

  it('asks for the second day of "twice a week"', () => {
    expect(talk('run stock-take twice a week', 'Monday')).toMatchObject({
      clarify: { question: 'On which other day of the week should it run?' },
    });
    expect(talk('run stock-take twice a week', 'Monday', '9am')).toMatchObject({ clarify: { code: 'MISSING_TIME' } });
  });

  it.each([
    ["cancel tomorrow's orders", undefined],
    ["cancel tomorrow's morning job", 'prices'],
    ["cancel tomorrow's morning job", '1'],
    ['delete the next morning orders', undefined],
    ["delete this Tuesday's morning orders", undefined],
    ['cancel the morning orders for tomorrow', undefined],
    ['pause the morning orders for the holidays', 'morning orders'],
    ['pause the morning orders today', undefined],
    ["don't run the morning orders tomorrow", undefined],
    ['no morning orders tomorrow', undefined],
    ["move tomorrow's morning orders to 9am", undefined],
  ])('never applies a request about a single run to all runs: %s, %s', (utterance, answer) => {
    const result = answer === undefined ? talk(utterance) : talk(utterance, answer);
    expect(result).toMatchObject({ clarify: { code: 'UNSUPPORTED_RECURRENCE' } });
  });

  it('offers to delete or to pause the job instead of a single run', () => {
    const result = talk("cancel tomorrow's morning orders");
    expect(result).toMatchObject({ clarify: { options: [{ value: 'pause' }, { value: 'delete' }] } });
    expect(talk("cancel tomorrow's morning orders", '1')).toEqual(interpret('pause job-9'));
    expect(talk("cancel tomorrow's morning orders", '2')).toEqual(interpret('delete job-9'));
  });

  it.each<[string, string, string]>([
    ['run stock-take every Saturday at 9am', 'no, Sunday', 'run stock-take every Sunday at 9am'],
    ['run stock-take every Saturday at 9am', 'at 10am instead', 'run stock-take every Saturday at 10am'],
    ['run stock-take every Saturday at 9am', 'no, order-flour', 'run order-flour every Saturday at 9am'],
    ['post hi in #counter every day at 9am', 'in #ovens', 'post hi in #ovens every day at 9am'],
    ['pause the dough timer', 'no, the oven check', 'pause the oven check'],
    ['pause the dough timer', 'no, delete it', 'delete the dough timer'],
    ['run stock-take every weekday at 9am', 'and at 5pm', 'run stock-take every weekday at 9am and 5pm'],
    ['run stock-take every weekday at 9am', 'also on Saturdays', 'run stock-take every day except Sunday at 9am'],
    ['run stock-take every weekday at 9am', 'but not on Fridays', 'run stock-take weekdays at 9am except Friday'],
    ['run stock-take every weekday at 9am', 'in Tokyo', 'run stock-take every weekday at 9am in Tokyo'],
    ['run stock-take every day at 9am', 'only in December', 'run stock-take every day in December at 9am'],
    ['run stock-take every day at 9am', 'with name=Ada', 'run stock-take with name=Ada every day at 9am'],
    ['run stock-take every 2 hours', 'on weekdays', 'run stock-take every 2 hours on weekdays'],
    ['add Sunday to the morning orders', 'no, Monday', 'add Monday to the morning orders'],
    ['move the morning orders to 4pm', 'on Thursdays', 'move the morning orders to Thursdays at 4pm'],
  ])('corrects a call: %s, %s', (utterance, answer, same) => {
    expect(talk(utterance, answer)).toEqual(interpret(same));
  });

  it('asks about a second schedule, and does not return the same call after a correction it does not understand', () => {
    const utterance = 'run stock-take every weekday at 9am';
    expect(talk(utterance, 'and on Saturdays at 10am')).toMatchObject({ clarify: { code: 'UNSUPPORTED_RECURRENCE' } });
    expect(talk(utterance, 'a purple elephant')).toEqual({ none: true, reason: 'NO_SCHEDULE_INTENT' });
    expect(talk(utterance, 'a purple elephant', 'at 10am')).toEqual(interpret('run stock-take every weekday at 10am'));
  });

  it.each<[string, Json[], string]>([
    ['run stock-take today at 7am', ['yes'], 'run stock-take tomorrow at 7am'],
    ['pause the dough timer until Monday', ['yes'], 'pause the dough timer'],
    ['run stock-take from Monday at 9am', ['every 2 hours'], 'run stock-take every 2 hours starting Monday at 9am'],
  ])('accepts a yes only where it answers the question: %s, %j', (utterance, answers, same) => {
    expect(talk(utterance, ...answers)).toEqual(interpret(same));
    expect(talk('run stock-take every day at 5', 'yes')).toMatchObject({ clarify: { code: 'AMBIGUOUS_MERIDIEM' } });
  });
});

describe('SCH-K12 Reading back a call', () => {
  it('returns the cadence in words, the next three runs and notices', () => {
    const result = interpret('run stock-take every weekday at 9am');
    expect(summarizeCall(result, context())).toEqual({
      cadence: 'every weekday at 09:00 Europe/Berlin',
      next: ['2027-06-10', '2027-06-11', '2027-06-14'].map((date) => ({
        instant: `${date}T07:00:00.000Z`,
        local: `${date}T09:00:00`,
        offset: '+02:00',
      })),
      notices: [],
    });
    expect(summarizeCall(interpret('run the morning prices now'), context())).toEqual({
      notices: ['JOB_IS_PAUSED_STAYS_PAUSED'],
    });
    expect(summarizeCall(interpret('hello'), context())).toBeUndefined();
    expect(summarizeCall(interpret('make the oven check run every 90 minutes'), context())?.cadence).toMatch(
      /^every 90 minutes from/,
    );
  });
});
