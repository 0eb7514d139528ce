import { canonical, isObject, type Json, type JsonObject, own } from '../base/json/value.js';
import {
  constant,
  enumeration,
  exclusiveMaximum,
  exclusiveMinimum,
  format,
  matches,
  maximum,
  maxLength,
  minimum,
  minLength,
  multipleOf,
  pattern,
  type,
} from './scalar-keywords.js';
import type { Keyword, KeywordSite, Validation } from './validation-state.js';
import { below, inSchema } from './violation-and-pointers.js';

function propertyBound(name: string, fewer: string, holds: (count: number, limit: number) => boolean): Keyword {
  return (limit, { value, at }, run) => {
    if (typeof limit !== 'number' || !isObject(value) || holds(Object.keys(value).length, limit)) return;
    run.fail(at, name, `must NOT have ${fewer} than ${limit} properties`);
  };
}

const minProperties = propertyBound('minProperties', 'fewer', (count, limit) => count >= limit);
const maxProperties = propertyBound('maxProperties', 'more', (count, limit) => count <= limit);

const required: Keyword = (names, { value, at }, run) => {
  if (!Array.isArray(names) || !isObject(value)) return;
  run.spend(names.length);
  for (const name of names) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) {
      run.fail(at, 'required', `must have required property '${name}'`, { property: name });
    }
  }
};

const dependentRequired: Keyword = (dependencies, { value, at }, run) => {
  if (!isObject(dependencies) || !isObject(value)) return;
  for (const [name, names] of Object.entries(dependencies)) {
    if (!Object.hasOwn(value, name) || !Array.isArray(names)) continue;
    run.spend(names.length);
    const missing = names.filter((other) => typeof other === 'string' && !Object.hasOwn(value, other));
    for (const property of missing as string[]) {
      const plural = names.length === 1 ? 'property' : 'properties';
      const message = `must have ${plural} ${names.join(', ')} when property ${name} is present`;
      run.fail(at, 'dependentRequired', message, { property });
    }
  }
};

const properties: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!isObject(schemas) || !isObject(value)) return;
  for (const name of Object.keys(schemas)) {
    if (!Object.hasOwn(value, name)) continue;
    run.apply(schemas[name]!, value[name]!, below(at, name, 'properties', name), scope);
    evaluated.property(name);
  }
};

const patternProperties: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!isObject(schemas) || !isObject(value)) return;
  for (const source of Object.keys(schemas)) {
    for (const name of Object.keys(value)) {
      if (!matches(source, name, run)) continue;
      run.apply(schemas[source]!, value[name]!, below(at, name, 'patternProperties', source), scope);
      evaluated.property(name);
    }
  }
};

const additionalProperties: Keyword = (schema, { schema: parent, value, at, evaluated, scope }, run) => {
  if (!isObject(value)) return;
  for (const name of additional(parent, value, run)) {
    if (schema === false)
      run.fail(at, 'additionalProperties', 'must NOT have additional properties', { property: name });
    else run.apply(schema, value[name]!, below(at, name, 'additionalProperties'), scope);
  }
  evaluated.everyProperty();
};

function additional(schema: JsonObject, value: JsonObject, run: Validation): string[] {
  const declared = own(schema, 'properties');
  const patterns = own(schema, 'patternProperties');
  const sources = isObject(patterns) ? Object.keys(patterns) : [];
  return Object.keys(value).filter(
    (name) => own(declared, name) === undefined && !sources.some((source) => matches(source, name, run)),
  );
}

const propertyNames: Keyword = (schema, { value, at, scope }, run) => {
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (!run.apply(schema, name, inSchema(at, 'propertyNames'), scope)) {
      run.fail(at, 'propertyNames', 'property name must be valid', { property: name });
    }
  }
};

const dependentSchemas: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!isObject(schemas) || !isObject(value)) return;
  for (const name of Object.keys(schemas)) {
    if (!Object.hasOwn(value, name)) continue;
    run.apply(schemas[name] as Json, value, inSchema(at, 'dependentSchemas', name), scope, evaluated);
  }
};

const unevaluatedProperties: Keyword = (schema, { value, at, evaluated, scope }, run) => {
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (evaluated.hasProperty(name)) continue;
    if (schema === false)
      run.fail(at, 'unevaluatedProperties', 'must NOT have unevaluated properties', { property: name });
    else run.apply(schema, value[name]!, below(at, name, 'unevaluatedProperties'), scope);
  }
  evaluated.everyProperty();
};

function itemBound(name: string, fewer: string, holds: (count: number, limit: number) => boolean): Keyword {
  return (limit, { value, at }, run) => {
    if (typeof limit !== 'number' || !Array.isArray(value) || holds(value.length, limit)) return;
    run.fail(at, name, `must NOT have ${fewer} than ${limit} items`);
  };
}

const minItems = itemBound('minItems', 'fewer', (count, limit) => count >= limit);
const maxItems = itemBound('maxItems', 'more', (count, limit) => count <= limit);

const uniqueItems: Keyword = (on, { value, at }, run) => {
  if (on !== true || !Array.isArray(value)) return;
  const seen = new Map<string, number>();
  for (const [i, item] of value.entries()) {
    const text = canonical(item);
    run.spend(1 + Math.ceil(text.length / 20));
    const first = seen.get(text);
    if (first !== undefined) {
      run.fail(at, 'uniqueItems', `must NOT have duplicate items (items ## ${first} and ${i} are identical)`);
      return;
    }
    seen.set(text, i);
  }
};

const prefixItems: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!Array.isArray(schemas) || !Array.isArray(value)) return;
  const count = Math.min(schemas.length, value.length);
  for (let i = 0; i < count; i++) run.apply(schemas[i]!, value[i]!, below(at, i, 'prefixItems', i), scope);
  evaluated.firstItems(count);
};

const items: Keyword = (schema, { schema: parent, value, at, evaluated, scope }, run) => {
  if (!Array.isArray(value)) return;
  const prefix = own(parent, 'prefixItems');
  const from = Array.isArray(prefix) ? prefix.length : 0;
  if (schema === false) {
    if (value.length > from) run.fail(at, 'items', `must NOT have more than ${from} items`);
  } else {
    for (let i = from; i < value.length; i++) run.apply(schema, value[i]!, below(at, i, 'items'), scope);
  }
  evaluated.everyItem();
};

const contains: Keyword = (schema, { schema: parent, value, at, evaluated, scope }, run) => {
  if (!Array.isArray(value)) return;
  const min = numberOr(own(parent, 'minContains'), 1);
  const max = numberOr(own(parent, 'maxContains'), Number.POSITIVE_INFINITY);
  let count = 0;
  for (const [i, item] of value.entries()) {
    if (!run.accepts(schema, item, below(at, i, 'contains'), scope)) continue;
    count += 1;
    evaluated.item(i);
  }
  if (count >= min && count <= max) return;
  const range = Number.isFinite(max) ? `at least ${min} and no more than ${max}` : `at least ${min}`;
  run.fail(at, 'contains', `must contain ${range} valid item(s)`);
};

function numberOr(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

const unevaluatedItems: Keyword = (schema, { value, at, evaluated, scope }, run) => {
  if (!Array.isArray(value)) return;
  for (const [i, item] of value.entries()) {
    if (evaluated.hasItem(i)) continue;
    if (schema === false) {
      run.fail(at, 'unevaluatedItems', `must NOT have more than ${i} items`);
      break;
    }
    run.apply(schema, item, below(at, i, 'unevaluatedItems'), scope);
  }
  evaluated.everyItem();
};

const ref: Keyword = (target, site, run) => follow('$ref', target, site, run);
const dynamicRef: Keyword = (target, site, run) => follow('$dynamicRef', target, site, run);

function follow(
  keyword: '$ref' | '$dynamicRef',
  target: Json,
  { value, at, evaluated, scope }: KeywordSite,
  run: Validation,
) {
  if (typeof target !== 'string') return;
  const schema =
    keyword === '$ref' ? run.document.resolve(target, scope.resource) : run.document.resolveDynamic(target, scope);
  if (schema === undefined) run.fail(at, keyword, `refers to a schema that is not in the document: ${target}`);
  else run.apply(schema, value, inSchema(at, keyword), scope, evaluated);
}

const allOf: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!Array.isArray(schemas)) return;
  for (const [i, schema] of schemas.entries()) run.apply(schema, value, inSchema(at, 'allOf', i), scope, evaluated);
};

const anyOf: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!Array.isArray(schemas)) return;
  const matched = run.unless(() => {
    let some = false;
    for (const [i, schema] of schemas.entries()) {
      if (run.apply(schema, value, inSchema(at, 'anyOf', i), scope, evaluated)) some = true;
    }
    return some;
  });
  if (!matched) run.fail(at, 'anyOf', 'must match a schema in anyOf');
};

const oneOf: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!Array.isArray(schemas)) return;
  let count = 0;
  run.unless(() => {
    for (const [i, schema] of schemas.entries()) {
      if (run.apply(schema, value, inSchema(at, 'oneOf', i), scope, evaluated)) count += 1;
    }
    return count > 0;
  });
  if (count !== 1) run.fail(at, 'oneOf', 'must match exactly one schema in oneOf');
};

const not: Keyword = (schema, { value, at, scope }, run) => {
  if (run.accepts(schema, value, inSchema(at, 'not'), scope)) run.fail(at, 'not', 'must NOT be valid');
};

const ifThenElse: Keyword = (condition, { schema, value, at, evaluated, scope }, run) => {
  const branch = run.accepts(condition, value, inSchema(at, 'if'), scope, evaluated) ? 'then' : 'else';
  const consequence = own(schema, branch);
  if (consequence === undefined) return;
  if (!run.apply(consequence, value, inSchema(at, branch), scope, evaluated)) {
    run.fail(at, 'if', `must match "${branch}" schema`);
  }
};

/** Every keyword that asserts something, in the order of their checks; `unevaluated…` come last because they use the results of the others. */
export const keywords: readonly (readonly [string, Keyword])[] = [
  ['type', type],
  ['enum', enumeration],
  ['const', constant],
  ['minimum', minimum],
  ['maximum', maximum],
  ['exclusiveMinimum', exclusiveMinimum],
  ['exclusiveMaximum', exclusiveMaximum],
  ['multipleOf', multipleOf],
  ['minLength', minLength],
  ['maxLength', maxLength],
  ['pattern', pattern],
  ['format', format],
  ['minItems', minItems],
  ['maxItems', maxItems],
  ['uniqueItems', uniqueItems],
  ['prefixItems', prefixItems],
  ['items', items],
  ['contains', contains],
  ['minProperties', minProperties],
  ['maxProperties', maxProperties],
  ['required', required],
  ['dependentRequired', dependentRequired],
  ['properties', properties],
  ['patternProperties', patternProperties],
  ['additionalProperties', additionalProperties],
  ['propertyNames', propertyNames],
  ['dependentSchemas', dependentSchemas],
  ['$ref', ref],
  ['$dynamicRef', dynamicRef],
  ['allOf', allOf],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  ['not', not],
  ['if', ifThenElse],
  ['unevaluatedProperties', unevaluatedProperties],
  ['unevaluatedItems', unevaluatedItems],
];
