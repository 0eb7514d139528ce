import { describe, expect, it } from 'vitest';
import { answerDraft, say } from '../../../src/intents/answer.js';
import { readBack } from '../../../src/intents/read-back.js';
import type { Json } from '../../../src/json/value.js';
import { context, heard } from './support.js';

/** Says something and answers each question; the draft travels as JSON. */
function talk(utterance: string, ...answers: Json[]) {
  let said = say(utterance, context());
  for (const answer of answers) {
    if (!said.draft) throw new Error(`nothing was asked: ${JSON.stringify(said.result)}`);
    said = answerDraft(JSON.parse(JSON.stringify(said.draft)) as Json, answer, context());
  }
  return said.result;
}

describe('R3-21 answers complete what was said', () => {
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
    ['schedule a reminder for tomorrow at 7am', ['feed the starter'], 'remind me to feed the starter tomorrow at 7am'],
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
  ])('%s, %j', (utterance, answers, same) => {
    expect(talk(utterance, ...answers)).toEqual(heard(same));
  });

  it('takes the moment of an option, and "now" as the next minute', () => {
    const runAt = (result: unknown) =>
      (result as { functionArgs: { schedule: { runAt: string } } }).functionArgs.schedule.runAt;
    expect(runAt(talk('run stock-take today at 7am', '2027-06-10T05:00:00Z'))).toBe('2027-06-10T05:00:00Z');
    expect(runAt(talk('run stock-take today at 7am', 'run_now'))).toBe('2027-06-09T09:01:00Z');
    expect(runAt(talk('run stock-take on October 31 2027 at 2:15am', '02:15 after the change'))).toBe(
      '2027-10-31T01:15:00Z',
    );
  });

  it('asks again when it does not understand, and stops when told to', () => {
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

  it('remembers when something was said, and looks again when it has passed', () => {
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
    'refuses a draft that it did not give: %j',
    (draft) => {
      expect(() => answerDraft(draft, 'yes', context())).toThrow('The draft is not one that was given out');
    },
  );

  it('trusts nothing in a draft', () => {
    const forged = {
      utterance: 'run stock-take every day at 5',
      now: '1999-01-01T00:00:00Z',
      answers: [{ expression: '* * * * *' }, 7, 'x'],
    };
    expect(answerDraft(forged, '5:00 PM', context()).result).toEqual(heard('run stock-take every day at 5pm'));
  });
});

describe('SCH-K12 a call is read back in true words', () => {
  it('says the cadence, the next three runs and what might surprise', () => {
    const result = heard('run stock-take every weekday at 9am');
    expect(readBack(result, context())).toEqual({
      cadence: 'every weekday at 09:00 Europe/Berlin',
      next: ['2027-06-10', '2027-06-11', '2027-06-14'].map((date) => ({
        instant: `${date}T07:00:00.000Z`,
        local: `${date}T09:00:00`,
        offset: '+02:00',
      })),
      notices: [],
    });
    expect(readBack(heard('run the morning prices now'), context())).toEqual({
      notices: ['JOB_IS_PAUSED_STAYS_PAUSED'],
    });
    expect(readBack(heard('hello'), context())).toBeUndefined();
    expect(readBack(heard('make the oven check run every 90 minutes'), context())?.cadence).toMatch(
      /^every 90 minutes from/,
    );
  });
});
