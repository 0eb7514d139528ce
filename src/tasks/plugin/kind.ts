import type { Expression, Task } from '../../definition/definition.js';
import { describe, given, identifier } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { part, shape } from '../../document/schema-parts.js';
import { copy, type Json, type JsonObject } from '../../json/value.js';
import { hasMapper, mapperIn, siteIn } from '../../reading/expressions.js';
import type { GraphReading, TaskReader } from '../../reading/reading.js';
import { template } from '../../reading/template.js';
import type { Plugin, PluginField } from './plugin.js';

/** The name that all tasks of plugins run under; no document can use it, because it is no `<type>:v<n>`. */
export const pluginKind = 'plugin';

/** A plugin's task, normalised: it carries all that the run needs to know, so that no code of a plugin is ever in a workflow. */
export interface PluginTask extends Task {
  kind: typeof pluginKind;
  plugin: string;
  fields: Record<string, { text: string } | { mapper: Expression } | { json: Json }>;
  uses: ('context' | 'platform')[];
  resultVar?: string;
  safe: boolean;
  timeoutMs: number;
}

/** Reads tasks as a plugin describes them. */
export function pluginReader(plugin: Plugin): TaskReader {
  const { kind, description, fields = {}, result = 'optional', uses = [], safe = false, timeoutMs = 10_000 } = plugin;
  const required = Object.keys(fields).filter((name) => fields[name]!.required);
  const schema = shape(
    description,
    {
      kind: { const: kind },
      ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
      ...(result !== 'none' && { resultVar: part('identifier') }),
    } as Record<string, Json>,
    ['kind', ...required, ...(result === 'required' ? ['resultVar'] : [])],
  );
  return {
    kind,
    schema,
    read(block, within): PluginTask {
      const read: PluginTask['fields'] = Object.create(null);
      for (const [name, field] of Object.entries(fields)) {
        const value = readField(block, name, field, within);
        if (value) read[name] = value;
      }
      if (result === 'required' && !block.has('resultVar'))
        block.error('FIELD_REQUIRED', `${kind} needs resultVar.`, undefined, 'key');
      const resultVar = block.has('resultVar') ? identifier(block.at('resultVar'), 'resultVar') : undefined;
      return {
        kind: pluginKind,
        plugin: kind,
        fields: read,
        uses: [...uses],
        ...given('resultVar', resultVar),
        safe,
        timeoutMs,
      };
    },
  };
}

function fieldSchema({ type, description }: PluginField): JsonObject {
  if (type === 'mapper') return part('mapperHolder', description);
  if (type === 'json') return { description };
  return { type: type === 'template' || type === 'text' ? 'string' : type, description };
}

function readField(
  block: Place,
  name: string,
  { type, required }: PluginField,
  within: GraphReading,
): PluginTask['fields'][string] | undefined {
  const place = block.at(name);
  const { value } = place;
  if (value === undefined) {
    if (required) block.error('FIELD_REQUIRED', `The task needs ${name}.`, undefined, 'key');
    return undefined;
  }
  if (type === 'json') return { json: copy(value) };
  if (type === 'template' && typeof value === 'string') return { text: template(place, within) };
  if (type === 'mapper' && place.object && hasMapper(place)) {
    place.only(['mapper', 'mapperRef']);
    const mapper = mapperIn(place, siteIn(within, 'mapper'));
    return mapper && { mapper };
  }
  if (typeof value === (type === 'text' ? 'string' : type)) return { json: value };
  const wanted = {
    template: 'a text',
    text: 'a text',
    mapper: 'a mapper',
    number: 'a number',
    boolean: 'true or false',
  };
  place.error('FIELD_TYPE', `${name} must be ${wanted[type]}, not ${describe(value)}.`);
  return undefined;
}
