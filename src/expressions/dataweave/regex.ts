import { RE2JS } from 're2js';
import { Fault } from './fault.js';
import { RegexValue } from './values.js';

const maxInput = 100_000;

/** Why a pattern cannot be used, or null. Patterns run in linear time, so Java's backtracking extras are refused. */
export function regexProblem(source: string): string | null {
  if (source.length > 2_000) return 'The pattern is too long';
  if (hasClassIntersection(source)) return 'Character class intersection (&&) is not supported';
  try {
    RE2JS.compile(source);
    return null;
  } catch {
    return 'The pattern is not valid or needs backtracking (lookaround, back references), which is not supported';
  }
}

function hasClassIntersection(source: string): boolean {
  let inClass = 0;
  for (let i = 0; i < source.length; i++) {
    const c = source[i];
    if (c === '\\') i++;
    else if (c === '[') inClass++;
    else if (c === ']' && inClass > 0) inClass--;
    else if (c === '&' && source[i + 1] === '&' && inClass > 0) return true;
  }
  return false;
}

export function makeRegex(source: string): RegexValue {
  const problem = regexProblem(source);
  if (problem) throw new Fault('DW_TYPE_MISMATCH', problem, true, 'CannotCoerceException');
  return new RegexValue(source, RE2JS.compile(source));
}

/** One match: the groups (null where a group took no part) and where it starts and ends. */
export interface Match {
  groups: (string | null)[];
  /** Where each group starts; -1 where it took no part. */
  starts: number[];
  start: number;
  end: number;
}

function check(text: string): void {
  if (text.length > maxInput)
    throw new Fault('DW_MAX_RESULT_SIZE_EXCEEDED', `Text of more than ${maxInput} characters for a pattern`);
}

/** Every match in `text`, at most `limit`. */
export function findAll(regex: RegexValue, text: string, limit = Number.POSITIVE_INFINITY): Match[] {
  check(text);
  const matcher = regex.program.matcher(text);
  const out: Match[] = [];
  while (out.length < limit && matcher.find()) out.push(current(matcher));
  return out;
}

/** The match of the whole text, or null. */
export function matchWhole(regex: RegexValue, text: string): Match | null {
  check(text);
  const matcher = regex.program.matcher(text);
  return matcher.matches() ? current(matcher) : null;
}

function current(matcher: ReturnType<RE2JS['matcher']>): Match {
  const groups: (string | null)[] = [];
  const starts: number[] = [];
  for (let i = 0; i <= matcher.groupCount(); i++) {
    groups.push(matcher.group(i) ?? null);
    starts.push(matcher.start(i));
  }
  return { groups, starts, start: matcher.start(), end: matcher.end() };
}
