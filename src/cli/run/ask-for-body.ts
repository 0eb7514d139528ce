import { createInterface } from 'node:readline/promises';
import { InvalidArgumentError } from 'commander';
import { safe } from '../../app/safe-terminal-text.js';
import { copy, emptyObject, isObject, type Json, type JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { validate } from '../../json-schema/validate.js';
import { violationText } from '../../json-schema/violation-messages.js';

/** Asks the user. */
export interface Questions {
  /** True if a user is at the terminal. */
  readonly canAsk: boolean;
  ask(question: string): Promise<string>;
}

/** Asks on the terminal, even if the output is redirected. */
export const terminalQuestions: Questions = {
  canAsk: process.stdin.isTTY === true && process.stderr.isTTY === true,
  async ask(question) {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  },
};

/** Options for the body of a start or of a step. */
export interface BodyOptions {
  input?: Json;
  field: string[];
}

/** Parses `--field name=value`; repeatable. */
export function fieldOption(text: string, all: string[]): string[] {
  if (text.indexOf('=') < 1) throw new InvalidArgumentError('It must have the form name=value.');
  return [...all, text];
}

/** The body from the options, or from a form generated from `schema`. */
export async function bodyOf(
  { input, field }: BodyOptions,
  schema: Json | undefined,
  questions: Questions,
): Promise<Json> {
  if (field.length > 0) return withFields(input ?? {}, field, schema);
  if (input !== undefined) return input;
  const asks = fieldsOf(schema);
  if (!questions.canAsk || (schema !== undefined && validate(schema, {}).length === 0 && asks.length === 0)) return {};
  return await askFor(schema, questions);
}

/** Adds fields to a body. A value is a string if its schema requires one, else JSON if it parses. */
function withFields(body: Json, fields: readonly string[], schema: Json | undefined): Json {
  if (!isObject(body)) return refuse('BODY_NOT_OBJECT', '--field needs an object, and --input is not an object.');
  const out = Object.assign(emptyObject(), body);
  for (const field of fields) {
    const at = field.indexOf('=');
    const path = field.slice(0, at).split('.');
    put(out, path, readValue(field.slice(at + 1), schemaAt(schema, path)));
  }
  return out;
}

function put(into: JsonObject, [name = '', ...rest]: string[], value: Json): void {
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const before = Object.hasOwn(into, name) ? into[name] : undefined;
  const inner = Object.assign(emptyObject(), isObject(before) ? before : {});
  put(inner, rest, value);
  into[name] = inner;
}

function schemaAt(schema: Json | undefined, path: readonly string[]): Json | undefined {
  let found = schema;
  for (const name of path) {
    const properties = isObject(found) ? found.properties : undefined;
    found = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  }
  return found;
}

function readValue(text: string, schema: Json | undefined): Json {
  const type = isObject(schema) ? schema.type : undefined;
  if (type === 'string') return text;
  if (type === 'boolean' && /^(y|yes|n|no)$/i.test(text)) return /^y/i.test(text);
  try {
    return copy(JSON.parse(text) as Json);
  } catch {
    return text;
  }
}

interface Field {
  readonly name: string;
  readonly schema: Json;
  readonly required: boolean;
}

function fieldsOf(schema: Json | undefined): Field[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, it]) => ({
    name,
    schema: it as Json,
    required: required.includes(name),
  }));
}

/** Asks for each field of an object; for anything else, for JSON. */
async function askFor(schema: Json | undefined, questions: Questions, prefix = ''): Promise<Json> {
  const fields = fieldsOf(schema);
  if (fields.length === 0)
    return (await askOne({ name: 'body', schema: schema ?? {}, required: false }, '', questions)) ?? {};
  const out = emptyObject();
  for (const field of fields) {
    const nested = fieldsOf(field.schema).length > 0;
    const value =
      nested && field.required
        ? await askFor(field.schema, questions, `${prefix}${field.name}.`)
        : await askOne(field, prefix, questions);
    if (value !== undefined) out[field.name] = value;
  }
  return out;
}

async function askOne(
  { name, schema, required }: Field,
  prefix: string,
  questions: Questions,
): Promise<Json | undefined> {
  const question = `${safe(`${prefix}${name}`)} ${safe(wording(schema, required))}: `;
  for (;;) {
    const text = (await questions.ask(question)).trim();
    if (text === '' && isObject(schema) && schema.default !== undefined) return schema.default;
    if (text === '' && !required) return undefined;
    const value = readValue(text, schema);
    const [first] = validate(schema, value);
    if (!first && text !== '') return value;
    const why = first ? violationText(first).message : 'is required';
    await questions.ask(`  It ${safe(why)}. Press Enter to try again. `);
  }
}

/** Describes the expected value: its type, choices and meaning. */
function wording(schema: Json, required: boolean): string {
  const { type, enum: choices, description, default: otherwise } = isObject(schema) ? schema : ({} as JsonObject);
  const kind = Array.isArray(choices)
    ? choices.map((it) => (typeof it === 'string' ? it : JSON.stringify(it))).join(' | ')
    : type === 'object' || type === 'array'
      ? `${type} as JSON`
      : type === 'boolean'
        ? 'yes or no'
        : typeof type === 'string'
          ? type
          : 'JSON';
  const more = otherwise !== undefined ? `, ${JSON.stringify(otherwise)} if empty` : required ? '' : ', may be empty';
  return `(${kind}${more})${typeof description === 'string' ? ` ${description}` : ''}`;
}

/** Asks for confirmation. Without a terminal, `--yes` is required. */
export async function confirmed(question: string, yes: boolean | undefined, questions: Questions): Promise<boolean> {
  if (yes) return true;
  if (!questions.canAsk) return refuse('USAGE_INVALID', 'Confirmation needs a terminal: add --yes.');
  return /^y(es)?$/i.test((await questions.ask(`${question} [y/N] `)).trim());
}
