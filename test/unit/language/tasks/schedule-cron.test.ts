import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../../src/base/json/value.js';
import { load } from '../../../../src/language/load-journey.js';
import { mapper, read, run } from './planned.js';

const nightly = { cron: '0 2 * * *', timezone: 'Europe/Rome', maxRuns: 3 };

describe('the cron binding of a schedule task (R0-02)', () => {
  it('accepts cron and timezone instead of interval, literal or mapper', async () => {
    const { made, outcome } = await run(nightly);
    expect(outcome).toMatchObject({ phase: 'SUCCEEDED', terminatedAtState: 'done' });
    expect(made).toMatchObject([{ cron: '0 2 * * *', timezone: 'Europe/Rome', maxRuns: 3 }]);
    expect(made[0]).not.toHaveProperty('interval');
    const mapped = { cron: mapper('"30 " ++ context.hour ++ " * * mon-fri"'), timezone: mapper('context.zone') };
    const asked = (await run({ ...nightly, ...mapped }, { hour: 9, zone: 'Asia/Tokyo' })).made;
    expect(asked).toMatchObject([{ cron: '30 9 * * mon-fri', timezone: 'Asia/Tokyo' }]);
  });

  it.each([
    ['left out', undefined, '2030-01-01T12:00:01.000Z'],
    ['past', '2029-06-01T00:00:00Z', '2030-01-01T12:00:01.000Z'],
    ['ahead', '2030-03-01T09:00:00+01:00', '2030-03-01T08:00:00.000Z'],
  ])('starts at the next whole second if startAt is %s, so nothing runs at once', async (_, text, startAt) => {
    const { made } = await run({ ...nightly, ...(text !== undefined && { startAt: text }) });
    expect(made[0]).toMatchObject({ startAt });
  });

  it.each([
    ['cron', { cron: mapper('"@daily"') }, '0 0 * * *'],
    ['cron', { cron: mapper('"0 0 2 * * *"') }, 'Seconds and years'],
    ['cron', { cron: mapper('"0 9 30 2 *"') }, 'a day that exists'],
    ['cron', { cron: mapper('7') }, 'five fields'],
    ['timezone', { timezone: mapper('"EST"') }, 'America/New_York'],
    ['timezone', { timezone: mapper('"+02:00"') }, 'Europe/Berlin'],
    ['timezone', { timezone: mapper('null') }, 'Europe/Rome'],
  ])('rejects an invalid %s at run time, with a hint', async (field, change, hint) => {
    const { made, outcome } = await run({ ...nightly, ...change });
    expect(outcome.error).toMatchObject({
      code: 'SCHEDULE_INVALID',
      pointer: `/task/${field}`,
      hint: expect.stringContaining(hint),
    });
    expect(made).toEqual([]);
  });
});

describe('the page for authors', () => {
  it('shows a valid cron binding', () => {
    const page = readFileSync(new URL('../../../../docs/schedules.md', import.meta.url), 'utf8');
    const [, section = ''] = page.split('### At a time of day');
    const [, example = ''] = /```yaml\n([^`]*)```/.exec(section) ?? [];
    const states = { ...parse(example), compare: { type: 'succeed' }, agreed: { type: 'succeed' } };
    const spec = { start: 'reconcile', states };
    const metadata = { name: 'nightly', version: '1.0.0' };
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'Journey', metadata, spec });
    expect(load({ text }).findings).toEqual([]);
  });
});

describe('a cron binding in a document (R0-02)', () => {
  const findings = (task: JsonObject, options = {}) =>
    read(task, undefined, options).findings.map(({ code, pointer }) => `${code} ${pointer.split('/').at(-1)}`);

  it('is accepted without a finding, but rejected by --strict, because the language only has intervals', () => {
    expect(findings(nightly)).toEqual([]);
    expect(findings(nightly, { compat: false })).toEqual(['SCHED_EXTENSION cron']);
    expect(findings({ interval: 'P1D', maxRuns: 1 }, { compat: false })).toEqual([]);
  });

  it.each([
    ['neither', { maxRuns: 1 }, ['SCHED_INTERVAL interval']],
    ['both', { ...nightly, interval: 'P1D' }, ['SCHED_CRON cron']],
    ['an interval with a zone', { interval: 'P1D', timezone: 'UTC', maxRuns: 1 }, ['SCHED_CRON timezone']],
    ['a cron without a zone', { cron: '0 2 * * *', maxRuns: 1 }, ['SCHED_TIMEZONE timezone']],
    ['a zone without a cron', { timezone: 'UTC', maxRuns: 1 }, ['SCHED_CRON cron']],
    ['another notation', { ...nightly, cron: '0 9 * * mon#1' }, ['SCHED_CRON cron']],
    ['an invalid zone', { ...nightly, timezone: 'Europe/Atlantis' }, ['SCHED_TIMEZONE timezone']],
    ['a number', { ...nightly, cron: 5 }, ['SCHED_CRON cron']],
  ])('is rejected with %s', (_, task, codes) => {
    expect(findings(task as JsonObject)).toEqual(codes);
  });

  it('may not run more often than the shortest interval allows (R0-09)', () => {
    const often = { ...nightly, cron: '*/5 * * * *' };
    expect(findings(often, { minScheduleIntervalSec: 300 })).toEqual([]);
    expect(findings(often, { minScheduleIntervalSec: 301 })).toEqual(['SCHED_CRON cron']);
  });
});
