import { describe, expect, it } from 'vitest';
import { loadJourneys } from '../../cluster/journeys.js';
import { faultOf } from '../../cluster/load.js';
import { accountTimes } from '../../support/occurrence-times.js';

describe('The account of due times', () => {
  const schedule = { type: 'interval', everySeconds: 10, anchorAt: '2026-11-19T10:00:00Z' };
  const span = (first: string, last: string, count: number, reason: 'run' | 'overlapped' = 'run') => ({
    first: `2026-11-19T10:00:${first}Z`,
    last: `2026-11-19T10:00:${last}Z`,
    count,
    reason,
  });

  it('is right if each due time is in one span', () => {
    const { times, faults } = accountTimes(schedule, [span('10', '10', 1), span('20', '30', 2, 'overlapped')]);
    expect(faults).toEqual([]);
    expect(times.map(([, reason]) => reason)).toEqual(['run', 'overlapped', 'overlapped']);
  });

  it('lists due times in two spans or none, and a wrong count', () => {
    const faults = (...spans: ReturnType<typeof span>[]) => accountTimes(schedule, spans).faults;
    expect(faults(span('10', '20', 2), span('20', '20', 1))).toEqual([
      '2026-11-19T10:00:20.000Z is accounted for twice',
    ]);
    expect(faults(span('10', '10', 1), span('30', '30', 1))).toEqual(['2 of 3 times are accounted for']);
    expect(faults(span('10', '20', 3))).toEqual(['2026-11-19T10:00:10Z to 2026-11-19T10:00:20Z has 2 times, not 3']);
  });
});

describe('The outcome of a run of the load', () => {
  const named = (name: string) => loadJourneys.find((it) => it.name === name)!;

  it('is that of its own start, with the code that its journey ends with', () => {
    expect(faultOf(named('order'), 3, { phase: 'SUCCEEDED', output: { n: 3 } })).toBeUndefined();
    expect(faultOf(named('order'), 3, { phase: 'SUCCEEDED', output: { n: 4 } })).toMatch(/"n":4/);
    expect(faultOf(named('refused'), 3, { phase: 'FAILED', error: { code: 'REFUSED' } })).toBeUndefined();
    expect(faultOf(named('refused'), 3, { phase: 'FAILED', error: { code: 'INTERNAL' } })).toMatch(/INTERNAL/);
    expect(faultOf(named('refused'), 3, { phase: 'SUCCEEDED', output: { n: 3 } })).toMatch(/SUCCEEDED/);
  });
});
