import type { Place } from '../../base/document/placed-value.js';
import {
  describeType,
  ifDefined,
  isBlock,
  oneOf,
  optionalBoolean,
  optionalText,
} from '../../base/document/read-fields.js';
import { isObject, type Json } from '../../base/json/value.js';
import type { ConfigKey } from '../../engine/definition/definition.js';

const types = ['string', 'integer', 'number', 'boolean', 'object'] as const;

/** Reads `spec.platform.config`. */
export function readPlatform(spec: Place): Record<string, ConfigKey> {
  const platform = spec.at('platform');
  if (isBlock(platform, 'FIELD_TYPE', 'platform')) platform.only(['config'], 'warning');
  isBlock(platform.at('config'), 'CONFIG_TYPE', 'platform.config');
  const out = Object.create(null) as Record<string, ConfigKey>;
  for (const [key, place] of platform.at('config').entries()) {
    place.only(['type', 'required', 'default', 'description'], 'warning');
    const type = oneOf(place.at('type'), types, 'CONFIG_TYPE', `The type of "${key}"`);
    const required = optionalBoolean(place.at('required'), 'CONFIG_TYPE', 'required') ?? false;
    const description = optionalText(place.at('description'), 'CONFIG_TYPE', 'description');
    const usual = type && readDefault(place, type, required);
    if (type) out[key] = { type, required, ...ifDefined('default', usual), ...ifDefined('description', description) };
  }
  return out;
}

function readDefault(key: Place, type: ConfigKey['type'], required: boolean): Json | undefined {
  const place = key.at('default');
  const { value } = place;
  if (value === undefined) return undefined;
  if (!place.report.compat) {
    const hint = 'Write a default in the expressions that read the value.';
    place.error('CONFIG_EXTENSION', 'The language has no default here.', hint, 'key');
  }
  if (required) place.error('CONFIG_DEFAULT', 'A required value has no default.', 'Keep one of the two.', 'key');
  else if (!fitsConfigType(value, type))
    place.error('CONFIG_DEFAULT', `The default must be of type ${type}, not ${describeType(value)}.`);
  return value;
}

/** Whether a value has the declared type of a configuration key. */
export function fitsConfigType(value: unknown, type: ConfigKey['type']): boolean {
  if (type === 'object') return isObject(value as Json);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
