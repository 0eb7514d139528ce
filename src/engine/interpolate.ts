import { isObject, type Json, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';

const placeholder = /\$\{([^}]*)\}/g;

/** Makes a value's text fit the place its placeholder has in the template. Called from left to right. */
export type Encode = (text: string, value: Json, offset: number) => string;

/**
 * Fills the `${context.a.b}` and `${platform.…}` placeholders of a template. Text goes in as it is, other values as JSON text; a
 * missing or null value is an error, never an empty string. `encode` is applied to each value where the template's place needs it.
 */
export function interpolate(
  template: string,
  roots: { context: Json; platform: Json },
  encode: Encode = (text) => text,
): string {
  if (!template.includes('${')) return template;
  return template.replace(placeholder, (_, path: string, offset: number) => {
    const value = resolvePath(path.trim(), roots);
    if (value === undefined || value === null) {
      refuse('INTERPOLATION_MISSING', `\${${path}} has no value`, {
        hint: 'Set the field before this state, or build the text with a mapper and `default`.',
      });
    }
    return encode(typeof value === 'string' ? value : JSON.stringify(value), value, offset);
  });
}

function resolvePath(path: string, roots: { context: Json; platform: Json }): Json | undefined {
  const [root, ...fields] = path.split('.');
  let value: Json | undefined = root === 'context' ? roots.context : root === 'platform' ? roots.platform : undefined;
  for (const field of fields) value = isObject(value) ? own(value, field) : undefined;
  return value;
}
