import { parse, stringify } from 'yaml';
import { isObject, type Json, type JsonObject, own } from '../../../base/json/value.js';
import { createApiCatalogue } from '../../../language/read/api-catalogue.js';
import type { Documents } from './worker-protocol.js';

const files = import.meta.glob(['../../../../specs/*.yaml', '../../../../specs/apis/*.yaml'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

const textOf = (name: string): string | undefined => files[`../../../../specs/${name}`];

/** The OpenAPI documents of the examples, by path. */
const documents = Object.entries(files).flatMap(([path, text]): [string, Json][] => {
  const [, name] = /specs\/(apis\/.*)$/.exec(path) ?? [];
  return name === undefined ? [] : [[name, parse(text) as Json]];
});

/** The OpenAPI documents that journeys in the playground may refer to. */
export const catalogue = createApiCatalogue(new Map(documents));

/** The names of the examples that ship with the product. */
export function exampleNames(): string[] {
  return Object.keys(files)
    .flatMap((path) => /specs\/([\w-]+)\.journey\.yaml$/.exec(path)?.[1] ?? [])
    .sort();
}

/** An example with the fields of its first scenario. */
export function example(name: string): Documents {
  const scenarios = textOf(`${name}.scenario.yaml`);
  const file = scenarios === undefined ? {} : (parse(scenarios) as JsonObject);
  // YAML 1.1 quotes everything that some reader might parse as a date or a number.
  const scenario = stringify(scriptFields(file), { lineWidth: 90, schema: 'yaml-1.1' });
  return { journey: textOf(`${name}.journey.yaml`) ?? '', scenario };
}

/** The fields of the first scenario in a file and those that all share; those of a script as they are. */
export function scriptFields(file: Json): JsonObject {
  if (!isObject(file)) return {};
  const given = own(file, 'given');
  const scenarios = own(file, 'scenarios');
  const [first] = isObject(scenarios) ? Object.values(scenarios) : [file];
  const [shared, fields] = [isObject(given) ? given : {}, isObject(first) ? first : {}];
  const { expect: _, description: __, given: ___, virtualOnly: ____, ...own_ } = fields as JsonObject;
  const backend = [own(fields, 'backend'), own(shared, 'backend')].flatMap((it) => (Array.isArray(it) ? it : []));
  return { ...shared, ...own_, ...(backend.length > 0 && { backend }) };
}
