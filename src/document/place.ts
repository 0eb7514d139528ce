import { escapePointer } from '../json/pointer.js';
import { isObject, type Json, type JsonObject } from '../json/value.js';
import type { Finding } from '../problems/problem.js';
import { type Code, type CodeEntry, registry } from '../problems/registry.js';
import { positionAt } from './locate.js';
import type { Source } from './parse.js';
import { didYouMean, meantBy } from './suggest.js';

/** What is wrong with a part of a JSON Schema, as the end of a sentence about it. */
export interface SchemaFault {
  message: string;
  hint?: string;
}

/** What one load shares: the text with its positions, the findings so far, and the switches. */
export interface Report {
  source: Source;
  findings: Finding[];
  /** Whether compatibility spellings are accepted with a warning. */
  compat: boolean;
  /** What is wrong with a JSON Schema in the document, by JSON pointer. */
  schemaFaults?: (schema: Json) => ReadonlyMap<string, SchemaFault>;
  /** Where a field would stand that is there by another name, and where that one stands. */
  misspelt?: Map<string, string>;
}

/** What to say about a text in braces that a comma cut in two. */
const cutByComma = 'In { } a comma begins the next field: put the text that it belongs to in quotes.';

type RuleOf<C> = C extends `COMPAT_${infer R}` ? R : never;

/** The names of compatibility spellings, as they appear in the codes of their findings. */
export type CompatRule = RuleOf<Code>;

/** Where a finding points: at the key, at the value, or at a character of a text value. */
export type Spot = 'key' | 'value' | { offset: number };

/** One value of the document together with where it stands. Reading goes through places, so that every finding has one. */
export class Place {
  constructor(
    readonly report: Report,
    readonly pointer: string,
    readonly value: Json | undefined,
  ) {}

  /** The member or item called `key`; its value is undefined where there is none. */
  at(key: string | number): Place {
    const { value } = this;
    let inner: Json | undefined;
    if (Array.isArray(value)) inner = value[key as number];
    else if (isObject(value) && Object.hasOwn(value, key)) inner = value[key];
    return new Place(this.report, `${this.pointer}/${escapePointer(key)}`, inner);
  }

  has(key: string): boolean {
    return isObject(this.value) && Object.hasOwn(this.value, key);
  }

  get object(): JsonObject | undefined {
    return isObject(this.value) ? this.value : undefined;
  }

  /** Members of an object, in the order of the document. */
  entries(): [string, Place][] {
    const keys = Object.keys(this.object ?? {});
    // JavaScript lists keys of digits first.
    if (/^\d/.test(keys[0] ?? '')) {
      const at = new Map(keys.map((key) => [key, this.at(key).offset('key')]));
      keys.sort((a, b) => at.get(a)! - at.get(b)!);
    }
    return keys.map((key) => [key, this.at(key)]);
  }

  /** Items of a list. */
  items(): Place[] {
    return Array.isArray(this.value) ? this.value.map((_, i) => this.at(i)) : [];
  }

  error(code: Code, message: string, hint?: string, spot?: Spot): void {
    this.add('error', code, message, hint, spot);
  }

  warn(code: Code, message: string, hint?: string, spot?: Spot): void {
    this.add('warning', code, message, hint, spot);
  }

  /** A compatibility spelling: accepted with a warning, or refused when compatibility is off. */
  compat(rule: CompatRule, message: string): void {
    this.add(this.report.compat ? 'warning' : 'error', `COMPAT_${rule}`, message, undefined, 'key');
  }

  /** Reports members that are not in `known`. Inside states they are errors: that is how wrong indentation shows. */
  only(
    known: readonly string[],
    severity: Finding['severity'] | ((key: string) => Finding['severity']) = 'error',
    hint?: (key: string) => string | undefined,
  ): void {
    for (const [key, place] of this.entries()) {
      if (known.includes(key)) continue;
      const text = hint?.(key) ?? (place.value === null && /\s/.test(key) ? cutByComma : didYouMean(key, known));
      const meant = meantBy(key, known);
      if (meant !== undefined && !this.has(meant)) this.report.misspelt?.set(this.at(meant).pointer, place.pointer);
      const degree = typeof severity === 'string' ? severity : severity(key);
      place.add(degree, 'UNKNOWN_FIELD', `"${key}" is not a field here.`, text, 'key');
    }
  }

  /** Whether a key here that is not known is `name` misspelt: that is told, and `name` need not be missed as well. */
  misspells(name: string, known: readonly string[]): boolean {
    return Object.keys(this.object ?? {}).some((key) => !known.includes(key) && meantBy(key, known) === name);
  }

  /** Whether `only` took another key for this one. */
  get isMisspelt(): boolean {
    return this.report.misspelt?.has(this.pointer) === true;
  }

  private add(severity: Finding['severity'], code: Code, message: string, hint?: string, spot: Spot = 'value'): void {
    const { source, findings } = this.report;
    const entry: CodeEntry | undefined = registry[code];
    const advice = hint ?? entry?.hint;
    findings.push({
      code,
      severity,
      message,
      pointer: this.pointer,
      ...source.lines.at(this.offset(spot)),
      ...(advice === undefined ? {} : { hint: advice }),
    });
  }

  private offset(spot: Spot): number {
    if (typeof spot === 'object') return spot.offset;
    const { position, own } = positionAt(this.report.source, this.pointer) ?? {};
    if (!position) return 0;
    const atKey = spot === 'key' || !own || this.object !== undefined || this.value === null;
    return atKey ? (position.key ?? position.start) : position.start;
  }
}
