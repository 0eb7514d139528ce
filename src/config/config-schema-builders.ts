import type { Json } from '../base/json/value.js';

/** The part of JSON Schema that our configuration uses; `format: path` marks paths that are resolved against the file's folder. */
export interface Schema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly title?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly default?: Json;
  readonly examples?: readonly Json[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly items?: Schema;
  readonly enum?: readonly Json[];
  readonly format?: 'path' | 'uri';
  /** Never quoted in messages, because people paste keys where hashes belong. */
  readonly writeOnly?: boolean;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly oneOf?: readonly Schema[];
}

export const section = (description: string, properties: Record<string, Schema>, rest: Schema = {}): Schema => ({
  type: 'object',
  description,
  additionalProperties: false,
  properties,
  ...rest,
});
export const stringValue = (description: string, rest: Schema = {}): Schema => ({
  type: 'string',
  description,
  minLength: 1,
  ...rest,
});
export const pathValue = (description: string, rest: Schema = {}): Schema =>
  stringValue(description, { format: 'path', ...rest });
export const countValue = (description: string, fallback: number, rest: Schema = {}): Schema => ({
  type: 'integer',
  description,
  default: fallback,
  minimum: 1,
  ...rest,
});
export const portValue = (description: string, fallback: number, minimum = 1): Schema =>
  countValue(description, fallback, { minimum, maximum: 65_535 });
export const mapValue = (description: string, values: Schema, rest: Schema = {}): Schema => ({
  type: 'object',
  description,
  default: {},
  additionalProperties: values,
  ...rest,
});
export const listValue = (description: string, items: Schema, rest: Schema = {}): Schema => ({
  type: 'array',
  description,
  default: [],
  items,
  ...rest,
});

/** A list of names without a default, so that a missing list differs from an empty one. */
export const nameList = (description: string): Schema => ({
  type: 'array',
  description,
  items: stringValue('Name.'),
  uniqueItems: true,
});

export const scopeName = '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$';
export const origin = '^https?://[^/?#@\\s]+$';

export const secretSource = (description: string): Schema => ({
  description,
  oneOf: [
    section('From an environment variable.', { env: stringValue('Name of the variable.') }, { required: ['env'] }),
    section('From a file.', { file: pathValue('The file that holds the value.') }, { required: ['file'] }),
  ],
});

export const accessAction: Schema = { type: 'string', enum: ['start', 'read', 'submit', 'cancel'] };
export const journeyPattern: Schema = { type: 'string', pattern: '^([a-z0-9][-a-z0-9]*)?\\*?$', minLength: 1 };
export const keyHash = stringValue(
  '`sha256:` and the hex digest of the key, or `scrypt:N:r:p:salt:hash` (base64url).',
  {
    writeOnly: true,
    pattern: '^(sha256:[0-9a-f]{64}|scrypt:[0-9]+:[0-9]+:[0-9]+:[A-Za-z0-9_-]+:[A-Za-z0-9_-]+)$',
  },
);
export const jwks: Schema = {
  type: 'array',
  description: 'Its public keys as JWKs, instead of `jwksUri`.',
  items: { type: 'object' },
  minItems: 1,
};
export const stringList = (description: string): Schema => ({
  type: 'array',
  description,
  items: stringValue('Text.'),
});
