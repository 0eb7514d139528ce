import type { Code } from '../../base/problems/registry.js';

/** The meaning of a five-field cron expression: the values that each field allows, in ascending order. */
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

/** Reads `minute hour day-of-month month day-of-week`; returns every fault if it is invalid. */
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

type CronFieldName = 'minute' | 'hour' | 'day of month' | 'month' | 'day of week';

interface Shape {
  low: number;
  high: number;
  names?: string[];
}

const monthNames = 'january february march april may june july august september october november december'.split(' ');
const dayNames = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');

const shapes: Record<CronFieldName, Shape> = {
  minute: { low: 0, high: 59 },
  hour: { low: 0, high: 23 },
  'day of month': { low: 1, high: 31 },
  month: { low: 1, high: 12, names: monthNames },
  'day of week': { low: 0, high: 7, names: dayNames },
};

/** A fault, thrown inside the reading of a field. */
class Refused extends Error {
  constructor(
    readonly code: CronFault['code'],
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** Reads one field: `*`, values, names, ranges, steps over either, and lists of them. */
function readCronField(name: CronFieldName, text: string): { values?: number[]; fault?: CronFault } {
  try {
    const values = new Set<number>();
    for (const item of text.split(',')) for (const value of readItem(name, item)) values.add(value);
    // Sunday is both 0 and 7.
    if (name === 'day of week' && values.delete(7)) values.add(0);
    return { values: [...values].sort((a, b) => a - b) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { fault: { code: error.code, message: `In the ${name} field: ${error.message}`, hint: error.hint } };
  }
}

function readItem(name: CronFieldName, item: string): number[] {
  refuseForeign(name, item);
  const shape = shapes[name];
  const [span, stepText, ...more] = item.split('/');
  if (span === undefined || span === '' || more.length > 0)
    throw new Refused(
      'CADENCE_CRON_VALUE',
      item === '' ? 'a value is missing' : `"${item}" cannot be read`,
      howTo(name),
    );
  const [low, high] = readSpan(name, span);
  if (stepText === undefined) return range(low, high, 1);
  if (span !== '*' && !span.includes('-'))
    throw new Refused(
      'CADENCE_CRON_STEP',
      `"${item}" steps from a single value, which schedulers read in different ways`,
      `Write ${span}-${topOf(name)}/${stepText}, or ${span} alone.`,
    );
  const step = /^\d{1,4}$/.test(stepText) ? Number(stepText) : 0;
  const widest = topOf(name) - shape.low;
  if (step < 1 || step > widest)
    throw new Refused(
      'CADENCE_CRON_STEP',
      `"${stepText}" is not a step from 1 to ${widest}`,
      'A step counts within one field; for a longer stretch use the interval type.',
    );
  return range(low, high, step);
}

function readSpan(name: CronFieldName, span: string): [number, number] {
  if (span === '*') return [shapes[name].low, topOf(name)];
  const [from, to, ...more] = span.split('-');
  if (from === undefined || from === '' || to === '' || more.length > 0)
    throw new Refused('CADENCE_CRON_VALUE', `"${span}" cannot be read`, howTo(name));
  const low = readValue(name, from);
  if (to === undefined) return [low, low];
  let high = readValue(name, to);
  if (name === 'day of week' && high === 0 && low > 0) high = 7;
  if (high < low)
    throw new Refused(
      'CADENCE_CRON_BACKWARDS',
      `"${span}" ends before it starts`,
      `Write two ranges: ${from}-${topOf(name)},${shapes[name].low}-${to}.`,
    );
  return [low, high];
}

function readValue(name: CronFieldName, text: string): number {
  const { low, high, names } = shapes[name];
  if (/^\d{1,9}$/.test(text)) {
    const value = Number(text);
    if (value >= low && value <= high) return value;
    throw new Refused('CADENCE_CRON_RANGE', `${value} is not between ${low} and ${high}`, howTo(name));
  }
  const wanted = text.toLowerCase();
  const index = names?.findIndex((full) => full === wanted || full.slice(0, 3) === wanted) ?? -1;
  if (index >= 0) return index + low;
  throw new Refused('CADENCE_CRON_VALUE', `"${text}" is not a value`, howTo(name));
}

/** Notations of other schedulers, refused by name because the nearest plain reading would run at other times. */
function refuseForeign(name: CronFieldName, item: string): void {
  const refuse = (what: string, hint: string) => {
    throw new Refused('CADENCE_CRON_UNSUPPORTED', `${what} is not supported`, hint);
  };
  if (item.includes('#'))
    refuse('"#" (the nth weekday of a month)', 'Schedule the weekday and let the journey decide.');
  if (item.includes('?')) refuse('"?"', 'Write * for any value.');
  if (name === 'day of month' && /^(?:L|LW|L-\d+|\d+W)$/i.test(item))
    refuse('"L" or "W"', 'For the end of every month use an interval of P1M that starts on the 31st.');
  if (name === 'day of week' && /^(?:\w+L|L)$/i.test(item))
    refuse('"L"', 'Schedule the weekday and let the journey decide.');
  if (/^H\b/.test(item)) refuse('"H"', 'Choose the value yourself.');
}

function topOf(name: CronFieldName): number {
  return name === 'day of week' ? 6 : shapes[name].high;
}

function howTo(name: CronFieldName): string {
  const { low, high, names } = shapes[name];
  const named = names ? `, or names such as ${names[1]!.slice(0, 3)}` : '';
  return `Use *, ${low} to ${high}${named}, ranges a-b, steps */n and lists a,b.`;
}

function range(low: number, high: number, step: number): number[] {
  const out: number[] = [];
  for (let value = low; value <= high; value += step) out.push(value);
  return out;
}
