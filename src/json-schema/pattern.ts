import { RE2JS } from 're2js';

/** A compiled pattern: says whether a text contains a match, in time linear in the text. */
export interface Pattern {
  test(text: string): boolean;
  /** The source. ajv keeps patterns by this text and would take two patterns with the same text for one. */
  toString(): string;
}

const mostKept = 500;
const kept = new Map<string, Pattern>();

/**
 * Compiles a schema's `pattern` (JavaScript syntax) to a linear-time matcher; throws a SyntaxError where none exists, as for
 * lookaround and back-references.
 */
export function compilePattern(source: string): Pattern {
  const known = kept.get(source);
  if (known) return known;
  const pattern = compile(source);
  kept.set(source, pattern);
  if (kept.size > mostKept) kept.delete(kept.keys().next().value as string);
  return pattern;
}

function compile(source: string): Pattern {
  try {
    const regex = RE2JS.compile(RE2JS.translateRegExp(source));
    return { test: (text) => regex.matcher(text).find(), toString: () => source };
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : 'not a regular expression');
  }
}

/** What ajv takes as `code.regExp`, so that gateway and run read a pattern the same way. */
export const ajvPatterns = Object.assign((source: string) => compilePattern(source), { code: 'compilePattern' });
