import { Fault } from '../evaluation-fault.js';

/** A pattern letter with its repetition count, literal text, or a bracket of an optional section. */
export type PatternToken =
  | { kind: 'field'; letter: string; count: number }
  | { kind: 'text'; text: string }
  | { kind: 'open' | 'close' };

/** Maximum repetitions of a letter. */
const most: readonly [letters: string, count: number][] = [
  ['WFa', 1],
  ['dHhKkmswV', 2],
  ['D', 3],
  ['zO', 4],
  ['GMLQqEecBXxZ', 5],
  ['S', 9],
  ['uyYAnN', 19],
];
const counts = new Map(most.flatMap(([letters, count]) => [...letters].map((letter) => [letter, count])));
/** Repetition counts below the maximum that are invalid. */
const gaps: Record<string, readonly number[]> = { B: [2, 3], O: [2, 3], c: [2], V: [1] };

/** Tokenizes a date pattern in Java's notation. */
export function tokenize(pattern: string): PatternToken[] {
  const tokens: PatternToken[] = [];
  for (let i = 0; i < pattern.length; ) {
    const c = pattern[i]!;
    if (c === "'") {
      const [text, next] = quoted(pattern, i + 1);
      tokens.push({ kind: 'text', text });
      i = next;
    } else if (c === '[' || c === ']') {
      tokens.push({ kind: c === '[' ? 'open' : 'close' });
      i++;
    } else if (/[A-Za-z]/.test(c)) {
      let count = 1;
      while (pattern[i + count] === c) count++;
      if (count > (counts.get(c) ?? 0) || gaps[c]?.includes(count))
        throw new Fault('DW_FUNCTION_ERROR', 'The date pattern is not valid', true, 'UnsupportedTypeCoercionException');
      tokens.push({ kind: 'field', letter: c, count });
      i += count;
    } else if ('#{}'.includes(c)) {
      throw new Fault(
        'DW_FUNCTION_ERROR',
        'The date pattern contains a reserved character',
        true,
        'UnsupportedTypeCoercionException',
      );
    } else {
      tokens.push({ kind: 'text', text: c });
      i++;
    }
  }
  return tokens;
}

function quoted(pattern: string, from: number): [string, number] {
  if (pattern[from] === "'") return ["'", from + 1];
  let text = '';
  for (let i = from; i < pattern.length; i++) {
    if (pattern[i] !== "'") text += pattern[i];
    else if (pattern[i + 1] === "'") {
      text += "'";
      i++;
    } else return [text, i + 1];
  }
  throw new Fault(
    'DW_FUNCTION_ERROR',
    'The date pattern has an unclosed quote',
    true,
    'UnsupportedTypeCoercionException',
  );
}
