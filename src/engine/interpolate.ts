import { hasPlaceholder, parseTemplate, type Root } from '../definition/template.js';
import { isObject, type Json, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';

/** Makes a value's text fit where its placeholder stands in the template. Called from left to right. */
export type Encode = (text: string, value: Json, offset: number) => string;

/**
 * Fills the `${context.a.b}` placeholders of a template, and those of other roots. Text goes in as it is, other values as JSON text; a
 * missing or null value is an error, never an empty string. `encode`, where given, fits each value to its place in the template.
 */
export function interpolate(
  template: string,
  roots: Readonly<Record<Root, Json>>,
  encode: Encode = (text) => text,
): string {
  if (!hasPlaceholder(template)) return template;
  const parsed = parseTemplate(template);
  if ('badAt' in parsed) return refuse('INTERPOLATION_SYNTAX', 'A text holds a placeholder that cannot be read.');
  let out = '';
  for (const part of parsed.parts) {
    if ('text' in part) {
      out += part.text;
      continue;
    }
    const value = valueAt(roots[part.root], part.path);
    if (value === undefined || value === null) {
      return refuse('INTERPOLATION_MISSING', `\${${[part.root, ...part.path].join('.')}} has no value`, {
        hint: 'Set the field before this state, or build the text with a mapper and `default`.',
      });
    }
    out += encode(typeof value === 'string' ? value : JSON.stringify(value), value, part.at);
  }
  return out;
}

function valueAt(root: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const field of path) value = isObject(value) ? own(value, field) : undefined;
  return value;
}
