import { RE2JS } from 're2js';
import { Fault } from './evaluation-fault.js';
import type { Evaluation } from './evaluation-state.js';
import { RegexValue } from './values.js';

const maxInput = 100_000;

/** Reason why a pattern cannot be used, or null. Patterns run in linear time, so Java's backtracking features are rejected. */
export function regexProblem(source: string): string | null {
  if (source.length > 2_000) return 'The regular expression is too long';
  if (hasClassIntersection(source)) return 'Character class intersection (&&) is not supported';
  try {
    RE2JS.compile(source);
    return null;
  } catch {
    return 'The regular expression is not valid or needs backtracking (lookaround, back references), which is not supported';
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

/** Compiles a pattern. */
export function makeRegex(source: string): RegexValue {
  const problem = regexProblem(source);
  if (problem) throw new Fault('DW_TYPE_MISMATCH', problem, false, 'PatternSyntaxException');
  return new RegexValue(source, RE2JS.compile(source));
}

/** A match: its groups (null for a group that did not participate), start and end. */
export interface Match {
  groups: (string | null)[];
  /** Start of each group; -1 for a group that did not participate. */
  starts: number[];
  start: number;
  end: number;
}

/**
 * Text that consumes fuel when read. A single search is linear, but finding all matches may read the rest of the text each time, so the
 * number of reads counts, not the length.
 */
class MeteredText extends String {
  private reads = 0;
  constructor(
    text: string,
    private readonly ev: Evaluation,
    private readonly price: number,
  ) {
    super(text);
  }
  override charCodeAt(index: number): number {
    if (++this.reads === 64) {
      this.reads = 0;
      this.ev.charge(this.price);
    }
    return super.charCodeAt(index);
  }
  override indexOf(part: string, from = 0): number {
    const found = super.indexOf(part, from);
    this.ev.charge(((found === -1 ? this.length : found) - from) >> 8);
    return found;
  }
}

/** Text short enough to charge its worst case in advance. */
const short = 64;

function matcherOf(ev: Evaluation, regex: RegexValue, text: string): ReturnType<RE2JS['matcher']> {
  if (text.length > maxInput)
    throw new Fault(
      'DW_MAX_RESULT_SIZE_EXCEEDED',
      `A regular expression accepts at most ${maxInput} characters of text`,
    );
  ev.charge(4 + (text.length >> 2));
  if (text.length <= short) {
    ev.charge((text.length * text.length) >> 7);
    return regex.program.matcher(text);
  }
  const matcher = regex.program.matcher('');
  const price = 12 + (matcher.programSize() >> 2);
  return matcher.resetMatcherInput(new MeteredText(text, ev, price) as unknown as string);
}

/** All matches in `text`, at most `limit`. */
export function findAll(ev: Evaluation, regex: RegexValue, text: string, limit = Number.POSITIVE_INFINITY): Match[] {
  const matcher = matcherOf(ev, regex, text);
  const out: Match[] = [];
  while (out.length < limit && matcher.find()) {
    const match = current(matcher);
    ev.charge(3 + 2 * match.groups.length);
    out.push(match);
  }
  return out;
}

/** Match of the whole text, or null. */
export function matchWhole(ev: Evaluation, regex: RegexValue, text: string): Match | null {
  const matcher = matcherOf(ev, regex, text);
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
