import { hasPlaceholder } from '../../definition/template.js';
import type { Place } from '../../document/place.js';
import { isObject, type Json } from '../../json/value.js';

/** What keys and tokens of well-known services look like. */
const formats: readonly [RegExp, string][] = [
  [/-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/, 'a private key'],
  [/\bAKIA[0-9A-Z]{16}\b/, 'an AWS access key'],
  [/\b[sr]k_live_[0-9A-Za-z]{16,}/, 'a Stripe key'],
  [/\bgh[pousr]_[0-9A-Za-z]{30,}/, 'a GitHub token'],
  [/\bxox[abprs]-[0-9A-Za-z-]{20,}/, 'a Slack token'],
  [/\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/, 'a signed token'],
  [/^https?:\/\/[^/\s:@]+:[^/\s:@$]+@/i, 'a password in a URL'],
  [/[?&](?:api_?key|access_?token|client_?secret|password)=(?![$<{])[^&\s]{6,}/i, 'a key in a URL'],
];

const secretHeader = /^(?:(?:proxy-)?authorization|cookie|x-(?:api|auth|access)-?(?:key|token)|api-?key)$/i;
const secretField = /^(?:password|passwd|client_?secret|api_?key|secret_?key|private_?key|access_?token)$/i;
/** What stands for a value that is put in elsewhere. */
const standIn = /^(?:<.*>|\.{3,}|\*+|x{3,}|change-?me|example|secret:\/\/.*)$/i;

/** Warns of secrets written into the document, which every run's history would show. */
export function checkSecrets(root: Place): void {
  const spec = root.at('spec');
  visit(spec.value, [], '', spec);
}

/** Goes through plain values, of which a document has many, and makes places only of what is found. */
function visit(value: Json | undefined, path: readonly (string | number)[], key: string, spec: Place): void {
  const warn = (at: readonly (string | number)[], message: string) =>
    at.reduce((place: Place, part) => place.at(part), spec).warn('SECRET_IN_TEXT', message);
  if (typeof value === 'string') {
    const what = formatOf(value);
    if (what !== undefined) warn(path, `The text holds ${what}.`);
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) visit(item, [...path, i], key, spec);
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      // A schema describes fields; what it says about them is no value of theirs.
      if (name === 'schema') continue;
      const at = [...path, name];
      if (isSecret(key, name) && isPlain(inner)) warn(at, `${name} is written into the document.`);
      else visit(inner, at, name, spec);
    }
  }
}

function isSecret(parent: string, name: string): boolean {
  return parent === 'headers' ? secretHeader.test(name) : secretField.test(name);
}

/** A value of its own, not one that is computed, referred to or only stands for one. */
function isPlain(value: Json): boolean {
  if (typeof value !== 'string' || hasPlaceholder(value)) return false;
  const bare = value.replace(/^(?:bearer|basic|token)\s+/i, '').trim();
  return bare.length >= 4 && !standIn.test(bare);
}

function formatOf(text: string): string | undefined {
  return formats.find(([pattern]) => pattern.test(text))?.[1];
}
