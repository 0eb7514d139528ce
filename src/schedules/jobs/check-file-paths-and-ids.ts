import { escapePointer } from '../../base/json/pointer.js';
import { isObject, type Json } from '../../base/json/value.js';
import type { Finding } from '../../base/problems/problem.js';
import { fault } from '../cadence/read-cadence-fields.js';

/** The form of ids of jobs, journeys, functions, orchestrators and profiles. It cannot contain a path. */
const id = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,199}$/;

/** Whether a text can be an id at all. */
export function isId(text: string): boolean {
  return id.test(text) && !text.includes('..');
}

/**
 * Whether a whole value is a file system path, however it is written. Prose that mentions a path is accepted: "look into ../docs,
 * please" has no segment that is `..` and nothing else, and an absolute path must be all there is.
 */
export function looksLikePath(value: string): boolean {
  const text = normalised(value).trim();
  if (text.includes('\0') || text === '..' || climbs(text) || namesFile(text)) return true;
  if (/^[A-Za-z]:[\\/]/.test(text) || /^\\\\[^\\\s]/.test(text) || /^~[\w.-]*[\\/]/.test(text)) return true;
  return /^\/+[^/\s]\S*$/.test(text);
}

function climbs(text: string): boolean {
  return /[\\/]/.test(text) && text.split(/[\\/]/).some((segment) => segment.trim() === '..');
}

/** Whether a text is a URL of a scheme for files, also inside another one: `jar:file:///…`. Readers of URLs ignore tabs and line breaks. */
function namesFile(text: string): boolean {
  const url = text.replace(/[\t\n\r]/g, '');
  return /^(?:[a-z][a-z0-9+.-]*:)*(?:file:(?:\/\/|\S*$)|(?:phar|php|glob|netdoc):\/\/)/i.test(url);
}

/** The longest chain of escapes that is undone; no reader undoes as many. */
const deepest = 10;

/**
 * Normalises a text as a lenient reader would: decodes escapes until nothing changes, replaces look-alike characters (NFKC) and removes
 * zero-width characters.
 */
function normalised(given: string): string {
  let text = given;
  for (let i = 0; i < deepest; i++) {
    const next = unescaped(text)
      .normalize('NFKC')
      .replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, '')
      .replace(/[\u2044\u2215\u29f8]/g, '/')
      .replace(/[\u2216\u29f5\u29f9]/g, '\\');
    if (next === text) break;
    text = next;
  }
  return text;
}

/** Undoes one level of escapes of ASCII characters: `%2e`, `%u002e`, and the overlong `%c0%ae`. */
function unescaped(text: string): string {
  return text
    .replace(/%(?:u00)?([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/%c([01])%([89ab][0-9a-f])/gi, (_, high: string, low: string) =>
      String.fromCharCode((Number(high) << 6) | (Number.parseInt(low, 16) & 0x3f)),
    );
}

const shared = /^shared:\/\/([^/\\?#\s]*)/i;

/** Findings about every text in a payload that looks like a path. Its content is not repeated. */
export function pathFindings(value: Json, pointer: string): Finding[] {
  const refused = (at: string, message: string) =>
    fault(
      at,
      'PATH_REFUSED',
      message,
      'Jobs do not accept paths. Refer to a file in a shared folder as shared://<name>/<file>.',
    );
  const findings: Finding[] = [];
  walk(value, pointer, (text, at, isKey) => {
    if (isKey ? climbs(normalised(text)) : looksLikePath(text)) findings.push(refused(at, 'It looks like a path'));
    else if (/^shared:/i.test(text) && !/^shared:\/\/[A-Za-z0-9]/i.test(text) && !/\s/.test(text))
      findings.push(refused(at, 'The reference names no shared folder'));
  });
  return findings;
}

/** The shared folders that a payload refers to, with their pointers. */
export function sharedReferences(value: Json, pointer: string): { name: string; pointer: string }[] {
  const found: { name: string; pointer: string }[] = [];
  walk(value, pointer, (text, at, isKey) => {
    const name = isKey ? undefined : shared.exec(normalised(text).trim())?.[1];
    if (name !== undefined) found.push({ name, pointer: at });
  });
  return found;
}

function walk(value: Json, pointer: string, see: (text: string, pointer: string, isKey: boolean) => void): void {
  if (typeof value === 'string') see(value, pointer, false);
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) walk(item, `${pointer}/${i}`, see);
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) {
      const at = `${pointer}/${escapePointer(key.slice(0, 80))}`;
      see(key, at, true);
      walk(item, at, see);
    }
}
