import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import { describeType } from '../../base/document/read-fields.js';
import { parseTemplate } from '../../engine/definition/parse-template.js';
import type { Reading } from './document-reading-state.js';

/** Mentions of config keys, callback URLs and context fields, collected while reading. */
export type Mentions = Pick<Reading, 'configKeys' | 'callbacks' | 'uses'>;

/** The site of a text with placeholders. */
interface TemplateSite {
  readonly reading: Mentions;
  /** The bindings of the surrounding graph. */
  readonly bindings: readonly string[];
}

/** Checks the placeholders of an interpolated text and returns it unchanged. */
export function template(place: Place, { reading, bindings }: TemplateSite, acceptsMapper = false): string {
  const value = place.value as string;
  const parsed = parseTemplate(value);
  if ('badAt' in parsed) {
    const end = value.indexOf('}', parsed.badAt);
    const shown = value.slice(parsed.badAt, end === -1 ? parsed.badAt + 30 : end + 1);
    place.error('INTERPOLATION_SYNTAX', `${shown} is not a placeholder.`);
    return value;
  }
  const compute = acceptsMapper ? `Write { expr: ${value} } to compute it, or ` : 'Write ';
  checkLiteral(place, `${compute}\${context.<path>} for the text of a value.`);
  if (parsed.parts.length > 0) reading.uses.push({ place, user: place, reads: parsed });
  for (const part of parsed.parts) {
    if ('root' in part && (part.root === 'item' || part.root === 'index') && !bindings.includes(part.root))
      place.error('INTERPOLATION_SYNTAX', `\${${part.root}} has a value only in the states of a map.`);
    if (!('root' in part) || part.root !== 'platform') continue;
    // Where another base URL comes from: no warning, only an error where the language alone is accepted.
    if (!place.report.compat)
      place.compat('C13', `\${platform.${part.path.join('.')}} is a placeholder for a platform value.`);
    checkPlatformPath(place, part.path, reading);
    if (part.path[0] === 'run' && part.path[1] === 'callbacks')
      reading.callbacks.push({ place, step: part.path[2], inItem: bindings.includes('item') });
  }
  return value;
}

/**
 * A path from a binding, followed by the end or by an operator: `context.a.b`, `context.n + 1`, `#[payload.x]`; a call over one: `sum(context.a)`;
 * or joined texts: `"No " ++ context.x`.
 */
const computed =
  /^(?:#\[\s*)?(?:(?:context|payload)(?:\.[A-Za-z_]\w*|\[)|platform\.(?:environment|journey|run|config)\b)[\w.[\]]*(?:\s*$|\s*[-+*/=<>!&|?]|\s+(?:as|default|map|filter|and|or)\s)|^[A-Za-z]+\((?:context|payload)\.[A-Za-z_]|^""\s*\+\+/;

function looksComputed(text: string): boolean {
  const bare = text.replace(/\$\{[^}]*\}/g, '0').replace(/"(?:\\.|[^"\\])*"/g, '""');
  const inBraces = /^\s*[{[]/.test(bare) && /[\s:,[{(](?:context|payload)\.[A-Za-z_]/.test(bare);
  return inBraces || computed.test(bare.trim());
}

/** Hint for a text that is not a valid literal, in a field that takes expressions too. */
export function computedHint({ value }: Place): string | undefined {
  return typeof value === 'string' && looksComputed(value) ? `Write { expr: ${value} } to compute it.` : undefined;
}

/** Warns about a literal that looks like an expression: its text is used as it is written. */
export function checkLiteral(place: Place, hint: string): void {
  const { value } = place;
  if (typeof value !== 'string' || !looksComputed(value)) return;
  const shown = value.length > 40 ? `${value.slice(0, 40)}…` : value;
  place.warn('LITERAL_EXPRESSION', `"${shown}" is a text here, not an expression.`, hint);
}

/** Texts that may hold placeholders, by name; numbers and booleans count as text. */
export function templates(
  place: Place,
  within: TemplateSite,
  refuse: (item: Place, message: string) => void,
): Record<string, string> {
  const out = Object.create(null) as Record<string, string>;
  for (const [name, item] of place.entries()) {
    if (typeof item.value === 'string') out[name] = template(item, within);
    else if (typeof item.value === 'number' || typeof item.value === 'boolean') out[name] = String(item.value);
    else refuse(item, `"${name}" must be a text, not ${describeType(item.value)}.`);
  }
  return out;
}

/** Members of `platform`. The members of `config` are those that the document declares. */
const platform: Readonly<Record<string, readonly string[] | undefined>> = {
  environment: undefined,
  journey: ['name', 'kind', 'version'],
  run: ['id', 'startedAt', 'traceparent', 'callbacks'],
  config: undefined,
};

/** Warns about a member of `platform` that will never have a value. */
export function checkPlatformPath(
  place: Place,
  [member = '', name]: readonly string[],
  { configKeys }: Pick<Reading, 'configKeys'>,
): void {
  if (!Object.hasOwn(platform, member))
    place.warn('PLATFORM_UNKNOWN', `There is no platform.${member}.`, memberHint(member));
  else if (name === undefined) return;
  else if (member === 'config' && !configKeys.has(name))
    place.warn('CONFIG_UNDECLARED', `platform.config.${name} is not declared.`);
  else if (platform[member]?.includes(name) === false)
    place.warn('PLATFORM_UNKNOWN', `There is no platform.${member}.${name}.`, didYouMean(name, platform[member]));
}

/** Hint for an unknown member of `platform`: a similar name, or the same name one level deeper. */
function memberHint(member: string): string | undefined {
  const outer = Object.entries(platform).find(([, names]) => names?.includes(member))?.[0];
  return outer === undefined ? didYouMean(member, Object.keys(platform)) : `Did you mean platform.${outer}.${member}?`;
}
