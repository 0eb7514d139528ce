import { escapePointer } from '../../json/pointer.js';
import { isObject, type Json } from '../../json/value.js';
import type { Finding } from '../../problems/problem.js';
import { fault } from '../cadence/read.js';

/** What may be an id: of a job, a journey, a function, an orchestrator, a profile. Nothing in it leads anywhere. */
const id = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,199}$/;

/** Whether a text can be an id at all. */
export function isId(text: string): boolean {
  return id.test(text) && !text.includes('..');
}

/**
 * Whether a whole value names a place in a file system. Prose is not refused for mentioning one: "look into ../docs, please" has no segment
 * that is `..` and nothing else, and an absolute path must be all there is.
 */
export function looksLikePath(value: string): boolean {
  const text = decoded(value).trim();
  if (text.includes('\0') || climbs(text)) return true;
  if (/^[A-Za-z]:[\\/]/.test(text) || /^\\\\[^\\\s]/.test(text) || /^~[\w.-]*[\\/]/.test(text)) return true;
  if (/^file:(\/\/|\S*$)/i.test(text)) return true;
  return /^\/[^/\s]\S*$/.test(text);
}

function climbs(text: string): boolean {
  return /[\\/]/.test(text) && text.split(/[\\/]/).some((segment) => segment.trim() === '..');
}

/** Percent-escapes undone, twice, as far as they can be: `%252e` must not slip through. */
function decoded(text: string): string {
  let out = text;
  for (let i = 0; i < 2 && /%(2e|2f|5c|25|00)/i.test(out); i++)
    out = out.replace(/%(2e|2f|5c|25|00)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return out;
}

const shared = /^shared:\/\/([^/\\?#\s]*)/i;

/** Findings about every text in a payload that looks like a path. What it says is not repeated. */
export function pathFindings(value: Json, pointer: string): Finding[] {
  const refused = (at: string, message: string) =>
    fault(
      at,
      'PATH_REFUSED',
      message,
      'Jobs take no paths. A file of a shared folder is named shared://<name>/<file>.',
    );
  const findings: Finding[] = [];
  walk(value, pointer, (text, at, isKey) => {
    if (isKey ? climbs(decoded(text)) : looksLikePath(text)) findings.push(refused(at, 'It looks like a path'));
    else if (/^shared:/i.test(text) && !/^shared:\/\/[A-Za-z0-9]/i.test(text) && !/\s/.test(text))
      findings.push(refused(at, 'The reference names no shared folder'));
  });
  return findings;
}

/** The shared folders that a payload refers to, and where. */
export function sharedReferences(value: Json, pointer: string): { name: string; pointer: string }[] {
  const found: { name: string; pointer: string }[] = [];
  walk(value, pointer, (text, at, isKey) => {
    const name = isKey ? undefined : shared.exec(decoded(text).trim())?.[1];
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
