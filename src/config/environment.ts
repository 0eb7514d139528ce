import { parseDocument } from 'yaml';
import { emptyObject, type Json, type JsonObject } from '../json/value.js';
import { nearest } from '../problems/nearest.js';
import type { Finding } from '../problems/problem.js';
import type { ConfigKey } from './keys.js';

/** Variables with our prefix that are not configuration keys. */
const reserved = new Set(['JOURNEYMAN_CONFIG', 'JOURNEYMAN_CACHE']);

/** What the environment overrides. */
export interface Overrides {
  /** By dotted key. */
  readonly set: ReadonlyMap<string, { readonly key: ConfigKey; readonly value: Json }>;
  readonly findings: readonly Finding[];
}

/** Reads `JOURNEYMAN_*`: scalars as they are, lists as JSON or comma-separated, maps as JSON or YAML in flow style. */
export function readEnvironment(keys: readonly ConfigKey[], env: NodeJS.ProcessEnv): Overrides {
  const set = new Map<string, { key: ConfigKey; value: Json }>();
  const findings: Finding[] = [];
  const byVariable = new Map(keys.map((key) => [key.variable, key]));
  for (const [variable, raw] of Object.entries(env)) {
    if (raw === undefined || raw === '' || !variable.startsWith('JOURNEYMAN_') || reserved.has(variable)) continue;
    const key = byVariable.get(variable);
    if (key === undefined) findings.push(unknownVariable(variable, [...byVariable.keys()]));
    else if (isServiceLink(raw, key)) findings.push(serviceLink(variable, raw));
    else set.set(key.name, { key, value: parse(raw, key) });
  }
  return { set, findings };
}

/** `file` with the overrides applied; a section that is not an object is left for validation to reject. */
export function override(file: Json | undefined, overrides: Overrides): Json {
  if (file !== undefined && (file === null || typeof file !== 'object' || Array.isArray(file))) return file;
  const out = Object.assign(emptyObject(), file);
  for (const { key, value } of overrides.set.values()) {
    let at: JsonObject = out;
    for (const part of key.path.slice(0, -1)) {
      const child = at[part];
      if (child !== undefined && child !== null && (typeof child !== 'object' || Array.isArray(child))) break;
      at = at[part] = Object.assign(emptyObject(), child ?? {});
    }
    at[key.path[key.path.length - 1] as string] = value;
  }
  return out;
}

function parse(raw: string, key: ConfigKey): Json {
  const { type, enum: values, items } = key.schema;
  if (type === 'string' || values !== undefined) return raw;
  if (type === 'integer' || type === 'number') return /^-?\d+(\.\d+)?$/.test(raw) ? Number(raw) : raw;
  if (type === 'boolean')
    return ({ true: true, 1: true, false: false, 0: false } as Record<string, boolean>)[raw] ?? raw;
  if (type === 'array' && items?.type === 'string' && !raw.trimStart().startsWith('[')) {
    return raw.split(',').map((item) => item.trim());
  }
  const document = parseDocument(raw);
  return document.errors.length > 0 ? raw : (document.toJS() as Json);
}

function unknownVariable(variable: string, known: readonly string[]): Finding {
  const guess = nearest(variable, known);
  return {
    code: 'CONFIG_UNKNOWN_KEY',
    severity: 'warning',
    message: `The environment variable ${variable} is not a configuration key and has no effect`,
    pointer: '',
    hint: guess === undefined ? 'docs/configuration.md lists all of them.' : `Did you mean ${guess}?`,
  };
}

/** Kubernetes sets `<SERVICE>_PORT=tcp://…` for each service, which collides with our port keys. */
function isServiceLink(raw: string, key: ConfigKey): boolean {
  return key.schema.type === 'integer' && /^(tcp|udp):\/\//.test(raw);
}

function serviceLink(variable: string, raw: string): Finding {
  return {
    code: 'CONFIG_VALUE_INVALID',
    severity: 'warning',
    message: `${variable}=${raw} looks like a Kubernetes service link and is ignored`,
    pointer: '',
    hint: 'Set enableServiceLinks: false on the pod.',
  };
}
