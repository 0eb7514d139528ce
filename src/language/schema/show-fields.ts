import { canonical, isObject, type Json, type JsonObject } from '../../json/value.js';

/** As many examples as a reader of a field looks at; where more are written for it, all of them. */
const most = 3;

/** Parts whose alternatives have examples of their own. */
const shownApart = ['states', 'state', 'task'].map((name) => `#/$defs/${name}`);

/** The same schema, where every example of a whole is also one of each field in it: editors show those of the field at hand only. */
export function showFields(schema: JsonObject, given: readonly Json[] = []): JsonObject {
  const own = listed(schema.examples);
  const examples = distinct([...own, ...given]);
  const shows = examples.length > 0 && !isNamed(schema);
  return {
    ...schema,
    ...(shows && { examples: examples.slice(0, Math.max(most, own.length)) }),
    ...each(schema, 'properties', (field, name) => showFields(field, valuesOf(examples, name))),
    ...each(schema, '$defs', (it) => showFields(it)),
    ...(isObject(schema.items) && { items: showFields(schema.items, examples.flatMap(listed)) }),
    ...(isObject(schema.additionalProperties) && {
      additionalProperties: showFields(
        schema.additionalProperties,
        examples.filter(isObject).flatMap((it) => Object.values(it) as Json[]),
      ),
    }),
    ...(Array.isArray(schema.oneOf) && {
      oneOf: schema.oneOf.map((it) =>
        isObject(it) && it.additionalProperties === false ? fieldsOnly(it, examples) : it,
      ),
    }),
  };
}

/** An alternative: what it is an example of is shown above it. */
function fieldsOnly(schema: JsonObject, examples: readonly Json[]): JsonObject {
  return { ...schema, ...each(schema, 'properties', (field, name) => showFields(field, valuesOf(examples, name))) };
}

function each(schema: JsonObject, key: string, change: (it: JsonObject, name: string) => Json): JsonObject {
  const inside = schema[key];
  if (!isObject(inside)) return {};
  return {
    [key]: Object.fromEntries(
      Object.entries(inside).map(([name, it]) => [name, isObject(it) ? change(it, name) : (it as Json)]),
    ),
  };
}

function valuesOf(examples: readonly Json[], name: string): Json[] {
  return examples.filter(isObject).flatMap((it) => (Object.hasOwn(it, name) ? [it[name]!] : []));
}

/** The schema names its values itself, or those of its parts are shown where they are described. */
function isNamed({ $ref, const: only, enum: words, type }: JsonObject): boolean {
  return only !== undefined || words !== undefined || type === 'boolean' || shownApart.includes($ref as string);
}

function listed(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function distinct(values: readonly Json[]): Json[] {
  return [...new Map(values.map((it) => [canonical(it), it])).values()];
}
