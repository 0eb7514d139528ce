import type { Json, JsonObject } from '../../../base/json/value.js';

/** A custom task kind: the form of its block, and its effect. Modules named under `plugins` export it. */
export interface Plugin {
  /** `<type>:v<major>`. Another major version is another plugin. */
  readonly kind: string;
  readonly description: string;
  /** The fields of the task block beside `kind` and `resultVar`. */
  readonly fields: Readonly<Record<string, PluginField>>;
  /** Whether the task has a `resultVar`; optional by default. */
  readonly result?: 'required' | 'optional' | 'none';
  /** Parts of the run that `run` receives besides its fields. They are in the history, so request only what is needed. */
  readonly uses?: readonly ('context' | 'platform')[];
  /** Whether a repetition has no side effects; false by default. */
  readonly safe?: boolean;
  /** The timeout of one run; 10 s by default. */
  readonly timeoutMs?: number;
  /** Does the work, in a worker or gateway, never inside a workflow. Its result goes to `resultVar`. */
  run(input: JsonObject, how: PluginCall): Promise<Json> | Json;
}

/** A field of the task block. */
export interface PluginField {
  /** `template` is a text with placeholders, `mapper` any expression; the others are literal. */
  readonly type: 'template' | 'mapper' | 'text' | 'number' | 'boolean' | 'json';
  readonly description: string;
  readonly required?: boolean;
}

/** Context of one run of a plugin. */
export interface PluginCall {
  /** Aborted when the run is cancelled or the timeout expires. */
  readonly signal: AbortSignal;
  /** The same for every attempt of this visit of this state, and unique otherwise. */
  readonly idempotencyKey: string;
  readonly stateId: string;
  readonly journey: { readonly name: string; readonly version: string };
  readonly context?: JsonObject;
  readonly platform?: JsonObject;
  /** The value of a secret, by its reference. */
  secret(ref: string): Promise<string>;
  /** An error that ends the run with this problem. Any other error is an internal one. */
  problem(problem: PluginProblem): Error;
}

/** RFC 9457. */
export interface PluginProblem {
  readonly code: string;
  readonly title: string;
  readonly type?: string;
  readonly status?: number;
  readonly detail?: string;
}

/** The default export of a plugin's module: one plugin, or several. */
export type PluginModule = { readonly default: Plugin | readonly Plugin[] };

const fieldTypes: readonly string[] = ['template', 'mapper', 'text', 'number', 'boolean', 'json'];
const results: readonly unknown[] = ['required', 'optional', 'none'];
const parts: readonly unknown[] = ['context', 'platform'];
/** The longest timer of Node. */
const longestMs = 2 ** 31 - 1;

/** Returns the first fault of a value that should be a plugin; undefined if it is one. */
export function pluginFault(it: Partial<Plugin> | null | undefined): string | undefined {
  if (typeof it !== 'object' || it === null) return 'it exports no plugin by default';
  if (typeof it.kind !== 'string' || !/^[A-Za-z][A-Za-z0-9_-]*:v[1-9][0-9]*$/.test(it.kind))
    return 'kind must look like slugify:v1';
  if (typeof it.description !== 'string') return `${it.kind} has no description`;
  if (typeof it.run !== 'function') return `${it.kind} has no run`;
  for (const [name, field] of Object.entries(it.fields ?? {})) {
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name) || name === 'kind' || name === 'resultVar')
      return `${it.kind} cannot have a field called ${name}`;
    if (!fieldTypes.includes(field?.type)) return `the field ${name} of ${it.kind} has no known type`;
  }
  const { result = 'optional', uses = [], safe = false, timeoutMs = 1 } = it;
  if (!results.includes(result)) return `result of ${it.kind} must be required, optional or none`;
  if (!Array.isArray(uses) || !uses.every((part) => parts.includes(part)))
    return `uses of ${it.kind} must list context, platform or both`;
  if (typeof safe !== 'boolean') return `safe of ${it.kind} must be true or false`;
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > longestMs)
    return `timeoutMs of ${it.kind} must be a whole number from 1 to ${longestMs}`;
  return undefined;
}
