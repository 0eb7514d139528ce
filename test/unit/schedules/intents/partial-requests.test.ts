import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/base/json/value.js';
import { answerDraft, type ConversationReply, say } from '../../../../src/schedules/intents/conversation.js';
import { asked, context, interpret, offered, scheduled } from './support.js';

/** The last result of a conversation. */
function talk(utterance: string, answers: readonly Json[], override: JsonObject = {}): ConversationReply['result'] {
  let reply = say(utterance, context(override));
  for (const answer of answers)
    reply = answerDraft(JSON.parse(JSON.stringify(reply.draft)) as Json, answer, context(override));
  return reply.result;
}

const scheduleOf = (result: ConversationReply['result']) =>
  'functionId' in result
    ? ((result.functionArgs.schedule ?? (result.functionArgs.patch as JsonObject).schedule) as JsonObject)
    : result;

describe('GAP-15 An incomplete request results in a question', () => {
  it.each([
    ['every Monday at 8am', 'MISSING_TARGET_ACTION'],
    ['run stock-take', 'MISSING_TIME'],
    ['run stock-take 20 minutes ago', 'MISSING_TIME'],
    ['run stock-take when the oven check ends', 'MISSING_TIME'],
    ['the dough timer is off this week', 'MISSING_PATCH'],
    ['slow the oven check down to once a day', 'MISSING_PATCH'],
    ["if the dough timer is late don't bother running it", 'MISSING_PATCH'],
    ['do a one-off dough timer now please', 'MISSING_PATCH'],
    ['swap the times of the dough timer and the oven check', 'AMBIGUOUS_JOB'],
    ['change the zone of everything to UTC', 'AMBIGUOUS_JOB'],
    ['is anything switched off on the ovens schedule?', 'AMBIGUOUS_JOB'],
    ['wipe the morning stuff', 'AMBIGUOUS_JOB'],
    ["unpause everything that's on hold", 'MULTIPLE_TARGETS'],
    ['which of these run at night', 'AMBIGUOUS_JOB'],
    ['rotate the trays every Sunday at 3am', 'UNKNOWN_WORKFLOW'],
    ['gotta have stock-take going every Sunday night around 10pm', 'MISSING_TIME'],
    ["don't cancel the dough timer, just pause it", 'MISSING_PATCH'],
    ['run stock-take this morning at 9', 'PAST_INSTANT'],
  ])('%s', (utterance, code) => {
    expect(asked(utterance)).toBe(code);
  });

  it.each([
    "don't delete the dough timer",
    'please do not pause anything',
    'we had the dough timer yesterday',
    'schedule.delete the dough timer',
    'the baker is great',
  ])('but not one without a request: %s', (utterance) => {
    expect(interpret(utterance)).toEqual({ none: true, reason: 'NO_SCHEDULE_INTENT' });
  });

  it('offers the changes that a job and a time may mean, and other actions except deletion', () => {
    expect(offered('dough timer at 5am').map(({ label }) => label)).toEqual([
      'change it to Mondays, Tuesdays, Wednesdays, Thursdays, Fridays and Saturdays 05:00',
      'change something else',
      'pause it',
      'run it now',
      'show it',
    ]);
    expect(scheduleOf(talk('dough timer at 5am', ['1']))).toMatchObject({ expression: '0 5 * * 1-6' });
    expect(talk('the dough timer is too loud', ['pause'])).toMatchObject({
      functionId: 'schedule.pause',
      functionArgs: { jobId: 'job-7' },
    });
    expect(scheduleOf(talk('the dough timer is too loud', ['move it to 6am']))).toMatchObject({
      expression: '0 6 * * 1-6',
    });
  });

  it('is not asked if all words are understood', () => {
    expect(scheduled('the dough timer needs to move to 6am')).toBe('cron 0 6 * * 1-6 Europe/Berlin');
    expect(interpret('get the dough timer to say "knead"')).toMatchObject({
      functionArgs: { patch: { targetAction: { inputs: { text: 'knead' } } } },
    });
    expect(interpret('show the last 5 runs of the dough timer')).toMatchObject({ functionId: 'schedule.runs' });
    expect(interpret('can you tell me what the dough timer does')).toMatchObject({ functionId: 'schedule.show' });
    expect(interpret("when's the next thing happening")).toMatchObject({ functionId: 'schedule.list' });
    expect(interpret('what did we delete')).toMatchObject({ functionArgs: { state: 'deleted' } });
  });

  it('keeps the time of an utterance with only a time', () => {
    expect(talk('every Monday at 8am', ['run stock-take'])).toMatchObject({
      functionArgs: { schedule: { expression: '0 8 * * 1' }, targetAction: { workflowId: 'stock-take' } },
    });
  });
});

describe('GAP-15 An ambiguous request results in a question', () => {
  const jobs = [
    {
      jobId: 'job-1',
      name: 'stock-take export',
      state: 'enabled',
      schedule: { type: 'cron', expression: '0 6 1 * *', timezone: 'Europe/Berlin' },
    },
  ];

  it.each(['run stock-take', 'trigger stock-take', 'run stock-take now'])(
    'a name of a workflow within the name of a job: %s',
    (utterance) => {
      expect(offered(utterance, { jobs }).map(({ label }) => label)).toEqual([
        'run now stock-take export',
        'schedule stock-take',
      ]);
      expect(scheduleOf(talk(utterance, ['every Friday at 5pm'], { jobs }))).toMatchObject({
        expression: '0 17 * * 5',
      });
    },
  );

  it('but not with a time', () => {
    expect(scheduled('run stock-take thirty minutes from now', { jobs })).toBe('once 2027-06-09T09:30:00Z');
  });

  it('a text that is the name of a workflow', () => {
    expect(offered('send stock-report to #counter every Monday at 9am').map(({ label }) => label)).toEqual([
      'run stock-report',
      'post the text "stock-report"',
    ]);
    expect(talk('send stock-report to #counter every Monday at 9am', ['1'])).toMatchObject({
      functionArgs: { targetAction: { workflowId: 'stock-report' }, targetRef: { channelId: 'C10' } },
    });
    expect(interpret('post "stock-report" in #counter every Monday at 9am')).toMatchObject({
      functionArgs: { targetAction: { inputs: { text: 'stock-report' } } },
    });
  });

  it('two texts with two times', () => {
    expect(asked('post hello on Monday and goodbye on Friday at 5pm')).toBe('MISSING_TIME');
    expect(asked('tell #ovens the mixer runs every night at 2am')).toBe('MISSING_TIME');
  });

  it('the midnight of a weekday and of tomorrow', () => {
    for (const day of ['on Friday', 'tomorrow'])
      expect(asked(`run stock-take ${day} at midnight`)).toBe('AMBIGUOUS_DATE');
    expect(scheduled('run stock-take on Friday at 00:00')).toBe('once 2027-06-10T22:00:00Z');
  });

  it('a day alone is not a job', () => {
    expect(asked('cancel Tuesday')).toBe('UNSUPPORTED_RECURRENCE');
  });
});

describe('GAP-14 An answer about a recurring schedule', () => {
  const monthly = 'run stock-take on the last day of the month at 5pm';

  it.each([
    [monthly, 'the 28th', '0 17 28 * *'],
    [monthly, 'the 28th then', '0 17 28 * *'],
    [monthly, '28', '0 17 28 * *'],
    [monthly, 'the 25th at 4pm', '0 16 25 * *'],
    ['run stock-take on the second Tuesday of every month at 10am', 'the 8th', '0 10 8 * *'],
    ['run stock-take every other Friday at 5pm', 'every Friday is fine', '0 17 * * 5'],
    ['run stock-take every day at 9am', 'no, weekdays only', '0 9 * * 1-5'],
    ['run stock-take every Friday at 5pm', 'not Friday, Thursday', '0 17 * * 4'],
  ])('keeps it recurring: %s: %s', (utterance, answer, expression) => {
    expect(scheduleOf(talk(utterance, [answer]))).toMatchObject({ expression });
  });

  it.each([
    [monthly, 'the first'],
    ['run stock-take on the second Tuesday of every month at 10am', 'Tuesday'],
    ['run stock-take every other Friday at 5pm', 'Friday'],
  ])('results in another question if it can be a single day: %s: %s', (utterance, answer) => {
    expect(talk(utterance, [answer])).toEqual(say(utterance, context()).result);
  });

  it('may name another job', () => {
    expect(talk('move the dough timer to 6am', ['I meant the morning orders'])).toMatchObject({
      functionArgs: { jobId: 'job-9', patch: { schedule: { expression: '0 6 * * 2' } } },
    });
  });

  it.each(['cancel that', 'no wait', 'not now'])('may dismiss it: %s', (answer) => {
    expect(talk('run stock-take every day at 9am', [answer])).toEqual({ none: true, reason: 'DISMISSED' });
  });
});

describe('GAP-13 Words that exclude', () => {
  it('a schedule that means the opposite is never offered', () => {
    expect(offered('run stock-take every 15 minutes except between 2 and 4am')).toEqual([]);
    expect(asked('run stock-take every 15 minutes except between 2 and 4am')).toBe('MISSING_TIME');
    expect(asked('run stock-take in 3 business days at 9am')).toBe('AMBIGUOUS_DATE');
  });

  it.each([
    ['can the morning orders go out on Thursdays rather than Tuesdays', '15 6 * * 4'],
    ['the morning orders should run on Thursdays instead of Tuesdays', '15 6 * * 4'],
    ['evry mornig at 7 run stock-take', '0 7 * * *'],
    ['run stock-take Mo-Fr 08:15', '15 8 * * 1-5'],
  ])('%s', (utterance, expression) => {
    expect(scheduleOf(interpret(utterance))).toMatchObject({ expression });
  });

  it('"9 to 5pm" is not nine minutes to five', () => {
    expect(interpret('run stock-take weekdays 9 to 5pm')).toMatchObject({ clarify: {} });
    expect(interpret('run stock-take tomorrow at 9 to 5pm')).toMatchObject({ clarify: {} });
    expect(scheduled('run stock-take tomorrow at 5 to 5pm')).toBe('once 2027-06-10T14:55:00Z');
    expect(scheduled('run stock-take tomorrow at ten to 5pm')).toBe('once 2027-06-10T14:50:00Z');
  });

  it('days that the job does not have are asked about', () => {
    expect(asked('can the morning orders go out on Thursdays rather than Mondays')).toBe('MISSING_PATCH');
  });
});

describe('GAP-14 A change of one run or one day never changes the others without a question', () => {
  it.each([
    'this Tuesday the morning orders should run at noon',
    'the morning orders should run at noon this Tuesday',
    'move the dough timer to 5am this Friday',
    'move the dough timer to this Friday',
    'move the dough timer to 5am on Friday',
    'change the text of the dough timer for tomorrow to "knead"',
    'change tomorrow\'s dough timer to say "knead"',
    "post tomorrow's dough timer to #ovens instead",
  ])('%s', (utterance) => {
    expect(interpret(utterance)).toMatchObject({ clarify: {} });
  });

  it('offers the days of the job, and the requested day', () => {
    expect(offered('move the dough timer to 5am on Friday').map(({ label }) => label)).toEqual([
      'every Monday, Tuesday, Wednesday, Thursday, Friday and Saturday at 05:00',
      'every Friday at 05:00',
    ]);
    expect(talk("post tomorrow's dough timer to #ovens instead", ['1'])).toMatchObject({
      functionArgs: { jobId: 'job-7', patch: { targetRef: { channelId: 'C20' } } },
    });
  });

  it('but a job of one day is moved to another', () => {
    expect(scheduled('move the morning orders to Friday at 7am')).toBe('cron 0 7 * * 5 Europe/Berlin');
  });
});
