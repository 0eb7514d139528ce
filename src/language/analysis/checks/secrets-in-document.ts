import { isSecretName, secretIn } from '../../../base/document/detect-secrets.js';
import type { Place } from '../../../base/document/placed-value.js';
import { isObject, type Json } from '../../../base/json/value.js';
import { hasPlaceholder } from '../../../engine/definition/parse-template.js';

const secretHeader = /^(?:(?:proxy-)?authorization|cookie|x-(?:api|auth|access)-?(?:key|token)|api-?key)$/i;
/** Values that are replaced later, such as `<token>` or `changeme`. */
const dummyValue = /^(?:<.*>|\.{3,}|\*+|x{3,}|change-?me|example|secret:\/\/.*)$/i;

/** Warns of secrets written into the document, which every run's history would show. */
export function checkSecrets(root: Place): void {
  const spec = root.at('spec');
  for (const [key, place] of spec.at('platform').at('config').entries())
    if (isSecretName(key)) {
      const hint = 'Refer to the secret itself: secret://… in a policy of httpClientAuth, or in sign.';
      place.warn('SECRET_IN_TEXT', `The value of ${key} would be in the history of every run.`, hint, 'key');
    }
  visit(spec.value, [], '', spec);
}

/** Visits plain values, of which a document has many, and creates places only for findings. */
function visit(value: Json | undefined, path: readonly (string | number)[], key: string, spec: Place): void {
  const warn = (at: readonly (string | number)[], message: string) =>
    at.reduce((place: Place, part) => place.at(part), spec).warn('SECRET_IN_TEXT', message);
  if (typeof value === 'string') {
    const what = secretIn(value);
    if (what !== undefined) warn(path, `The text contains ${what}.`);
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) visit(item, [...path, i], key, spec);
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      // A schema describes fields and does not contain their values.
      if (name === 'schema') continue;
      const at = [...path, name];
      if (isSecret(key, name) && isPlain(inner)) warn(at, `${name} is written into the document.`);
      else visit(inner, at, name, spec);
    }
  }
}

function isSecret(parent: string, name: string): boolean {
  return parent === 'headers' ? secretHeader.test(name) : isSecretName(name);
}

/** Whether a value is a literal, not a placeholder, a reference or a dummy value. */
function isPlain(value: Json): boolean {
  if (typeof value !== 'string' || hasPlaceholder(value)) return false;
  const bare = value.replace(/^(?:bearer|basic|token)\s+/i, '').trim();
  return bare.length >= 4 && !dummyValue.test(bare);
}
