import type { CronFault } from './cron-fields.js';

export type CronFieldName = 'minute' | 'hour' | 'day of month' | 'month' | 'day of week';

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

/** A fault on its way out of the field it was found in. */
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
export function readCronField(name: CronFieldName, text: string): { values?: number[]; fault?: CronFault } {
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
      `"${span}" ends before it begins`,
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
