import { Document, visit } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../../src/base/json/value.js';
import { journeySchema } from '../../../src/language/schema/journey-schema.js';
import { pipelineSchema } from '../../../src/pipelines/read/pipeline-schema.js';
import { pipelineScenarioSchema } from '../../../src/scenarios/pipelines/read-pipeline-scenarios-and-schema.js';
import { scenarioSchema } from '../../../src/scenarios/read/scenario-schema.js';

const schema = journeySchema as JsonObject & { $defs: Record<string, JsonObject> };
const { $defs } = schema;

/** The ids of states in examples. */
const ids: Readonly<Record<string, string>> = {
  task: 'look',
  choice: 'decide',
  transform: 'addUp',
  parallel: 'askBoth',
  map: 'stock',
  wait: 'approve',
  webhook: 'paid',
  timer: 'pause',
  subjourney: 'checkBuyer',
  succeed: 'done',
  fail: 'soldOut',
};
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Parts that other fields refer to, with their names for readers. */
const shared = [
  'expression',
  'mapperHolder',
  'condition',
  'predicate',
  'identifier',
  'stateId',
  'jsonSchema',
  'texts',
  'target',
  'projection',
];
const names: Readonly<Record<string, string>> = {
  mapperHolder: 'mapper',
  identifier: 'variable',
  stateId: 'state id',
  jsonSchema: 'JSON Schema',
  projection: 'response',
};

/** docs/reference.md, from the schema that `journeyman schema` prints. */
export function referenceDocs(): string {
  const { metadata, spec, ...top } = fieldsOf(schema);
  const blocks = Object.entries(fieldsOf(spec!)).filter(([name]) => name !== 'start' && name !== 'states');
  return [
    '# Field reference',
    '',
    'Every field of journeys, pipelines and scenarios: its type, what counts when it is left out, what it means, and an example. What the parts do together',
    'is in [the journey language](journey-language.md), [pipelines](pipelines.md) and [scenarios](scenarios.md); settings are in',
    '[configuration](configuration.md). Editors show the same, from the schema that `journeyman schema` prints.',
    'Old spellings are left out here; they are among the [compatibility spellings](journey-language.md#compatibility-spellings).',
    '',
    'This page is made from the schema. To write it anew:',
    '',
    '```text',
    'UPDATE_DOCS=1 npx vitest run --config test/vitest.config.ts test/unit/docs/reference.test.ts',
    '```',
    '',
    '## The document',
    '',
    ...table({ ...schema, properties: { ...top, metadata: metadata!, spec: { ...spec!, properties: {} } } }),
    '',
    '## States',
    '',
    'States stand under `spec.states`, by ids of your choice. All but `choice`, `succeed` and `fail` name the state after them in `next`.',
    ...parts('state').flatMap(([type, part]) =>
      section(
        type,
        part,
        examplesOf(part).map((it, at) => ({ [at === 0 ? (ids[type] ?? type) : `${ids[type]}Too`]: it })),
      ),
    ),
    '',
    '## Tasks',
    '',
    'A state of type `task` holds one of these under `task`. [Plugins](plugins.md) add kinds of their own.',
    '',
    '| kind | purpose |',
    '|---|---|',
    ...parts('task').map(
      ([kind, part]) =>
        `| [\`${kind}\`](#${kind.toLowerCase().replace(':', '')}) | ${cell(String(part.description))} |`,
    ),
    ...parts('task').flatMap(([kind, part]) => section(kind, part, [statesOf(examplesOf(part))])),
    '',
    '## Blocks of spec',
    '',
    'All of them are optional, and stand beside `start` and `states`.',
    ...blocks.flatMap(([name, block]) =>
      section(
        name,
        block,
        examplesOf(block).map((it) => ({ [name]: it })),
      ),
    ),
    '',
    '## Shared parts',
    ...shared.flatMap((name) => section(names[name] ?? name, $defs[name]!, [], examplesOf($defs[name]!).slice(0, 2))),
    '',
    '## Pipelines',
    '',
    cell(String((pipelineSchema as JsonObject).description)),
    '',
    ...table(pipelineSchema as JsonObject),
    '',
    '## Files of scenarios',
    '',
    cell(String((scenarioSchema as JsonObject).description)),
    '',
    ...table(without(scenarioSchema as JsonObject, 'given')),
    ...Object.entries(defsOf(scenarioSchema)).flatMap(([name, part]) => section(name, without(part, 'profiles'), [])),
    '',
    '## Scenarios of pipelines',
    '',
    'Their files name a `pipeline` instead of a `journey`, and are otherwise the same.',
    ...['scenario', 'happening'].flatMap((name) =>
      section(name === 'scenario' ? 'scenario of a pipeline' : name, defsOf(pipelineScenarioSchema)[name]!, []),
    ),
    '',
  ].join('\n');
}

/** A part whose field is shown without its inner fields, which are documented elsewhere. */
function without(part: JsonObject, name: string): JsonObject {
  const { [name]: field, ...others } = fieldsOf(part);
  if (!field) return part;
  const { properties: _, ...rest } = field;
  return { ...part, properties: { [name]: rest, ...others } };
}

function defsOf(of: Json): Record<string, JsonObject> {
  return (of as { $defs: Record<string, JsonObject> }).$defs;
}

function parts(kind: string): [string, JsonObject][] {
  return Object.entries($defs).flatMap(([name, part]) =>
    name.startsWith(`${kind}.`) ? [[name.slice(kind.length + 1), part]] : [],
  );
}

function section(title: string, part: JsonObject, examples: JsonObject[], inline: Json[] = []): string[] {
  return [
    '',
    `### ${title}`,
    '',
    cell(String(part.description)),
    ...(inline.length > 0 ? ['', `Like ${inline.map((it) => `\`${JSON.stringify(it)}\``).join(' or ')}.`] : []),
    ...(rows(part, '').length > 0 ? ['', ...table(part)] : []),
    ...examples.flatMap((it) => ['', '```yaml', yamlOf(it), '```']),
  ];
}

function table(part: JsonObject): string[] {
  return ['| field | type | unless given | meaning |', '|---|---|---|---|', ...rows(part, '')];
}

/** A row for each field and each inner field. */
function rows(part: JsonObject, path: string): string[] {
  const required = Array.isArray(part.required) ? part.required : [];
  const own = Object.entries(fieldsOf(part)).flatMap(([name, field]) => {
    if (field.deprecated === true) return [];
    const at = path === '' ? name : `${path}.${name}`;
    const about = field.description ?? referred(field)?.description ?? '';
    const fallback = field.default === undefined ? '' : `\`${JSON.stringify(field.default).replaceAll('"', '')}\``;
    const needed = required.includes(name) ? ', required' : '';
    return [`| \`${at}\` | ${typeOf(field)}${needed} | ${fallback} | ${cell(String(about))} |`, ...rows(field, at)];
  });
  const { items, additionalProperties, oneOf } = part;
  return [
    ...own,
    ...(isObject(items) ? rows(items, `${path}[]`) : []),
    ...(isObject(additionalProperties) ? rows(additionalProperties, path === '' ? '<id>' : `${path}.<id>`) : []),
    ...(Array.isArray(oneOf) ? oneOf.filter(isObject).filter((it) => it.additionalProperties === false) : []).flatMap(
      (it) => rows(it, path),
    ),
  ];
}

function typeOf(field: JsonObject): string {
  const { $ref, const: only, enum: words, type, items, additionalProperties, oneOf, anyOf } = field;
  if (typeof $ref === 'string') return linkTo($ref.replace('#/$defs/', ''));
  if (only !== undefined) return `\`${String(only)}\``;
  if (Array.isArray(words)) return words.map((it) => `\`${String(it)}\``).join(', ');
  const alternatives = oneOf ?? anyOf;
  if (type === undefined && Array.isArray(alternatives))
    return alternatives.map((it) => typeOf(it as JsonObject)).join(' or ');
  if (type === 'array')
    return `list of ${isObject(items) && items.type === 'object' ? 'blocks' : plural(items as JsonObject)}`;
  if (type === 'object') return isObject(additionalProperties) ? 'map' : 'block';
  return type === undefined ? 'anything' : [type].flat().map(word).join(' or ');
}

function linkTo(name: string): string {
  if (name === 'states') return '[states](#states)';
  if (name === 'task') return '[task](#tasks)';
  const title = names[name] ?? name;
  return `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`;
}

function plural(items: JsonObject): string {
  const one = typeOf(items);
  return one.startsWith('`') ? one : `${one}s`;
}

function word(type: unknown): string {
  const words: Record<string, string> = {
    string: 'text',
    integer: 'whole number',
    boolean: '`true` or `false`',
    object: 'object',
    array: 'list',
  };
  return words[String(type)] ?? String(type);
}

function fieldsOf({ properties }: JsonObject): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries((properties ?? {}) as JsonObject).filter(([, it]) => isObject(it)),
  ) as Record<string, JsonObject>;
}

function referred({ $ref }: JsonObject): JsonObject | undefined {
  return typeof $ref === 'string' ? { ...defsOf(scenarioSchema), ...$defs }[$ref.replace('#/$defs/', '')] : undefined;
}

function examplesOf({ examples }: JsonObject): JsonObject[] {
  return (Array.isArray(examples) ? examples : []) as JsonObject[];
}

/** Tasks in states, each leading to the next. */
function statesOf(tasks: JsonObject[]): JsonObject {
  return Object.fromEntries(
    tasks.map((task, at) => [
      ordinals[at]!,
      { type: 'task', task, next: at + 1 < tasks.length ? ordinals[at + 1]! : 'done' },
    ]),
  );
}

/** As an author would write it, with short values on one line. */
function yamlOf(value: JsonObject): string {
  const document = new Document(value);
  visit(document, {
    Collection(_, node, path) {
      if (path.length > 3 && JSON.stringify(node.toJSON()).length <= 90) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 110, singleQuote: true, flowCollectionPadding: true }).trimEnd();
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
