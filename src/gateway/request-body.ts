import type { Request, RequestHandler } from 'express';
import { raw } from 'express';
import { jsonFault } from '../base/json/find-json-syntax-error.js';
import { escapePointer } from '../base/json/pointer.js';
import { copy, isObject, type Json, type JsonObject, own } from '../base/json/value.js';
import { type Problem, ProblemError, problem, refuse } from '../base/problems/problem.js';
import type { Code } from '../base/problems/registry.js';
import { quote } from './suggest-and-quote-names.js';

/** Maximum nesting of a body, which bounds recursive code on contexts. */
export const maxBodyDepth = 100;

/** Reads a body of at most `limit` bytes. Compressed bodies are rejected, so the limit is the size as sent. */
export function readBody(limit: number): RequestHandler {
  const read = raw({ type: () => true, limit, inflate: false });
  return (request, response, next) => {
    // The parser would first receive all of it.
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      response.setHeader('Connection', 'close');
      throw new ProblemError(bodyTooLarge(limit));
    }
    read(request, response, next);
  };
}

/** The problem of a body of more than `limit` bytes. */
export function bodyTooLarge(limit: number): Problem {
  return problem('BODY_TOO_LARGE', `The limit is ${limit} bytes.`, {
    hint: 'Send less, or raise gateway.bodyLimit in the configuration.',
  });
}

/** Parses the body as JSON, with objects that have no prototype; `absent` if the body is empty. */
export function jsonBody(request: Request, absent: Json): Json {
  const bytes: unknown = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return absent;
  checkContentType(request.headers['content-type']);
  return parseJson(decode(bytes));
}

/** Parses the body as a JSON object; an empty body is an empty object. */
export function objectBody(request: Request): JsonObject {
  const body = jsonBody(request, {});
  if (!isObject(body)) {
    refuse(
      'BODY_NOT_OBJECT',
      `The body is ${Array.isArray(body) ? 'an array' : body === null ? 'null' : `a ${typeof body}`}.`,
      {
        pointer: '',
        hint: 'Send a JSON object, like {"amount": 12}.',
      },
    );
  }
  return body;
}

/** Parses a body and rejects unknown keys with `code`, so that a typo is not ignored. */
export function bodyWith(request: Request, known: readonly string[], code: Code): JsonObject {
  const body = objectBody(request);
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown === undefined) return body;
  return refuse(code, `${quote(unknown)} is not a known field.`, {
    pointer: `/${escapePointer(unknown.slice(0, 80))}`,
    hint: known.length === 0 ? 'Send no body, or {}.' : `Use ${known.join(', ')}.`,
  });
}

/** The target version of a migration. */
export function versionIn(body: JsonObject, code: Code): string {
  const version = own(body, 'to');
  if (typeof version === 'string' && version !== '') return version;
  return refuse(code, 'The target version is missing.', {
    pointer: '/to',
    hint: 'Send it as text, like {"to": "2.0.0"}.',
  });
}

function checkContentType(header: string | undefined): void {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';');
  const charset = parameters.map((it) => it.trim()).find((it) => it.startsWith('charset='));
  const name = type.trim();
  const json = name === 'application/json' || /^application\/[a-z0-9!#$&^_.+-]+\+json$/.test(name);
  if (json && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))) return;
  refuse('CONTENT_TYPE_UNSUPPORTED', json ? 'JSON must be encoded as UTF-8.' : undefined, {
    hint: 'Send the header Content-Type: application/json.',
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return refuse('BODY_INVALID_JSON', 'The body is not UTF-8.');
  }
}

/** Parses untrusted JSON. Numbers beyond the range of a double are rejected instead of becoming Infinity. */
export function parseJson(text: string): Json {
  checkDepth(text);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    const { line, column, expected, offset } = jsonFault(text);
    const found = offset >= text.length ? 'the body ends' : 'there is something else';
    refuse('BODY_INVALID_JSON', `Line ${line}, column ${column}: expected ${expected}, but ${found}.`, {
      line,
      column,
    });
  }
  const huge = hugeNumber(value, '');
  if (huge !== undefined) refuse('BODY_INVALID_JSON', 'A number is too large.', { pointer: huge });
  return copy(value);
}

/** Rejects deep nesting before any recursive code runs. */
function checkDepth(text: string): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x5b || char === 0x7b) {
      if (++depth > maxBodyDepth) refuse('BODY_TOO_DEEP', `Objects and arrays nest at most ${maxBodyDepth} levels.`);
    } else if (char === 0x5d || char === 0x7d) depth--;
  }
}

function hugeNumber(value: Json, pointer: string): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : pointer;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const key of Object.keys(value)) {
    const found = hugeNumber((value as JsonObject)[key] as Json, `${pointer}/${escapePointer(key)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
