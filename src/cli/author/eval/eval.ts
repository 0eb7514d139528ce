import { randomUUID } from 'node:crypto';
import { fstatSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { safe, safeLines } from '../../../app/safe-terminal-text.js';
import { isObject, type Json, type JsonObject } from '../../../base/json/value.js';
import { type Problem, ProblemError } from '../../../base/problems/problem.js';
import { readExactJson } from '../../../expressions/dataweave/index.js';
import { languages } from '../../../expressions/index.js';
import { type EvalMode, evaluateRequest, explain } from './evaluate-expression.js';

interface Options {
  file?: string;
  input?: string;
  bindings?: string;
  lang: string;
  mode: EvalMode;
  explain?: true;
  raw?: true;
  now?: string;
  uuid?: string;
  jsonl?: true;
}

const examples = `
The JSON given by --input, or piped in, is bound as both context and payload; --bindings sets each binding by name.

Examples:
  $ journeyman eval '1 + 1'
  $ journeyman eval 'context.items map (i) -> i.price' --input order.json
  $ echo '{"a": 2}' | journeyman eval 'context.a * 21'
  $ journeyman eval --file mapper.dwl --bindings '{"context": {}, "error": {"code": "X"}}'
  $ journeyman eval --lang jsonata '$sum(context.items.price)' --input order.json
  $ journeyman eval --explain 'a default: 1'
  $ journeyman eval --jsonl < requests.jsonl

The step limit is 25 times that of a run.
Exit codes: 0 a value was printed, 1 the evaluation failed, 2 the expression is invalid, 3 the input is invalid.`;

/** `journeyman eval`: evaluates an expression on JSON. */
export function evalCommand(): Command {
  return new Command('eval')
    .summary('evaluate an expression')
    .description('Evaluate an expression on JSON and print the result, or the error with a caret at its position.')
    .argument('[expression]', 'the expression; or use --file')
    .option('-f, --file <path>', 'read the expression from a file')
    .option('-i, --input <path>', 'JSON file bound as context and payload; - for standard input')
    .option('-b, --bindings <json>', 'JSON object, or a file with one; every field becomes a binding')
    .addOption(new Option('-l, --lang <id>', `language: ${languages.join(', ')}`).default('dataweave'))
    .addOption(
      new Option('-m, --mode <mode>', 'dialect of DataWeave').choices(['strict', 'journey']).default('journey'),
    )
    .option('--explain', 'print the syntax tree instead of evaluating')
    .option('--raw', 'print all digits and duplicate keys, as DataWeave writes them')
    .option('--now <instant>', 'value of now() in ISO 8601 (default: the clock)')
    .option('--uuid <uuid>', 'value of uuid() (default: random)')
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
  const result = await evaluateRequest({ lang: options.lang, expr, bindings, mode: options.mode, env });
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

/** The value as JSON; with all digits if it contains a number too large for a double. */
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
  if (expression !== undefined && file !== undefined) throw new Error('specify an expression or --file, not both');
  if (expression !== undefined) return expression;
  if (file !== undefined) return read(file);
  throw new Error('specify an expression or --file <path>; see --help');
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

/** Reports whether the standard input is piped or redirected; a call on a terminal must not wait for it. */
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

/** Formats a problem of an expression with its line and a caret. */
export function withCaret(it: Problem, source: string): string {
  const lines = [safeLines(`${it.code}: ${it.detail ?? it.title}`)];
  const { line, column } = it as { line?: unknown; column?: unknown };
  if (typeof line === 'number') {
    const text = source.split('\n')[line - 1] ?? '';
    const margin = String(line);
    lines.push('', `  ${margin} | ${shownSource(text)}`);
    if (typeof column === 'number') {
      lines.push(
        `  ${' '.repeat(margin.length)} | ${' '.repeat(Math.max(0, column - 1))}${'^'.repeat(widthOf(it, text))}`,
      );
    }
  }
  if (it.hint) lines.push('', `hint: ${safeLines(it.hint)}`);
  return lines.join('\n');
}

/** Replaces each unsafe character by one character, so that the caret stays in place. */
function shownSource(text: string): string {
  return [...text.replaceAll('\t', ' ').trimEnd()].map((char) => (safe(char) === char ? char : '\ufffd')).join('');
}

function widthOf(it: Problem, text: string): number {
  const { length, column } = it as { length?: unknown; column?: number };
  if (typeof length !== 'number') return 1;
  return Math.max(1, Math.min(length, text.length - (column ?? 1) + 1));
}

const token = /\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{},:])/y;

/**
 * JSON text on one line with duplicate keys collapsed (the last value wins, at the first one's position). Numbers keep all their digits,
 * which JSON.parse would lose; `number` may rewrite them.
 */
export function collapse(text: string, number: (digits: string) => string = (digits) => digits): string {
  let at = 0;
  const peek = (): string => {
    token.lastIndex = at;
    const match = token.exec(text);
    if (!match) throw new SyntaxError(`not JSON at ${at}`);
    return match[1]!;
  };
  const read = (): string => {
    const found = peek();
    at = token.lastIndex;
    return found;
  };
  const members = (closing: string, member: () => void): void => {
    while (peek() !== closing) {
      member();
      if (peek() === ',') read();
    }
    read();
  };
  const value = (): string => {
    const first = read();
    if (first === '[') {
      const items: string[] = [];
      members(']', () => items.push(value()));
      return `[${items.join(',')}]`;
    }
    if (first === '{') {
      const entries = new Map<string, string>();
      members('}', () => {
        const key = JSON.stringify(JSON.parse(read()));
        read();
        entries.set(key, value());
      });
      return `{${[...entries].map(([key, item]) => `${key}:${item}`).join(',')}}`;
    }
    if (first.startsWith('"')) return JSON.stringify(JSON.parse(first));
    return /^-?\d/.test(first) ? number(first) : first;
  };
  return value();
}

/** Default values of requests. */
interface Defaults {
  lang: string;
  mode: EvalMode;
  now?: string | undefined;
  uuid?: string | undefined;
}

/** Answers each line with one line, in order, including invalid requests. */
export async function* answerLines(lines: AsyncIterable<string>, defaults: Defaults) {
  for await (const line of lines) {
    if (line.trim()) yield await answerLine(line, defaults);
  }
}

async function answerLine(line: string, defaults: Defaults): Promise<string> {
  let id: Json = null;
  try {
    const request = JSON.parse(line) as Json;
    if (!isObject(request)) throw new Error('a request is a JSON object');
    id = request.id ?? null;
    const { expr, now = defaults.now, uuid = defaults.uuid, mode = defaults.mode, lang = defaults.lang } = request;
    if (typeof expr !== 'string') throw new Error('expr must be a text');
    if (lang === 'dataweave' && request.bindings !== undefined) request.bindings = exactBindings(line);
    const { bindings = {} } = request;
    if (!isObject(bindings)) throw new Error('bindings must be an object');
    if (mode !== 'strict' && mode !== 'journey') throw new Error('mode must be strict or journey');
    if (typeof lang !== 'string') throw new Error('lang must be a text');
    const result = await evaluateRequest({
      lang,
      expr,
      bindings: withOutput(bindings),
      mode,
      env: environment(now, uuid),
    });
    if (result.ok) {
      const { raw } = result;
      return `{"id":${JSON.stringify(id)},"ok":true,"output":${collapse(raw)},"raw":${JSON.stringify(raw)}}`;
    }
    const { code, detail, title, line: row, column } = result.problem;
    return JSON.stringify({ id, ok: false, kind: result.kind, error: detail ?? title, code, line: row, column });
  } catch (error) {
    return JSON.stringify({ id, ok: false, kind: 'request', error: (error as Error).message });
  }
}

/** The bindings of a request with all their digits. */
function exactBindings(line: string): Json {
  const request = readExactJson(line);
  return isObject(request) ? (request.bindings ?? {}) : {};
}

/** `output` cannot be bound in the real engine, so requests made for both engines name it `outputBinding`. */
export function withOutput(bindings: JsonObject): JsonObject {
  const { outputBinding } = bindings;
  return outputBinding === undefined || bindings.output !== undefined
    ? bindings
    : { ...bindings, output: outputBinding };
}

/** Clock and ids of an evaluation: fixed if given, else real. */
export function environment(now: Json | undefined, uuid: Json | undefined) {
  const instant =
    now === undefined || now === null ? Date.now() : typeof now === 'number' ? now : Date.parse(String(now));
  if (!Number.isFinite(instant)) throw new Error('now must be an ISO 8601 instant, like 2031-05-06T07:08:09Z');
  return {
    now: instant,
    uuid: () => (typeof uuid === 'string' ? uuid : randomUUID()),
    random: Math.random,
  };
}
