import { describe, expect, it } from 'vitest';
import { readCron } from '../../../../src/schedules/cadence/read-cadence-fields.js';
import { cron } from './support/cadences.js';

const all = (low: number, high: number) => Array.from({ length: high - low + 1 }, (_, i) => low + i);

describe('valid cron expressions', () => {
  it.each([
    ['0 9 * * 1-5', { minutes: [0], hours: [9], daysOfWeek: [1, 2, 3, 4, 5] }],
    ['0 9 * * MON-fri', { daysOfWeek: [1, 2, 3, 4, 5] }],
    ['0 9 * * monday,Friday', { daysOfWeek: [1, 5] }],
    ['0 9 * jan,mar-may *', { months: [1, 3, 4, 5] }],
    ['*/15 * * * *', { minutes: [0, 15, 30, 45], hours: all(0, 23) }],
    ['5-59/15 * * * *', { minutes: [5, 20, 35, 50] }],
    ['0 0 * * 7', { daysOfWeek: [0] }],
    ['0 0 * * 5-7', { daysOfWeek: [0, 5, 6] }],
    ['0 0 * * fri-sun', { daysOfWeek: [0, 5, 6] }],
    ['0 0 29 2 *', { daysOfMonth: [29], months: [2] }],
    ['0,0,30 1,1 * * *', { minutes: [0, 30], hours: [1] }],
    ['  0   9  *\t* *  ', { hours: [9] }],
  ])('%s (R3-04, R3-05)', (expression, fields) => {
    expect(cron(expression).fields).toMatchObject(fields);
  });

  it.each([
    ['0 9 13 * fri', true],
    ['0 9 13 * *', false],
    ['0 9 * * fri', false],
    ['0 9 */2 * fri', false],
  ])('%s: a day needs only one of its two fields: %s (X3-15, SCH-D10, SCH-T11)', (expression, either) => {
    expect(cron(expression).fields.eitherDay).toBe(either);
  });

  it.each([
    ['30 2 * * *', false],
    ['*/30 2 * * *', false],
    ['0 1,13 * * *', false],
    ['0 9-17 * * *', false],
    ['0 * * * *', true],
    ['0 */2 * * *', true],
    ['0 8-20/4 * * *', true],
    ['0 0-23 * * *', true],
  ])('%s follows clock changes: %s', (expression, follows) => {
    expect(cron(expression).fields.followsClock).toBe(follows);
  });

  it('are stored with single spaces', () => {
    expect(cron(' 0  9 * *   mon ').expression).toBe('0 9 * * mon');
  });
});

describe('invalid cron expressions', () => {
  it.each([
    ['', 'CADENCE_CRON_FIELD_COUNT'],
    ['0 9 * *', 'CADENCE_CRON_FIELD_COUNT'],
    ['0 0 9 * * *', 'CADENCE_CRON_FIELD_COUNT'],
    ['0 0 9 * * * 2027', 'CADENCE_CRON_FIELD_COUNT'],
    ['@daily', 'CADENCE_CRON_UNSUPPORTED'],
    ['@every 5m', 'CADENCE_CRON_UNSUPPORTED'],
    ['TZ=UTC 0 9 * * *', 'CADENCE_CRON_UNSUPPORTED'],
    ['CRON_TZ=UTC 0 9 * * *', 'CADENCE_CRON_UNSUPPORTED'],
    ['0 9 * * MON#1', 'CADENCE_CRON_UNSUPPORTED'],
    ['0 9 L * *', 'CADENCE_CRON_UNSUPPORTED'],
    ['0 9 15W * *', 'CADENCE_CRON_UNSUPPORTED'],
    ['0 9 * * 5L', 'CADENCE_CRON_UNSUPPORTED'],
    ['0 9 ? * 1', 'CADENCE_CRON_UNSUPPORTED'],
    ['H 9 * * *', 'CADENCE_CRON_UNSUPPORTED'],
    ['60 9 * * *', 'CADENCE_CRON_RANGE'],
    ['0 24 * * *', 'CADENCE_CRON_RANGE'],
    ['0 9 0 * *', 'CADENCE_CRON_RANGE'],
    ['0 9 32 * *', 'CADENCE_CRON_RANGE'],
    ['0 9 * 13 *', 'CADENCE_CRON_RANGE'],
    ['0 9 * * 8', 'CADENCE_CRON_RANGE'],
    ['0 9 * * fri-mon', 'CADENCE_CRON_BACKWARDS'],
    ['30-10 9 * * *', 'CADENCE_CRON_BACKWARDS'],
    ['5/15 * * * *', 'CADENCE_CRON_STEP'],
    ['*/0 * * * *', 'CADENCE_CRON_STEP'],
    ['*/90 * * * *', 'CADENCE_CRON_STEP'],
    ['*/x * * * *', 'CADENCE_CRON_STEP'],
    ['*/5/5 * * * *', 'CADENCE_CRON_VALUE'],
    ['0 9 * foo *', 'CADENCE_CRON_VALUE'],
    ['0 9 * mon *', 'CADENCE_CRON_VALUE'],
    ['1,,2 9 * * *', 'CADENCE_CRON_VALUE'],
    ['-5 9 * * *', 'CADENCE_CRON_VALUE'],
    ['1.5 9 * * *', 'CADENCE_CRON_VALUE'],
    ['0 9 31 2 *', 'CADENCE_CRON_NEVER'],
    ['0 9 30 feb *', 'CADENCE_CRON_NEVER'],
    ['0 9 31 apr,jun,sep,nov *', 'CADENCE_CRON_NEVER'],
    ['0 9 31 2 fri', 'CADENCE_CRON_NEVER'],
  ])('%s: %s (R3-04, R3-54, SCH-D10, SCH-T12, SCH-K3)', (expression, code) => {
    const { findings } = readCron(expression, 'UTC', { pointer: '/schedule/expression' });
    expect(findings).toMatchObject([{ code, pointer: '/schedule/expression', severity: 'error' }]);
    expect(findings[0]!.hint).toMatch(/\.$/);
  });

  it('have findings for every invalid field, and for the zone', () => {
    const { findings } = readCron('60 24 * * foo', 'Mars/Olympus', {
      pointer: '/expression',
      zonePointer: '/timezone',
    });
    expect(findings.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['CADENCE_CRON_RANGE', '/expression'],
      ['CADENCE_CRON_RANGE', '/expression'],
      ['CADENCE_CRON_VALUE', '/expression'],
      ['CADENCE_ZONE_UNKNOWN', '/timezone'],
    ]);
  });

  it('have a hint with the plain form of a shorthand', () => {
    expect(readCron('@weekly', 'UTC').findings[0]!.hint).toContain('0 0 * * 0');
  });
});

describe('zones (R3-06, SCH-T13, SCH-K2)', () => {
  it.each([
    'UTC',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'America/Port-au-Prince',
    'Asia/Kolkata',
    'Etc/GMT+5',
    'US/Pacific',
  ])('%s is accepted', (zone) => {
    expect(readCron('0 9 * * *', zone).findings).toEqual([]);
  });

  it.each([
    [undefined, 'CADENCE_ZONE_MISSING'],
    ['', 'CADENCE_ZONE_MISSING'],
    ['EST', 'CADENCE_ZONE_UNKNOWN'],
    ['PST', 'CADENCE_ZONE_UNKNOWN'],
    ['Local', 'CADENCE_ZONE_UNKNOWN'],
    ['+02:00', 'CADENCE_ZONE_UNKNOWN'],
    ['UTC+2', 'CADENCE_ZONE_UNKNOWN'],
    ['utc', 'CADENCE_ZONE_UNKNOWN'],
    ['europe/berlin', 'CADENCE_ZONE_UNKNOWN'],
    ['Europe/BERLIN', 'CADENCE_ZONE_UNKNOWN'],
    ['Europe/Berlin ', 'CADENCE_ZONE_UNKNOWN'],
    ['Europe/Nowhere', 'CADENCE_ZONE_UNKNOWN'],
    ['../etc/passwd', 'CADENCE_ZONE_UNKNOWN'],
  ])('%s is rejected', (zone, code) => {
    expect(readCron('0 9 * * *', zone).findings).toMatchObject([{ code }]);
  });

  it('have a hint with the right spelling', () => {
    expect(readCron('0 9 * * *', 'europe/berlin').findings[0]!.hint).toBe('Write Europe/Berlin.');
  });
});
