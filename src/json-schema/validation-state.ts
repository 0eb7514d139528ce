import { isObject, type Json, type JsonObject } from '../base/json/value.js';
import { keywords } from './keyword-table-and-structural-keywords.js';
import type { DynamicScope, SchemaDocument } from './schema-document.js';
import type { ValidateOptions } from './validate.js';
import type { Pointers, SchemaError } from './violation-and-pointers.js';

/** The properties and items of one value that schemas have evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
class Evaluated {
  private allProperties = false;
  private readonly properties = new Set<string>();
  /** Items before this index are evaluated. */
  private itemsUpTo = 0;
  private readonly items = new Set<number>();

  property(name: string): void {
    this.properties.add(name);
  }

  everyProperty(): void {
    this.allProperties = true;
  }

  item(index: number): void {
    this.items.add(index);
  }

  firstItems(count: number): void {
    this.itemsUpTo = Math.max(this.itemsUpTo, count);
  }

  everyItem(): void {
    this.itemsUpTo = Number.POSITIVE_INFINITY;
  }

  hasProperty(name: string): boolean {
    return this.allProperties || this.properties.has(name);
  }

  hasItem(index: number): boolean {
    return index < this.itemsUpTo || this.items.has(index);
  }

  /** Adds the parts evaluated by a subschema that accepted the same value. */
  add(other: Evaluated): void {
    if (other.allProperties) this.allProperties = true;
    this.itemsUpTo = Math.max(this.itemsUpTo, other.itemsUpTo);
    for (const name of other.properties) this.properties.add(name);
    for (const index of other.items) this.items.add(index);
  }
}

/** Thrown when the value or the schema exceeds a bound; it does not say whether they match. */
export class LimitReached extends Error {}

/** The context of one keyword: its schema, the value it applies to, and their places. */
export interface KeywordSite {
  schema: JsonObject;
  value: Json;
  at: Pointers;
  evaluated: Evaluated;
  scope: DynamicScope;
}

/** A keyword's check: reports violations through `run.fail`, applies subschemas through `run.apply`. */
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
   * Applies a schema to a value. With `into`, the schema applies to the same value as its parent, and the parts it has evaluated
   * count for the parent if it accepts the value.
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

  /** True if a schema accepts a value; reports nothing. */
  accepts(schema: Json, value: Json, at: Pointers, scope: DynamicScope, into?: Evaluated): boolean {
    const before = this.failures;
    this.silent += 1;
    const accepted = this.apply(schema, value, at, scope, into);
    this.silent -= 1;
    this.failures = before;
    return accepted;
  }

  /** Runs `attempt`; if it returns true, its errors are dropped. */
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

/** The keywords of a schema in the order of their checks, cached with the schema. */
function planOf(schema: JsonObject): readonly Planned[] {
  const known = plans.get(schema);
  if (known) return known;
  const plan = keywords
    .filter(([name]) => Object.hasOwn(schema, name))
    .map(([name, keyword]) => ({ keyword, argument: schema[name] as Json }));
  plans.set(schema, plan);
  return plan;
}
