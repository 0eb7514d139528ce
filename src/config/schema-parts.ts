import type { Json } from '../json/value.js';

/** The part of JSON Schema that our configuration uses; `format: path` marks what is resolved against the file's folder. */
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
  readonly items?: Schema;
  readonly enum?: readonly Json[];
  readonly format?: 'path' | 'uri';
  /** Never repeated in a message: people paste keys where hashes belong. */
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
export const text = (description: string, rest: Schema = {}): Schema => ({
  type: 'string',
  description,
  minLength: 1,
  ...rest,
});
export const path = (description: string, rest: Schema = {}): Schema => text(description, { format: 'path', ...rest });
export const count = (description: string, fallback: number, rest: Schema = {}): Schema => ({
  type: 'integer',
  description,
  default: fallback,
  minimum: 1,
  ...rest,
});
export const port = (description: string, fallback: number, minimum = 1): Schema =>
  count(description, fallback, { minimum, maximum: 65_535 });
export const map = (description: string, values: Schema, rest: Schema = {}): Schema => ({
  type: 'object',
  description,
  default: {},
  additionalProperties: values,
  ...rest,
});
export const list = (description: string, items: Schema, rest: Schema = {}): Schema => ({
  type: 'array',
  description,
  default: [],
  items,
  ...rest,
});

/** A list of names; without a default, so that one who gives none can be told from one who gives an empty list. */
export const names = (description: string): Schema => ({
  type: 'array',
  description,
  items: text('Name.'),
  uniqueItems: true,
});

export const scopeName = '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$';
export const origin = '^https?://[^/?#@\\s]+$';

export const secretSource = (description: string): Schema => ({
  description,
  oneOf: [
    section('From an environment variable.', { env: text('Name of the variable.') }, { required: ['env'] }),
    section('From a file.', { file: path('The file that holds the value.') }, { required: ['file'] }),
  ],
});

export const action: Schema = { type: 'string', enum: ['start', 'read', 'submit', 'cancel'] };
export const journeyPattern: Schema = { type: 'string', pattern: '^([a-z0-9][-a-z0-9]*)?\\*?$', minLength: 1 };
export const hash = text('`sha256:` and the hex digest of the key, or `scrypt:N:r:p:salt:hash` (base64url).', {
  writeOnly: true,
  pattern: '^(sha256:[0-9a-f]{64}|scrypt:[0-9]+:[0-9]+:[0-9]+:[A-Za-z0-9_-]+:[A-Za-z0-9_-]+)$',
});
export const jwks: Schema = {
  type: 'array',
  description: 'Its public keys as JWKs, instead of `jwksUri`.',
  items: { type: 'object' },
  minItems: 1,
};
export const texts = (description: string): Schema => ({ type: 'array', description, items: text('Text.') });
