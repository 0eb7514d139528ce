import { readCronFields } from '../scheduling/cadence/cron-fields.js';
import { plain, quoteOf } from './words.js';

const value = '(?:\\*|\\?|\\d{1,4}|[A-Za-z]{3,9}|L|W)';
const token = new RegExp(`^${value}(?:[-/,#]${value}){0,60}[LW]?$`);
const names =
  /^(?:(?:sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:[-,/#]|$)|[*\d?@LW])/i;

function isToken(word: string): boolean {
  const bare = word.replace(/[;:]$/, '');
  return /^@[a-z]+$/.test(bare) || (token.test(bare) && names.test(bare));
}

/** Takes a cron expression out of the words, wherever it stands: after the word "cron", or five fields of which two are stars. */
export function takeCron(
  words: readonly string[],
  quotes: readonly string[],
): { words: string[]; cron: string } | undefined {
  const word = words.findIndex((it) => /^cron(?:tab)?:?$/i.test(it));
  // "a cron job for …" names no expression yet.
  const spoken = /^jobs?$/i.test(words[word + 1] ?? '') ? -1 : word;
  let from = spoken + 1;
  while (spoken >= 0 && /^(?:expression|schedule|string|of|is|=|:)$/i.test(words[from] ?? '')) from++;
  const quote = quoteOf(words[from], quotes);
  if (spoken >= 0 && quote !== undefined) return cut(words, spoken, from + 1, quote);
  for (let start = spoken < 0 ? 0 : from; start < words.length; start++) {
    let end = start;
    while (end < words.length && end - start < 8 && isToken(words[end]!)) end++;
    const fields = words.slice(start, end);
    const stars = fields.filter((it) => it.includes('*')).length;
    if (spoken >= 0 ? fields.length > 0 : fields.length >= 5 && stars >= 2)
      return cut(words, spoken < 0 ? start : spoken, end, fields.join(' ').replace(/[;:.]+$/, ''));
    if (spoken >= 0) return undefined;
  }
  return undefined;
}

/** Without the expression and the words that lead to it. */
function cut(words: readonly string[], from: number, to: number, cron: string): { words: string[]; cron: string } {
  let start = from;
  while (start > 0 && /^(?:with|on|using|at|by|via|per|the|a|this|to|following)$/.test(plain([words[start - 1]!])))
    start--;
  return { words: [...words.slice(0, start), ...words.slice(to)], cron: cron.trim() };
}

const numbers: Record<string, number> = Object.fromEntries([
  ...['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].map((name, i) => [name, i]),
  ...['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].map((name, i) => [
    name,
    i + 1,
  ]),
]);

/** An expression with numbers for names, ranges kept; undefined when our cadences refuse it. */
export function normalCron(expression: string): string | undefined {
  if (!('fields' in readCronFields(expression))) return undefined;
  const normal = expression
    .trim()
    .split(/\s+/)
    .join(' ')
    .replace(/[a-z]+/gi, (name) => String(numbers[name.slice(0, 3).toLowerCase()] ?? name));
  return 'fields' in readCronFields(normal) ? normal : undefined;
}
