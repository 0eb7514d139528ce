const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );

const tens: Record<string, number> = { thirty: 30, forty: 40, fifty: 50, sixty: 60, ninety: 90 };

/** Pattern of a number in digits or words; `a` and `an` mean one. */
export const numberPattern = `(?:\\d{1,9}(?:\\.\\d{1,3})?|an?|${[...small, ...Object.keys(tens)].join('|')}|(?:twenty|thirty|forty|fifty)[- ](?:five|one|two|three|four|six|seven|eight|nine))`;

/** Value of a text that matches `numberPattern`. */
export function numberOf(text: string): number {
  if (/^\d/.test(text)) return Number(text);
  if (text === 'a' || text === 'an') return 1;
  const [first, second] = text.split(/[- ]/) as [string, string?];
  const value = tens[first] ?? small.indexOf(first);
  return value + (second === undefined ? 0 : small.indexOf(second));
}

/** `1st`, `2nd`, `11th`. */
export function ordinal(value: number): string {
  const last = value % 100 > 10 && value % 100 < 14 ? 0 : value % 10;
  return `${value}${['th', 'st', 'nd', 'rd'][last] ?? 'th'}`;
}
