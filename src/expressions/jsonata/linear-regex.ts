import { RE2JS } from 're2js';
import { refuse } from '../../base/problems/problem.js';

const compiled = new WeakMap<RegExp, RE2JS>();

/** Linear-time equivalent of a pattern; throws if RE2 has none (lookaround, back-references). */
export function toLinearRegex(pattern: RegExp): RE2JS {
  let regex = compiled.get(pattern);
  if (!regex) {
    // RE2 accepts Java's class intersection with a different meaning.
    if (/\[[^\]]*&&/.test(pattern.source)) throw new SyntaxError('class intersection');
    let flags = 0;
    if (pattern.ignoreCase) flags |= RE2JS.CASE_INSENSITIVE;
    if (pattern.multiline) flags |= RE2JS.MULTILINE;
    regex = RE2JS.compile(pattern.source, flags);
    compiled.set(pattern, regex);
  }
  return regex;
}

const longestInput = 100_000;

/** Replacement for RegExp inside JSONata: matches in linear time and reports the characters it reads to `charge`. */
export function linearRegexEngine(charge: (characters: number) => void): RegExpConstructor {
  class LinearRegex {
    lastIndex = 0;
    readonly #regex: RE2JS;
    constructor(pattern: RegExp) {
      this.#regex = toLinearRegex(pattern);
    }
    exec(text: string): RegExpExecArray | null {
      if (text.length > longestInput)
        refuse('JSONATA_LIMIT_EXCEEDED', 'A regular expression was applied to text that is too long');
      charge(text.length - this.lastIndex + 1);
      const matcher = this.#regex.matcher(text);
      if (this.lastIndex > text.length || !matcher.find(this.lastIndex)) {
        this.lastIndex = 0;
        return null;
      }
      const groups: (string | undefined)[] = [];
      for (let i = 0; i <= matcher.groupCount(); i++) groups.push(matcher.group(i) ?? undefined);
      this.lastIndex = matcher.end();
      return Object.assign(groups, { index: matcher.start(), input: text }) as unknown as RegExpExecArray;
    }
  }
  return LinearRegex as unknown as RegExpConstructor;
}
