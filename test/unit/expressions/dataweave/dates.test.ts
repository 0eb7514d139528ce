import { describe, expect, it } from 'vitest';
import { compileDataWeave } from '../../../../src/expressions/dataweave/index.js';
import { cases, env } from './harness.js';

describe('Dates, times and periods', () => {
  cases([
    ['|2024-01-31| + |P1M|', '2024-02-29'],
    ['|2024-02-29| - |P1Y|', '2023-02-28'],
    ['|2024-03-01T00:00:00Z| - |2024-02-01T00:00:00Z|', 'PT696H'],
    ['|P1DT2H|', 'PT26H'],
    ['|PT90M|.minutes', 30],
    ['|2024-05-06T07:08:09.100Z|', '2024-05-06T07:08:09.1Z'],
    ['|2024-05-06T07:00:00Z| == |2024-05-06T09:00:00+02:00|', true],
    ["|2024-07-01T12:00:00Z| >> 'America/New_York'", '2024-07-01T08:00:00-04:00'],
    ["|2024-01-01T12:00:00Z| >> 'America/New_York'", '2024-01-01T07:00:00-05:00'],
    ['|2024-05-06| ++ |10:00:00Z|', '2024-05-06T10:00:00Z'],
    ["|2024-05-06T07:08:09Z| as String {format: 'EEEE, d MMM uuuu h:mm a'}", 'Monday, 6 May 2024 7:08 AM'],
    ["'06/05/2024' as Date {format: 'dd/MM/yyyy'} as String", '2024-05-06'],
    ["'2024-02-30' as Date", { code: 'DW_TYPE_MISMATCH' }],
    ["'2023-02-30' as Date {format: 'yyyy-MM-dd'}", '2023-02-28'],
    ["'2023-02-30' as Date {format: 'yyyy-MM-dd', mode: 'smart'}", '2023-02-28'],
    ["'2023-02-28' as Date {mode: 'LENIENT'}", '2023-02-28'],
    ["'2023-02-30' as Date {format: 'yyyy-MM-dd', mode: 'LENIENT'}", { code: 'DW_UNSUPPORTED_SYNTAX' }],
    ["'2023-02-28' as Date {format: 'yyyy-MM-dd', mode: 'STRICT'}", { code: 'DW_UNSUPPORTED_SYNTAX' }],
    ["(|2023-02-28T10:00:00Z| >> 'Asia/Baku') as String {format: 'zzzz'}", { code: 'DW_UNSUPPORTED_SYNTAX' }],
    ["|2023-02-28| as String {format: 'QQQ', locale: 'fr'}", { code: 'DW_UNSUPPORTED_SYNTAX' }],
    ["|2023-02-28T10:00:00Z| as String {format: 'OOOO', locale: 'fr'}", { code: 'DW_UNSUPPORTED_SYNTAX' }],
    ["'2023-02-28' as Date {format: 'yyyy-MM-dd', mode: 'loose'}", { code: 'DW_FUNCTION_ERROR' }],
    ["'2023-02-28' as Date {format: 'yyyy-MM-dd', mode: null}", { code: 'DW_TYPE_MISMATCH' }],
    [
      "import toDate from dw::util::Coercions --- toDate('2023-02-30', [{format: 'yyyy-MM-dd', mode: 'LENIENT'}])",
      { code: 'DW_UNSUPPORTED_SYNTAX' },
    ],
    ['|2024-05-06| + |PT1H|', { code: 'DW_TYPE_MISMATCH' }],
    ["(|2024-05-06T01:00:00Z| - |2024-05-06T00:00:00Z|) as Number {unit: 'minutes'}", 60],
    ['now().year', 2025],
    ['now()', '2025-03-14T15:09:26.535Z'],
    ['|2024-13-01|', { code: 'DW_PARSE_ERROR' }],
    ["daysBetween('2024-01-01', '2024-03-01')", 60],
    ['import * from dw::core::Dates --- atBeginningOfMonth(|2024-05-06|)', '2024-05-01'],
  ]);

  cases([
    ["'1,5' as Number {format: '#.#', locale: 'de'}", 1.5],
    ["import toNumber from dw::util::Coercions --- toNumber('1,5', '#.#', 'de')", 1.5],
    ["import toNumber from dw::util::Coercions --- toNumber('1,5', [{locale: 'de', format: '#.#'}])", 1.5],
    ["import toNumber from dw::util::Coercions --- toNumber('1,5', '#.#', 'sv')", { code: 'DW_UNSUPPORTED_SYNTAX' }],
    ["'1,5' as Number {format: '#.#', locale: 'xx'}", { code: 'DW_UNSUPPORTED_SYNTAX' }],
    ["'1,5' as Number {format: '#.#', locale: 'de_DE'}", { code: 'DW_UNSUPPORTED_SYNTAX' }],
    ["('1,5' as Number {format: '#.#', locale: 'xx'}) default 7", { code: 'DW_UNSUPPORTED_SYNTAX' }],
    [
      "import try from dw::Runtime --- try(() -> '1,5' as Number {format: '#.#', locale: 'xx'}).success",
      { code: 'DW_UNSUPPORTED_SYNTAX' },
    ],
  ]);

  it('now() and zoneless values follow the configured zone (A25)', () => {
    const zoned = { ...env, timezone: 'Europe/Madrid' };
    const run = (source: string) => compileDataWeave(source, { bindings: [] }).evaluate({}, zoned);
    expect(run('now().hour')).toBe(16);
    expect(run("'2024-07-01T10:00:00' as DateTime")).toBe('2024-07-01T10:00:00+02:00');
  });
});
