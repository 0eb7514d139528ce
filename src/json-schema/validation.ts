import { isObject, type Json, type JsonObject } from '../json/value.js';
import type { DynamicScope, SchemaDocument } from './document.js';
import type { Pointers, SchemaError } from './errors.js';
import { Evaluated } from './evaluated.js';
import { keywords } from './keywords/index.js';
import type { ValidateOptions } from './validate.js';

/** The value or the schema is too much to check; never an answer about whether they match. */
export class LimitReached extends Error {}

/** What one keyword sees: its own value, the schema it stands in, and the value it applies to. */
export interface KeywordSite {
  schema: JsonObject;
  value: Json;
  at: Pointers;
  evaluated: Evaluated;
  scope: DynamicScope;
}

/** One keyword: reports what is wrong through `run.fail`, applies subschemas through `run.apply`. */
export type Keyword = (argument: Json, site: KeywordSite, run: Validation) => void;

/** One validation in progress. */
export class Validation {
  readonly errors: SchemaError[] = [];
  private failures = 0;
  private silent = 0;
  private work = 0;
  private depth = 0;

  constructor(
    readonly document: SchemaDocument,
    readonly options: ValidateOptions,
  ) {}

  start(value: Json): void {
    const scope = { resource: this.document.root, outer: undefined };
    this.apply(this.document.root.schema, value, { pointer: '', schemaPointer: '' }, scope);
  }

  spend(work: number): void {
    this.work += work;
    if (this.work > this.options.work) throw new LimitReached('takes too much work to check');
  }

  fail(at: Pointers, keyword: string, message: string, about: Pick<SchemaError, 'property' | 'argument'> = {}): void {
    this.failures += 1;
    if (this.silent > 0 || this.errors.length >= this.options.errors) return;
    const schemaPointer = `${at.schemaPointer}/${keyword}`;
    this.errors.push({ pointer: at.pointer, keyword, message, schemaPointer, ...about });
  }

  /**
   * Applies a schema to a value. With `into`, the schema stands beside its parent (both apply to the same value), and what it
   * has looked at counts for the parent when it accepts the value.
   */
  apply(schema: Json, value: Json, at: Pointers, scope: DynamicScope, into?: Evaluated): boolean {
    this.spend(1);
    if (schema === false) {
      this.fail(at, 'false schema', 'boolean schema is false');
      return false;
    }
    if (!isObject(schema)) return true;
    this.depth += 1;
    if (this.depth > this.options.depth)
      throw new LimitReached('applies schemas inside each other too deeply to check');
    const before = this.failures;
    const evaluated = new Evaluated();
    const site: KeywordSite = { schema, value, at, evaluated, scope: this.enter(schema, scope) };
    for (const { keyword, argument } of planOf(schema)) keyword(argument, site, this);
    this.depth -= 1;
    const accepted = this.failures === before;
    if (accepted && into && this.document.tracksEvaluated) {
      into.add(evaluated);
      this.spend(1);
    }
    return accepted;
  }

  /** Whether a schema accepts a value, reporting nothing. */
  accepts(schema: Json, value: Json, at: Pointers, scope: DynamicScope, into?: Evaluated): boolean {
    const before = this.failures;
    this.silent += 1;
    const accepted = this.apply(schema, value, at, scope, into);
    this.silent -= 1;
    this.failures = before;
    return accepted;
  }

  /** Runs `attempt`; when it answers true, what it reported meanwhile is taken back. */
  unless(attempt: () => boolean): boolean {
    const { length } = this.errors;
    const before = this.failures;
    const passed = attempt();
    if (passed) {
      this.errors.length = Math.min(length, this.errors.length);
      this.failures = before;
    }
    return passed;
  }

  private enter(schema: JsonObject, scope: DynamicScope): DynamicScope {
    const resource = this.document.resourceOf(schema) ?? scope.resource;
    return resource === scope.resource ? scope : { resource, outer: scope };
  }
}

interface Planned {
  keyword: Keyword;
  argument: Json;
}

const plans = new WeakMap<JsonObject, readonly Planned[]>();

/** The keywords of a schema in the order they are tried, kept as long as the schema is. */
function planOf(schema: JsonObject): readonly Planned[] {
  const known = plans.get(schema);
  if (known) return known;
  const plan = keywords
    .filter(([name]) => Object.hasOwn(schema, name))
    .map(([name, keyword]) => ({ keyword, argument: schema[name] as Json }));
  plans.set(schema, plan);
  return plan;
}
