/** Maximum length of an utterance, in characters. */
export const longestUtterance = 1000;

/** Number of words within which a phrase is looked for at every position. */
export const longestSearch = 60;

/** Characters that are removed: control characters, invisible and direction marks, lone surrogates, and the private range that marks quotes. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]+/gu;

/** Quoted passages, by pair of quotation marks. An apostrophe within a word does not open a quote. */
const quoted =
  /"([^"]*)"|“([^”]*)”|«([^»]*)»|`([^`]*)`|(?<![^\s(,:])['‘]((?:[^'’]|['’](?=\p{L}))*)['’](?![\p{L}\p{N}])/gu;

const firstMark = 0xe000;

/** An utterance split into words. A quoted passage is one word, so that nothing inside it is read as a time or a name. */
export interface Utterance {
  words: string[];
  quotes: string[];
}

/** Splits an utterance into words; undefined if it is too long. */
export function splitWords(text: string): Utterance | undefined {
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

/** The quoted passage that a placeholder word stands for; undefined for any other word. */
export function quotedText(word: string | undefined, quotes: readonly string[]): string | undefined {
  return word?.length === 1 ? quotes[word.charCodeAt(0) - firstMark] : undefined;
}

/** Joins words as they were written; `marks` keeps the quotation marks. */
export function joinWords(words: readonly string[], quotes: readonly string[], marks = true): string {
  return words
    .map((word) => {
      const quote = quotedText(word, quotes);
      return quote === undefined ? word : marks ? `"${quote}"` : quote;
    })
    .join(' ');
}

/** Words in the form used for matching: lower case, without surrounding punctuation. */
export function normalize(words: readonly string[]): string {
  return words.map(normalizeWord).filter(Boolean).join(' ');
}

/** One word in the form used for matching. */
export function normalizeWord(word: string): string {
  const lower = word.toLowerCase().replaceAll('’', "'");
  if (/^[ap]\.m\.?[,;]?$/.test(lower)) return `${lower[0]}m`;
  const bare = lower
    .replace(/^[([{]+/, '')
    .replace(/[)\]},;!?]+$/, '')
    .replace(/[.:]+$/, '');
  const meridiem = /^(\d{1,2}(?:[:.]\d\d)?)([ap])\.m$/.exec(bare);
  return meridiem ? `${meridiem[1]}${meridiem[2]}m` : bare;
}
