import type { Request, RequestHandler } from 'express';
import { raw } from 'express';
import { jsonFault } from '../json/fault.js';
import { escapePointer } from '../json/pointer.js';
import { copy, isObject, type Json, type JsonObject, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import type { Code } from '../problems/registry.js';
import { quote } from './suggest.js';

/** Deepest nesting of a body; code that walks a context recursively never meets more. */
export const maxDepth = 100;

/** Reads a body of at most `limit` bytes; nothing is decompressed, so its size is the size that was sent. */
export function readBody(limit: number): RequestHandler {
  return raw({ type: () => true, limit, inflate: false });
}

/** The body as JSON whose objects have no prototype; `absent` if there is none. */
export function jsonBody(request: Request, absent: Json): Json {
  const bytes: unknown = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return absent;
  checkContentType(request.headers['content-type']);
  return parseJson(decode(bytes));
}

/** The body as a JSON object; a missing one is empty. */
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

/** A body that has no keys other than these, refused with `code`: one with a typo would not do what was meant. */
export function bodyWith(request: Request, known: readonly string[], code: Code): JsonObject {
  const body = objectBody(request);
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown === undefined) return body;
  return refuse(code, `${quote(unknown)} is not known here.`, {
    pointer: `/${escapePointer(unknown.slice(0, 80))}`,
    hint: known.length === 0 ? 'Send no body, or {}.' : `Use ${known.join(', ')}.`,
  });
}

/** The version that something is to move to. */
export function versionIn(body: JsonObject, code: Code): string {
  const version = own(body, 'to');
  if (typeof version === 'string' && version !== '') return version;
  return refuse(code, 'Say where to: the version.', { pointer: '/to', hint: 'Send it as text, like {"to": "2.0.0"}.' });
}

function checkContentType(header: string | undefined): void {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';');
  const charset = parameters.map((it) => it.trim()).find((it) => it.startsWith('charset='));
  const name = type.trim();
  const json = name === 'application/json' || /^application\/[a-z0-9!#$&^_.+-]+\+json$/.test(name);
  if (json && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))) return;
  refuse('CONTENT_TYPE_UNSUPPORTED', json ? 'JSON is UTF-8.' : undefined, {
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

/** Parses JSON text from outside; numbers too large to hold are refused rather than turned into Infinity. */
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

/** Refuses deep nesting before anything recursive sees it. */
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
      if (++depth > maxDepth) refuse('BODY_TOO_DEEP', `Objects and arrays nest at most ${maxDepth} levels.`);
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
