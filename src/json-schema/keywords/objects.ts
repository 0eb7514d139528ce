import { isObject, type Json, type JsonObject, own } from '../../json/value.js';
import { below, within } from '../errors.js';
import type { Keyword, Validation } from '../validation.js';
import { matches } from './scalars.js';

function countBound(name: string, fewer: string, holds: (count: number, limit: number) => boolean): Keyword {
  return (limit, { value, at }, run) => {
    if (typeof limit !== 'number' || !isObject(value) || holds(Object.keys(value).length, limit)) return;
    run.fail(at, name, `must NOT have ${fewer} than ${limit} properties`);
  };
}

export const minProperties = countBound('minProperties', 'fewer', (count, limit) => count >= limit);
export const maxProperties = countBound('maxProperties', 'more', (count, limit) => count <= limit);

export const required: Keyword = (names, { value, at }, run) => {
  if (!Array.isArray(names) || !isObject(value)) return;
  run.spend(names.length);
  for (const name of names) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) {
      run.fail(at, 'required', `must have required property '${name}'`, { property: name });
    }
  }
};

export const dependentRequired: Keyword = (dependencies, { value, at }, run) => {
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

export const properties: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!isObject(schemas) || !isObject(value)) return;
  for (const name of Object.keys(schemas)) {
    if (!Object.hasOwn(value, name)) continue;
    run.apply(schemas[name]!, value[name]!, below(at, name, 'properties', name), scope);
    evaluated.property(name);
  }
};

export const patternProperties: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!isObject(schemas) || !isObject(value)) return;
  for (const source of Object.keys(schemas)) {
    for (const name of Object.keys(value)) {
      if (!matches(source, name, run)) continue;
      run.apply(schemas[source]!, value[name]!, below(at, name, 'patternProperties', source), scope);
      evaluated.property(name);
    }
  }
};

export const additionalProperties: Keyword = (schema, { schema: parent, value, at, evaluated, scope }, run) => {
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

export const propertyNames: Keyword = (schema, { value, at, scope }, run) => {
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (!run.apply(schema, name, within(at, 'propertyNames'), scope)) {
      run.fail(at, 'propertyNames', 'property name must be valid', { property: name });
    }
  }
};

export const dependentSchemas: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!isObject(schemas) || !isObject(value)) return;
  for (const name of Object.keys(schemas)) {
    if (!Object.hasOwn(value, name)) continue;
    run.apply(schemas[name] as Json, value, within(at, 'dependentSchemas', name), scope, evaluated);
  }
};

export const unevaluatedProperties: Keyword = (schema, { value, at, evaluated, scope }, run) => {
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    if (evaluated.hasProperty(name)) continue;
    if (schema === false)
      run.fail(at, 'unevaluatedProperties', 'must NOT have unevaluated properties', { property: name });
    else run.apply(schema, value[name]!, below(at, name, 'unevaluatedProperties'), scope);
  }
  evaluated.everyProperty();
};
