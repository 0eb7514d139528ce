/** The longest utterance that is looked at. */
export const longestUtterance = 1000;

/** What is not text: control characters, invisible and direction marks, lone surrogates, and the range that stands for quotes here. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]+/gu;

/** Opening quotes with their closing ones. An apostrophe within a word opens nothing. */
const quoted =
  /"([^"]*)"|“([^”]*)”|«([^»]*)»|`([^`]*)`|(?<![^\s(,:])['‘]((?:[^'’]|['’](?=\p{L}))*)['’](?![\p{L}\p{N}])/gu;

const firstMark = 0xe000;

/** An utterance in words. A quoted passage is one word, so that nothing in it is taken for a time or a name. */
export interface Utterance {
  words: string[];
  quotes: string[];
}

/** Splits an utterance; `undefined` when it is too long to look at. */
export function split(text: string): Utterance | undefined {
  if (text.length > longestUtterance) return undefined;
  const quotes: string[] = [];
  const plain = text.normalize('NFC').replace(invisible, ' ');
  const masked = plain.replace(quoted, (all: string, ...groups: (string | undefined)[]) => {
    const inside = groups.slice(0, 5).find((it) => it !== undefined);
    if (inside === undefined || inside.trim() === '') return all;
    quotes.push(inside.trim().replace(/\s+/g, ' '));
    return ` ${String.fromCharCode(firstMark + quotes.length - 1)} `;
  });
  return { words: masked.split(/\s+/).filter((word) => word !== ''), quotes };
}

/** The passage that a word stands for, if it stands for one. */
export function quoteOf(word: string | undefined, quotes: readonly string[]): string | undefined {
  return word?.length === 1 ? quotes[word.charCodeAt(0) - firstMark] : undefined;
}

/** Words as they were said, with their quotes or without. */
export function said(words: readonly string[], quotes: readonly string[], marks = true): string {
  return words
    .map((word) => {
      const quote = quoteOf(word, quotes);
      return quote === undefined ? word : marks ? `"${quote}"` : quote;
    })
    .join(' ');
}

/** Words for comparing: lower case, without the punctuation around them. */
export function plain(words: readonly string[]): string {
  return words.map(plainWord).filter(Boolean).join(' ');
}

/** One word for comparing. */
export function plainWord(word: string): string {
  const lower = word.toLowerCase().replaceAll('’', "'");
  if (/^[ap]\.m\.?[,;]?$/.test(lower)) return `${lower[0]}m`;
  const bare = lower
    .replace(/^[([{]+/, '')
    .replace(/[)\]},;!?]+$/, '')
    .replace(/[.:]+$/, '');
  const meridiem = /^(\d{1,2}(?:[:.]\d\d)?)([ap])\.m$/.exec(bare);
  return meridiem ? `${meridiem[1]}${meridiem[2]}m` : bare;
}

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );
const tens: Record<string, number> = { thirty: 30, forty: 40, fifty: 50, sixty: 60, ninety: 90 };

/** A pattern for a number in digits or words; `a` and `an` are one. */
export const numberPattern = `(?:\\d{1,9}(?:\\.\\d{1,3})?|an?|${[...small, ...Object.keys(tens)].join('|')}|(?:twenty|thirty|forty|fifty)[- ](?:five|one|two|three|four|six|seven|eight|nine))`;

/** The number that such a text names. */
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
