/** Temporal's names, in calendar order. */
export const monthNames = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;

/** Temporal's names of weekdays, from 0. */
export const dayNames = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

/** A run of values at a constant distance. */
export interface Range<T> {
  start: T;
  end: T;
  step: number;
}

/** Ascending values as runs, left to right: 0,15,30,45 is one, 1,2,3,9 is two. */
export function ranges(values: readonly number[]): Range<number>[] {
  const out: Range<number>[] = [];
  for (let i = 0; i < values.length; ) {
    const start = values[i]!;
    const step = (values[i + 1] ?? start + 1) - start;
    let last = i;
    while (values[last + 1] === values[last]! + step) last++;
    // Two values with a gap form a run only if there are no others: the second may start a longer one.
    if (last - i === 1 && step > 1 && values.length > 2) last = i;
    out.push({ start, end: values[last]!, step: last === i ? 1 : step });
    i = last + 1;
  }
  return out;
}

/** Years in few runs: common years, for example, are three runs of every fourth year. */
export function yearRanges(years: readonly number[]): Range<number>[] {
  const plain = ranges(years);
  const everyFourth = [0, 1, 2, 3].flatMap((rest) => ranges(years.filter((year) => year % 4 === rest)));
  return everyFourth.length < plain.length ? everyFourth : plain;
}

/** Runs of values as runs of their names. */
export function namedRanges<T>(values: readonly number[], names: readonly T[]): Range<T>[] {
  return ranges(values).map(({ start, end, step }) => ({ start: names[start]!, end: names[end]!, step }));
}

type Item<T> = T | { start: T; end?: T; step?: number };

/** The numbers that a calendar field allows; `*` allows all of `scale`. Names count from 0. */
export function valuesOf<T extends string | number>(
  field: Item<T> | Item<T>[] | '*',
  scale: readonly (string | number)[],
): number[] {
  const number = (value: string | number) => (typeof value === 'number' ? value : scale.indexOf(value));
  if (field === '*') return scale.map(number);
  return (Array.isArray(field) ? field : [field]).flatMap((item) => {
    const { start, end = start, step = 1 } = typeof item === 'object' ? (item as Range<T>) : { start: item as T };
    const out: number[] = [];
    for (let value = number(start); value <= number(end); value += step) out.push(value);
    return out;
  });
}

/** The whole numbers from `low` to `high`. */
export function span(low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, i) => low + i);
}
