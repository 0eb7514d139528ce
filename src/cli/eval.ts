import { fstatSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { safe, safeLines } from '../app/terminal.js';
import { readExactJson } from '../expressions/dataweave/index.js';
import { languages } from '../expressions/index.js';
import { isObject, type Json, type JsonObject } from '../json/value.js';
import { ProblemError } from '../problems/problem.js';
import { withCaret } from './eval-caret.js';
import { answerLines, environment } from './eval-jsonl.js';
import { answer, explain, type Mode } from './eval-run.js';

interface Options {
  file?: string;
  input?: string;
  bindings?: string;
  lang: string;
  mode: Mode;
  explain?: true;
  raw?: true;
  now?: string;
  uuid?: string;
  jsonl?: true;
}

const examples = `
The JSON given by --input, or piped in, is bound as both context and payload; --bindings names each binding itself.

Examples:
  $ journeyman eval '1 + 1'
  $ journeyman eval 'context.items map (i) -> i.price' --input order.json
  $ echo '{"a": 2}' | journeyman eval 'context.a * 21'
  $ journeyman eval --file mapper.dwl --bindings '{"context": {}, "error": {"code": "X"}}'
  $ journeyman eval --lang jsonata '$sum(context.items.price)' --input order.json
  $ journeyman eval --explain 'a default: 1'
  $ journeyman eval --jsonl < requests.jsonl

An expression may take 25 times the steps it may take in a run.
Exit codes: 0 a value was printed, 1 the expression failed, 2 the expression was refused, 3 the input cannot be used.`;

/** `journeyman eval`: try an expression on some JSON, outside any journey. */
export function evalCommand(): Command {
  return new Command('eval')
    .summary('evaluate an expression')
    .description('Evaluate an expression on JSON and print the result, or the error with a caret under its place.')
    .argument('[expression]', 'the expression; or use --file')
    .option('-f, --file <path>', 'read the expression from a file')
    .option('-i, --input <path>', 'JSON file bound as context and payload; - for standard input')
    .option('-b, --bindings <json>', 'JSON object, or a file with one: every field becomes a binding')
    .addOption(new Option('-l, --lang <id>', `language: ${languages.join(', ')}`).default('dataweave'))
    .addOption(
      new Option('-m, --mode <mode>', 'dialect of DataWeave').choices(['strict', 'journey']).default('journey'),
    )
    .option('--explain', 'print the syntax tree instead of evaluating')
    .option('--raw', 'print all digits and duplicate keys, as DataWeave writes them')
    .option('--now <instant>', 'what now() gives, in ISO 8601; the clock unless given')
    .option('--uuid <uuid>', 'what uuid() gives; random unless given')
    .option('--jsonl', 'read one request {id, expr, bindings, now, uuid, mode, lang} per line, answer one line each')
    .addHelpText('after', examples)
    .action(async (expression: string | undefined, options: Options) => {
      process.exitCode = await run(expression, options);
    });
}

async function run(expression: string | undefined, options: Options): Promise<number> {
  if (options.jsonl) {
    for await (const line of answerLines(createInterface({ input: process.stdin }), options)) {
      if (!process.stdout.write(`${line}\n`)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
    return 0;
  }
  let expr: string;
  let bindings: JsonObject;
  let env: ReturnType<typeof environment>;
  try {
    expr = source(expression, options.file);
    bindings = await bound(options);
    env = environment(options.now, options.uuid);
  } catch (error) {
    console.error(`error: ${safeLines((error as Error).message)}`);
    return 3;
  }
  if (options.explain) return explained(expr, bindings, options);
  const result = await answer({ lang: options.lang, expr, bindings, mode: options.mode, env });
  if (!result.ok) {
    console.error(withCaret(result.problem, expr));
    return result.kind === 'compile' ? 2 : 1;
  }
  for (const lint of result.lints) {
    const { line = 1, column = 1, message, hint } = lint;
    console.error(safe(`warning ${line}:${column} ${message}${hint ? ` (${hint})` : ''}`));
  }
  console.log(options.raw ? result.raw : plain(result));
  return 0;
}

/** The value as JSON; with all digits if it holds a number too large for a double. */
function plain({ output, raw }: { output: Json; raw: string }): string {
  let tooLarge = false;
  const text = JSON.stringify(
    output,
    (_key, it) => {
      tooLarge ||= it === Number.POSITIVE_INFINITY || it === Number.NEGATIVE_INFINITY;
      return it;
    },
    2,
  );
  return safeLines(tooLarge ? raw : text);
}

function explained(expr: string, bindings: JsonObject, { lang, mode }: Options): number {
  try {
    console.log(explain({ lang, expr, bindings, mode }));
    return 0;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    console.error(withCaret(error.problem, expr));
    return 2;
  }
}

function source(expression: string | undefined, file: string | undefined): string {
  if (expression !== undefined && file !== undefined) throw new Error('give an expression or --file, not both');
  if (expression !== undefined) return expression;
  if (file !== undefined) return read(file);
  throw new Error('give an expression, or --file <path>; see --help');
}

async function bound({ input, bindings, lang }: Options): Promise<JsonObject> {
  const named =
    bindings === undefined ? {} : parse(/^\s*\{/.test(bindings) ? bindings : read(bindings), '--bindings', lang);
  if (!isObject(named)) throw new Error('--bindings must be a JSON object');
  const piped = input === '-' || (input === undefined && bindings === undefined && stdinIsGiven());
  const given = piped ? await text(process.stdin) : input === undefined ? '' : read(input);
  const document = given.trim() ? parse(given, input ?? 'standard input', lang) : {};
  return { context: document, payload: document, ...named };
}

/** Whether something was piped or redirected in, so that a plain call in a terminal does not wait for it. */
function stdinIsGiven(): boolean {
  try {
    const kind = fstatSync(0);
    return kind.isFIFO() || kind.isFile();
  } catch {
    return false;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function parse(json: string, name: string, lang: string): Json {
  try {
    return lang === 'dataweave' ? readExactJson(json) : (JSON.parse(json) as Json);
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message}`);
  }
}
