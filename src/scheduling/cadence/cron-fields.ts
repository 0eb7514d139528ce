import type { Code } from '../../problems/registry.js';
import { readCronField } from './cron-field.js';

/** What a five-field cron expression means: the values each field allows, in ascending order. */
export interface CronFields {
  minutes: number[];
  hours: number[];
  daysOfMonth: number[];
  months: number[];
  /** 0 is Sunday. */
  daysOfWeek: number[];
  /** Both day fields are restricted, so a day needs to match only one of them. */
  eitherDay: boolean;
  /** Hours are a wildcard or stepped: it runs whenever the clock shows a matching time, twice in a repeated hour. */
  followsClock: boolean;
}

/** A fault in a cron expression. */
export interface CronFault {
  code: Code;
  message: string;
  hint: string;
}

const macros: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Reads `minute hour day-of-month month day-of-week`; answers with every fault when it cannot. */
export function readCronFields(expression: string): { fields: CronFields; faults: [] } | { faults: CronFault[] } {
  const refused = refusedWhole(expression.trim());
  if (refused) return { faults: [refused] };
  const texts = expression.trim().split(/\s+/);
  const names = ['minute', 'hour', 'day of month', 'month', 'day of week'] as const;
  const read = names.map((name, i) => readCronField(name, texts[i]!));
  const faults = read.flatMap(({ fault }) => fault ?? []);
  if (faults.length > 0) return { faults };
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = read.map(({ values }) => values!) as [
    number[],
    number[],
    number[],
    number[],
    number[],
  ];
  const impossible = impossibleDate(texts[2]!, texts[3]!, daysOfMonth, months);
  if (impossible) return { faults: [impossible] };
  return {
    fields: {
      minutes,
      hours,
      daysOfMonth,
      months,
      daysOfWeek,
      eitherDay: !texts[2]!.startsWith('*') && !texts[4]!.startsWith('*'),
      followsClock: /[*/]/.test(texts[1]!) || hours.length === 24,
    },
    faults: [],
  };
}

function refusedWhole(expression: string): CronFault | undefined {
  if (expression.startsWith('@')) {
    const same = macros[expression.toLowerCase()];
    return {
      code: 'CADENCE_CRON_UNSUPPORTED',
      message: `"${expression}" is a shorthand; a cron expression is written in five fields`,
      hint: same ? `Write "${same}".` : 'For a plain interval use the interval type.',
    };
  }
  if (/^(?:CRON_)?TZ=/.test(expression))
    return {
      code: 'CADENCE_CRON_UNSUPPORTED',
      message: 'The time zone does not belong into the expression',
      hint: 'Give it in the field "timezone".',
    };
  const count = expression === '' ? 0 : expression.split(/\s+/).length;
  if (count === 5) return undefined;
  return {
    code: 'CADENCE_CRON_FIELD_COUNT',
    message: `"${expression}" has ${count} field${count === 1 ? '' : 's'}`,
    hint:
      count > 5
        ? 'Seconds and years are not supported: minute hour day-of-month month day-of-week.'
        : 'Give all five: minute hour day-of-month month day-of-week, with * for any.',
  };
}

/** February counts 29 days: a schedule for leap days is rare, not impossible. */
const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function impossibleDate(dayText: string, monthText: string, days: number[], months: number[]): CronFault | undefined {
  if (months.some((month) => days[0]! <= longest[month - 1]!)) return undefined;
  return {
    code: 'CADENCE_CRON_NEVER',
    message: `No month in "${monthText}" has a day "${dayText}"`,
    hint: 'Name a day that exists; for the end of a month use an interval of P1M that starts on the 31st.',
  };
}
