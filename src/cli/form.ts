import { createInterface } from 'node:readline/promises';
import { InvalidArgumentError } from 'commander';
import { safe } from '../app/terminal.js';
import { copy, emptyObject, isObject, type Json, type JsonObject } from '../json/value.js';
import { inWords } from '../json-schema/in-words.js';
import { validate } from '../json-schema/validate.js';
import { refuse } from '../problems/problem.js';

/** Who can be asked. */
export interface Questions {
  /** Somebody is at the terminal. */
  readonly canAsk: boolean;
  ask(question: string): Promise<string>;
}

/** Asks on the terminal; answers are read from it even where the output goes elsewhere. */
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

/** How the body of a start or of a step is given. */
export interface BodyOptions {
  input?: Json;
  field: string[];
}

/** `k=v`, once or several times. */
export function fieldOption(text: string, all: string[]): string[] {
  if (text.indexOf('=') < 1) throw new InvalidArgumentError('It must be like name=value.');
  return [...all, text];
}

/** The body that the options give, or that somebody gives in answer to the questions that follow from `schema`. */
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

/** Values of fields are texts where the schema says so, and JSON where they can be read as such. */
function withFields(body: Json, fields: readonly string[], schema: Json | undefined): Json {
  if (!isObject(body)) return refuse('BODY_NOT_OBJECT', '--field adds to an object, and --input is none.');
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

/** Asks for each field of an object, one after another; anything else is asked for as JSON. */
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
    const why = first ? inWords(first).message : 'is required';
    await questions.ask(`  It ${safe(why)}. Enter to try again. `);
  }
}

/** What to type: the kind of value, the choices, and what it means. */
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

/** Asks for a yes. Where nobody can be asked, the option must have said it. */
export async function confirmed(question: string, yes: boolean | undefined, questions: Questions): Promise<boolean> {
  if (yes) return true;
  if (!questions.canAsk) return refuse('USAGE_INVALID', 'Nobody is at a terminal to confirm it: add --yes.');
  return /^y(es)?$/i.test((await questions.ask(`${question} [y/N] `)).trim());
}
