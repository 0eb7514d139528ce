import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json/value.js';
import { readCadence } from '../../../../src/schedules/cadence/cadence-json.js';
import { jobBounds } from '../../../../src/schedules/cadence/interval-bounds.js';
import { answerDraft, intentOf, say, scheduleOf } from '../../../../src/schedules/intents/conversation.js';
import type { IntentResult } from '../../../../src/schedules/intents/intent-types.js';
import { longestUtterance } from '../../../../src/schedules/intents/split-words.js';
import { context } from './support.js';

const words =
  'run post send remind schedule every each other day week month year weekday at 9am 5 17:30 noon midnight half past on the 1st 31st first last Monday friday weekends in #counter #ovens #x stock-take order-flour night shift until starting tomorrow next this to and then delete pause resume list show dough timer morning job-8 job change move cron * */5 0 1-5 between from 2 3 hours minutes seconds years CST Berlin time UTC "soft rolls" \'a b\' ../../key now if misses a skip it 3/4 February 29 2027 end of quarter tonight by 30 earlier later , . ; ? please for twice not say text zone'.split(
    ' ',
  );
/** Random sequences of relevant words, and sentences that almost make sense. */
const jumble = fc.array(fc.constantFrom(...words), { maxLength: 16 }).map((it) => it.join(' '));
const sentence = fc
  .tuple(
    fc.constantFrom(
      'run stock-take',
      'post hi in #counter',
      'remind #ovens to rest',
      'move the dough timer to',
      'check run.status for r-1',
      'schedule night-shift',
      'make the oven check run',
    ),
    fc.constantFrom(
      '',
      'every',
      'on',
      'next',
      'every other',
      'each',
      'the first',
      'from',
      'until',
      'every 2',
      'every 5',
    ),
    fc.constantFrom(
      '',
      'Monday',
      'weekday',
      'Fridays',
      'day',
      'month',
      'hours',
      'minutes',
      '15th',
      '3/4',
      'December 24',
      'weeks on Tuesday',
      'year',
      'Monday and Thursday',
    ),
    fc.constantFrom(
      '',
      'at 9am',
      'at 5',
      'at 14:00',
      'at noon and 6pm',
      'at 2:30am',
      'between 9am and 5pm',
      'starting tomorrow',
    ),
    fc.constantFrom('', 'UTC', 'CST', 'in Berlin', 'New York time', 'XYZ', 'in #counter', 'until Friday'),
  )
  .map((parts) => parts.filter(Boolean).join(' '));
const utterance = fc.oneof(
  jumble,
  sentence,
  fc.string({ maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

function check(result: IntentResult): void {
  expect(['functionId', 'clarify', 'none'].filter((key) => key in result)).toHaveLength(1);
  const text = JSON.stringify(result);
  if ('functionId' in result) {
    const schedule = scheduleOf(result.functionArgs);
    if (schedule) expect(readCadence(schedule, { now: context().now, bounds: jobBounds }).findings).toEqual([]);
    const { inputs: _, ...ids } = (result.functionArgs.targetAction ?? {}) as { inputs?: Json };
    expect(JSON.stringify([ids, result.functionArgs.jobId ?? null])).not.toContain('..');
  } else expect(text).not.toContain('../');
}

describe('R3-20 R3-21 R3-22 Any utterance', () => {
  it('has exactly one deterministic result, which a job accepts', () => {
    fc.assert(
      fc.property(utterance, (it) => {
        const result = intentOf(it, context());
        check(result);
        expect(JSON.stringify(intentOf(it, context()))).toBe(JSON.stringify(result));
      }),
      { numRuns: 1500 },
    );
  });

  it('can continue with every option of its question', () => {
    fc.assert(
      fc.property(fc.oneof(sentence, jumble), (it) => {
        const { result, draft } = say(it, context());
        if (!('clarify' in result)) return;
        for (const { value } of result.clarify.options ?? []) {
          const next = answerDraft(JSON.parse(JSON.stringify(draft)) as Json, value, context()).result;
          check(next);
          expect(next).not.toEqual(result);
        }
      }),
      { numRuns: 600 },
    );
  });

  it('is interpreted in bounded time, however long it is', () => {
    for (const part of [
      'every ',
      'at 9 ',
      '#a ',
      '"',
      "' ",
      'and ',
      'monday and ',
      'weekly ',
      '1 ',
      'post x and delete ',
      '5 minutes past ',
      'in Paris ',
      '* ',
      '(',
    ])
      for (const lead of ['', 'run ', 'post ', 'move the dough timer to ', 'pause '])
        check(intentOf((lead + part.repeat(longestUtterance)).slice(0, longestUtterance), context()));
  });
});

describe('R3-21 Any answer', () => {
  it('is interpreted in bounded time, however long it is', () => {
    for (const utterance of ['run stock-take monthly', 'run stock-take every day at 5', 'pause the morning job']) {
      const { draft } = say(utterance, context());
      for (const part of ['1', '11 and ', 'no, ', 'with a=1 ', 'forget it ', 'the ', '9am '])
        check(
          answerDraft(draft as unknown as Json, `${part.repeat(longestUtterance)}x`.slice(0, 999), context()).result,
        );
    }
  });
});

describe('R3-20 Zone and clock of the machine', () => {
  const zone = process.env.TZ;
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  const utterances = [
    'run stock-take tomorrow at 7am',
    'run stock-take on Friday at 7am',
    'run stock-take on December 24 at 23:30',
    'run stock-take in 3 days at 0:15',
    'run stock-take the day after tomorrow at noon Tokyo time',
    'run stock-take on March 26 2028 at 2:15am',
    'run stock-take today at 11:30pm',
    'run stock-take every other Friday at 7am',
  ];
  // Around midnight, around clock changes, and at the end of a year.
  const moments = [
    '2027-06-09T22:30:00Z',
    '2027-03-14T10:15:00Z',
    '2027-10-31T00:30:00Z',
    '2027-12-31T23:30:00Z',
    '2027-04-29T22:10:00Z',
  ];
  const everything = () => moments.map((now) => utterances.map((it) => JSON.stringify(intentOf(it, context({ now })))));

  it('do not affect the result', () => {
    process.env.TZ = 'UTC';
    const expected = everything();
    for (const other of [
      'America/Los_Angeles',
      'Asia/Kolkata',
      'Pacific/Kiritimati',
      'Pacific/Pago_Pago',
      'Africa/Cairo',
      'Australia/Lord_Howe',
      'America/Sao_Paulo',
    ]) {
      process.env.TZ = other;
      // Confirms that the zone of the process has changed.
      expect(new Date(2027, 5, 9, 12).toISOString()).not.toBe('2027-06-09T12:00:00.000Z');
      expect(everything()).toEqual(expected);
    }
  });
});
