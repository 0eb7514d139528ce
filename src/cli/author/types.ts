import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type Output, safe } from '../../app/safe-terminal-text.js';
import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import type { Definition } from '../../engine/definition/definition.js';
import { SchemaDocument } from '../../json-schema/schema-document.js';
import { bodySchema } from '../../language/exports/embed-schemas.js';
import { stepsOf } from '../../language/exports/journey-operations.js';
import { readJourneys } from '../../library/read-journeys.js';
import { readReferences } from '../../library/read-library.js';
import { type CatalogueOptions, catalogueFolders, commandWithConfig, configOf, withCatalogue } from '../options.js';
import { printFindings } from './print-findings.js';

interface Options extends CatalogueOptions {
  config?: string;
  out?: string;
}

/** `journeyman types`: writes TypeScript types of journeys. */
export function typesCommand(out: Output = process.stdout): Command {
  return withCatalogue(commandWithConfig('types'))
    .summary('write TypeScript types of journeys')
    .description(
      'Write TypeScript types of journeys from their schemas: input, output and steps of each, for the client in journeyman-temporal/client.',
    )
    .argument('[files...]', 'files and folders of journeys (default: the configured specs folder)')
    .option('--out <file>', 'write the types to this file')
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman types --out journeys.d.ts
  $ journeyman types specs/checkout.journey.yaml`,
    )
    .action(async (paths: string[], options: Options) => {
      const config = configOf(options);
      const { references } = await readReferences({ ...config, catalogue: catalogueFolders(config, options) });
      const journeys = await readJourneys(paths.length > 0 ? paths : [config.specs], references);
      printFindings(journeys);
      if (journeys.findings.some(({ severity }) => severity === 'error'))
        return refuse('JOURNEY_BROKEN', 'No types are written while a journey has errors.');
      const definitions = [...journeys.byName.values()].map(([newest]) => newest!.definition);
      const text = typesOf(definitions.filter(({ kind }) => kind === 'Journey'));
      if (options.out === undefined) return void out.write(text);
      writeFileSync(options.out, text);
      out.write(`${safe(options.out)}\n`);
    });
}

/** The types of journeys, as a module. */
function typesOf(definitions: readonly Definition[]): string {
  const sorted = [...definitions].sort((a, b) => (a.name < b.name ? -1 : 1));
  const members = sorted.map((it) => `${comment(it.description)}${key(it.name)}: ${journeyType(it)};`);
  return `// Written by \`journeyman types\`.\n\n/** Journeys by name. */\nexport interface Journeys ${block(members)}\n`;
}

function journeyType(definition: Definition): string {
  const { headersToContext, queryToContext } = definition.http.start;
  const copied = [...Object.values(headersToContext), ...Object.values(queryToContext)];
  const input = typeOf(bodySchema(definition.input?.schema ?? { type: 'object' }, copied));
  const steps = new Map(stepsOf(definition).map(({ id, step }) => [id, `${key(id)}: ${typeOf(step.schema)};`]));
  return block([
    `input: ${input};`,
    `output: ${typeOf(definition.output?.schema ?? true)};`,
    `steps: ${block([...steps.values()])};`,
  ]);
}

/** The TypeScript type of the values that a schema describes. */
function typeOf(schema: Json): string {
  return new TypeWriter(new SchemaDocument(schema)).write(schema).text;
}

/** The text of a type; `joined` if it is a union or an intersection. */
interface WrittenType {
  readonly text: string;
  readonly joined?: true;
}

const unknown: WrittenType = { text: 'unknown' };

/** Writes types of schemas. What a type cannot express makes it wider, never narrower. */
class TypeWriter {
  /** The schemas that are being written; a recursive reference becomes `unknown`. */
  private readonly open = new Set<Json>();

  constructor(private readonly document: SchemaDocument) {}

  write(schema: Json): WrittenType {
    if (schema === false) return { text: 'never' };
    if (!isObject(schema) || this.open.has(schema)) return unknown;
    this.open.add(schema);
    const parts = [this.own(schema), ...this.combined(schema)].filter(({ text }) => text !== unknown.text);
    this.open.delete(schema);
    return parts.length === 0 ? unknown : joined(parts, '&');
  }

  /** The types of a reference and of schemas that a schema combines. */
  private combined(schema: JsonObject): WrittenType[] {
    const { $ref, allOf, anyOf, oneOf } = schema;
    const target = typeof $ref === 'string' ? this.target($ref, schema) : undefined;
    return [
      ...(target === undefined ? [] : [this.write(target)]),
      ...(Array.isArray(allOf) ? allOf.map((it) => this.write(it)) : []),
      ...[anyOf, oneOf].filter(Array.isArray).map((all) => union(all.map((it) => this.write(it)))),
    ];
  }

  private target(ref: string, from: JsonObject): Json | undefined {
    return this.document.resolve(ref, this.document.resourceOf(from) ?? this.document.root);
  }

  private own(schema: JsonObject): WrittenType {
    if (Object.hasOwn(schema, 'const')) return { text: JSON.stringify(schema.const) };
    if (Array.isArray(schema.enum)) return union(schema.enum.map((it) => ({ text: JSON.stringify(it) })));
    const { type } = schema;
    if (Array.isArray(type)) return union(type.map((it) => this.ofType(it as string, schema)));
    if (typeof type === 'string') return this.ofType(type, schema);
    if (schema.properties !== undefined || schema.required !== undefined) return this.ofType('object', schema);
    return schema.items !== undefined || schema.prefixItems !== undefined ? this.ofType('array', schema) : unknown;
  }

  private ofType(type: string, schema: JsonObject): WrittenType {
    if (type === 'object') return { text: this.object(schema) };
    if (type === 'array') return { text: this.array(schema) };
    if (type === 'integer') return { text: 'number' };
    return ['string', 'number', 'boolean', 'null'].includes(type) ? { text: type } : unknown;
  }

  private array({ items = true, prefixItems }: JsonObject): string {
    const rest = `${inner(this.write(items))}[]`;
    if (!Array.isArray(prefixItems)) return rest;
    const first = prefixItems.map((it) => `${inner(this.write(it))}?`);
    return `[${[...first, ...(items === false ? [] : [`...${rest}`])].join(', ')}]`;
  }

  private object({ properties, required, additionalProperties }: JsonObject): string {
    const needed = Array.isArray(required) ? (required as string[]) : [];
    const named = isObject(properties) ? properties : {};
    const members = Object.entries(named).map(([name, schema]) => {
      const { description } = isObject(schema) ? schema : {};
      const mark = needed.includes(name) ? '' : '?';
      return `${comment(description)}${key(name)}${mark}: ${this.write(schema!).text};`;
    });
    const others = needed.filter((name) => own(named, name) === undefined).map((name) => `${key(name)}: unknown;`);
    const all = [...members, ...others];
    if (all.length === 0 && additionalProperties !== false)
      return `Record<string, ${this.write(additionalProperties ?? true).text}>`;
    // A type of the other properties would have to cover the named ones too.
    const open = additionalProperties === true || isObject(additionalProperties);
    return block(open ? [...all, '[name: string]: unknown;'] : all);
  }
}

function union(types: readonly WrittenType[]): WrittenType {
  const distinct = [...new Map(types.map((it) => [it.text, it])).values()];
  if (distinct.some(({ text }) => text === unknown.text)) return unknown;
  return distinct.length === 0 ? { text: 'never' } : joined(distinct, '|');
}

function joined(types: readonly WrittenType[], operator: '|' | '&'): WrittenType {
  const [only, ...others] = types;
  if (others.length === 0) return only!;
  return { text: types.map(inner).join(` ${operator} `), joined: true };
}

/** The text of a type inside another one. */
function inner({ text, joined }: WrittenType): string {
  return joined ? `(${text})` : text;
}

function block(members: readonly string[]): string {
  if (members.length === 0) return '{}';
  return `{\n${members.map((it) => it.replace(/^/gm, '  ')).join('\n')}\n}`;
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function comment(text: Json | undefined): string {
  if (typeof text !== 'string' || text === '') return '';
  return `/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n`;
}
