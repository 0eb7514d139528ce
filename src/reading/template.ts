import { parseTemplate } from '../definition/template.js';
import { describe } from '../document/fields.js';
import type { Place } from '../document/place.js';
import { didYouMean } from '../document/suggest.js';
import type { Reading } from './reading.js';

/** What the document says about things that are known elsewhere. */
export type Mentions = Pick<Reading, 'configKeys' | 'callbacks' | 'uses'>;

/** Where a text with placeholders stands: what its values can be. */
interface TemplateSite {
  readonly reading: Mentions;
  /** As those of the graph it stands in. */
  readonly bindings: readonly string[];
}

/** Checks the placeholders of an interpolated text and gives it back as it is. */
export function template(place: Place, { reading, bindings }: TemplateSite): string {
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
    if ('root' in part && (part.root === 'item' || part.root === 'index') && !bindings.includes(part.root))
      place.error('INTERPOLATION_SYNTAX', `\${${part.root}} has a value only in the states of a map.`);
    if (!('root' in part) || part.root !== 'platform') continue;
    place.compat('C13', `\${platform.${part.path.join('.')}} stands for a platform value.`);
    checkPlatformPath(place, part.path, reading);
    if (part.path[0] === 'run' && part.path[1] === 'callbacks') reading.callbacks.push({ place, step: part.path[2] });
  }
  return value;
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
    else refuse(item, `"${name}" must be a text, not ${describe(item.value)}.`);
  }
  return out;
}

/** What `platform` has; `config` has what the document declares. */
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

/** The member that was meant: perhaps one that stands a step deeper. */
function memberHint(member: string): string | undefined {
  const outer = Object.entries(platform).find(([, names]) => names?.includes(member))?.[0];
  return outer === undefined ? didYouMean(member, Object.keys(platform)) : `Did you mean platform.${outer}.${member}?`;
}
