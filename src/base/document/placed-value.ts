import { escapePointer } from '../json/pointer.js';
import { isObject, type Json, type JsonObject } from '../json/value.js';
import type { Finding } from '../problems/problem.js';
import { type Code, type CodeEntry, registry } from '../problems/registry.js';
import { didYouMean, likelyName } from './did-you-mean.js';
import { positionAt } from './locate-pointer.js';
import type { Source } from './parse-yaml.js';

/** An error in a part of a JSON Schema, phrased as the end of a sentence. */
export interface SchemaFault {
  message: string;
  hint?: string;
}

/** An expression in a short form, as it is written out: in a field `wrap` around it, with its language. */
export interface ShortForm {
  pointer: string;
  wrap?: 'mapper' | 'predicate' | undefined;
  lang: string;
  /** The expression of a mapper that is referred to by name where the language has none. */
  expr?: string;
}

/** An expression that has a short form: without the field `wrap` around it, else without its language. */
export interface LongForm {
  pointer: string;
  wrap?: 'mapper' | 'predicate';
  /** A text can be the whole expression. */
  acceptsText: boolean;
}

/** A state with a field that the language writes as a second state after it. */
export interface TwoStates {
  pointer: string;
  /** Fields of the first state that get another name or, with null, go. */
  rename: Readonly<Record<string, string | null>>;
  /** Fields of the first state that are set, or of blocks in it; null removes one. */
  set: JsonObject;
  /** The second state, to which `next` of the first then leads. */
  second: JsonObject;
}

/** A field that is left out, because others imply its value. */
export interface ImpliedField {
  pointer: string;
  key: string;
  value: string;
}

/** A field that could be left out. */
export interface RedundantField {
  pointer: string;
  key: string;
}

/** The parts of a document that can be written in another form. */
export interface Forms {
  short: ShortForm[];
  long: LongForm[];
  implied: ImpliedField[];
  redundant: RedundantField[];
  twoStates: TwoStates[];
}

/** The state of one load: the text with its positions, the findings so far, and the options. */
export interface Report {
  source: Source;
  findings: Finding[];
  /** True accepts compatibility spellings with a warning. */
  compat: boolean;
  /** Errors in the JSON Schemas of the document, by JSON pointer. */
  schemaFaults?: (schema: Json) => ReadonlyMap<string, SchemaFault>;
  /** Collects the parts that can be written in another form. */
  forms?: Forms;
  /** Pointers of fields that are written under another name, and the pointers of those. */
  misspelt?: Map<string, string>;
}

/** The hint for a text in braces that a comma cut in two. */
const cutByComma = 'In { } a comma starts the next field: quote the text that contains it.';

type RuleOf<C> = C extends `COMPAT_${infer R}` ? R : never;

/** The names of compatibility spellings, as they appear in the codes of their findings. */
export type CompatRule = RuleOf<Code>;

/** The target of a finding: the key, the value, or a character of a text value. */
export type Spot = 'key' | 'value' | { offset: number };

/** One value of the document and its position. Reading goes through places, so that every finding has one. */
export class Place {
  constructor(
    readonly report: Report,
    readonly pointer: string,
    readonly value: Json | undefined,
  ) {}

  /** The member or item called `key`; its value is undefined if it does not exist. */
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

  /** Reports a compatibility spelling: a warning, or an error if compatibility is off. */
  compat(rule: CompatRule, message: string): void {
    this.add(this.report.compat ? 'warning' : 'error', `COMPAT_${rule}`, message, undefined, 'key');
  }

  /** Reports members that are not in `known`. Inside states they are errors, because wrong indentation shows there. */
  only(
    known: readonly string[],
    severity: Finding['severity'] | ((key: string) => Finding['severity']) = 'error',
    hint?: (key: string) => string | undefined,
  ): void {
    for (const [key, place] of this.entries()) {
      if (known.includes(key)) continue;
      const text = hint?.(key) ?? (place.value === null && /\s/.test(key) ? cutByComma : didYouMean(key, known));
      const meant = likelyName(key, known);
      if (meant !== undefined && !this.has(meant)) this.report.misspelt?.set(this.at(meant).pointer, place.pointer);
      const degree = typeof severity === 'string' ? severity : severity(key);
      place.add(degree, 'UNKNOWN_FIELD', `"${key}" is not a field here.`, text, 'key');
    }
  }

  /** True if an unknown key here is `name` misspelt; that is reported, so `name` need not be reported as missing. */
  misspells(name: string, known: readonly string[]): boolean {
    return Object.keys(this.object ?? {}).some((key) => !known.includes(key) && likelyName(key, known) === name);
  }

  /** True if `only` matched another key to this one. */
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
