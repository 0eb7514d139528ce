import { RE2JS } from 're2js';

/** A compiled pattern: tests a text for a match in linear time. */
export interface Pattern {
  test(text: string): boolean;
  /** The source. ajv caches patterns by this text and would confuse two patterns with the same text. */
  toString(): string;
}

const cacheLimit = 500;
const cache = new Map<string, Pattern>();

/**
 * Compiles a schema's `pattern` (JavaScript syntax) to a linear-time matcher; throws a SyntaxError if none exists, as for
 * lookaround and back-references.
 */
export function compilePattern(source: string): Pattern {
  const known = cache.get(source);
  if (known) return known;
  const pattern = compile(source);
  cache.set(source, pattern);
  if (cache.size > cacheLimit) cache.delete(cache.keys().next().value as string);
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

/** ajv's option `code.regExp`, so that gateway and run interpret a pattern the same way. */
export const ajvPatterns = Object.assign((source: string) => compilePattern(source), { code: 'compilePattern' });
