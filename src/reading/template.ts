import { parseTemplate } from '../definition/template.js';
import { describe } from '../document/fields.js';
import type { Place } from '../document/place.js';
import type { Reading } from './reading.js';

/** What the document says about things that are known elsewhere. */
export type Mentions = Pick<Reading, 'configKeys' | 'callbacks' | 'uses'>;

/** Checks the placeholders of an interpolated text and gives it back as it is. */
export function template(place: Place, reading: Mentions): string {
  const value = place.value as string;
  const parsed = parseTemplate(value);
  if ('badAt' in parsed) {
    const end = value.indexOf('}', parsed.badAt);
    const shown = value.slice(parsed.badAt, end === -1 ? parsed.badAt + 30 : end + 1);
    place.error('INTERPOLATION_SYNTAX', `${shown} is not a placeholder.`);
    return value;
  }
  if (parsed.parts.length > 0) reading.uses.push({ place, user: place, reads: parsed });
  for (const part of parsed.parts) {
    if (!('root' in part) || part.root !== 'platform') continue;
    place.compat('C13', `\${platform.${part.path.join('.')}} stands for a platform value.`);
    if (part.path[0] === 'config' && part.path[1] !== undefined) checkConfigKey(place, part.path[1], reading);
    if (part.path[0] === 'run' && part.path[1] === 'callbacks') reading.callbacks.push({ place, step: part.path[2] });
  }
  return value;
}

/** Texts that may hold placeholders, by name; numbers and booleans count as text. */
export function templates(
  place: Place,
  reading: Reading,
  refuse: (item: Place, message: string) => void,
): Record<string, string> {
  const out = Object.create(null) as Record<string, string>;
  for (const [name, item] of place.entries()) {
    if (typeof item.value === 'string') out[name] = template(item, reading);
    else if (typeof item.value === 'number' || typeof item.value === 'boolean') out[name] = String(item.value);
    else refuse(item, `"${name}" must be a text, not ${describe(item.value)}.`);
  }
  return out;
}

/** Warns about a `platform.config` key that the document does not declare: it will never have a value. */
export function checkConfigKey(place: Place, key: string, reading: Pick<Reading, 'configKeys'>): void {
  if (!reading.configKeys.has(key)) place.warn('CONFIG_UNDECLARED', `platform.config.${key} is not declared.`);
}
