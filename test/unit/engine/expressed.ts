import { part } from '../../../src/base/document/schema-builders.js';
import { isObject, type Json, type JsonObject } from '../../../src/base/json/value.js';
import { journeySchema } from '../../../src/language/schema/journey-schema.js';

export type Language = 'dataweave' | 'jsonata';

const { $defs, properties } = journeySchema as { $defs: JsonObject; properties: JsonObject };

/** A journey's `spec` with its texts as expressions in `lang`, wherever the published schema has an expression, predicate or condition. */
export function expressed(spec: JsonObject, lang: Language): JsonObject {
  return within(spec, properties.spec!, lang) as JsonObject;
}

function within(value: Json, schema: Json, lang: Language): Json {
  const forms = formsOf(schema, value);
  if (typeof value === 'string') {
    const isA = (...parts: string[]) => forms.some(({ $ref }) => parts.some((part) => $ref === `#/$defs/${part}`));
    if (isA('condition')) return { predicate: expression(value, lang) };
    return isA('expression', 'predicate') ? expression(value, lang) : value;
  }
  if (Array.isArray(value)) {
    const items = { oneOf: forms.flatMap((form) => form.items ?? []) };
    return value.map((item) => within(item, items, lang));
  }
  if (!isObject(value)) return value;
  const field = (name: string): Json => {
    const oneOf = forms.flatMap(({ properties: fields, additionalProperties: others }) =>
      isObject(fields) && Object.hasOwn(fields, name) ? [fields[name]!] : isObject(others) ? [others] : [],
    );
    // The body of a call may be any JSON, so its schema does not mention its mapper.
    return { oneOf: oneOf.length === 0 && name === 'mapper' ? [part('expression')] : oneOf };
  };
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, within(inner, field(name), lang)]));
}

/** The schema and each of its references and alternatives that can describe the value. */
function formsOf(schema: Json, value: Json): JsonObject[] {
  if (!isObject(schema)) return [];
  const { $ref, oneOf = [], allOf = [] } = schema;
  const referred = typeof $ref === 'string' ? $defs[$ref.replace('#/$defs/', '')]! : null;
  const chosen = (allOf as { if?: JsonObject; then?: Json }[]).filter(({ if: on }) =>
    Object.entries((on?.properties ?? {}) as Record<string, JsonObject>).every(
      ([name, { const: only }]) => isObject(value) && value[name] === only,
    ),
  );
  const others = [referred, ...(oneOf as Json[]), ...chosen.map(({ then = null }) => then)];
  return [schema, ...others.flatMap((it) => formsOf(it, value))];
}

function expression(text: string, lang: Language): Json {
  return { lang, expr: lang === 'jsonata' ? text.replaceAll('==', '=').replaceAll('++', '&') : text };
}
