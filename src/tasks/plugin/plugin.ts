import type { Json, JsonObject } from '../../json/value.js';

/** A task kind of one's own: what its block looks like, and what it does in the world. Modules named under `plugins` export it. */
export interface Plugin {
  /** `<type>:v<major>`. Another major version is another plugin; none stands in for another. */
  readonly kind: string;
  readonly description: string;
  /** The fields of the task block beside `kind` and `resultVar`. */
  readonly fields: Readonly<Record<string, PluginField>>;
  /** Whether the task has a `resultVar`: it may unless said otherwise. */
  readonly result?: 'required' | 'optional' | 'none';
  /** Parts of the run that `run` gets besides its fields. They travel through the history: ask for what is needed. */
  readonly uses?: readonly ('context' | 'platform')[];
  /** A repetition changes nothing in the world. False unless given. */
  readonly safe?: boolean;
  /** What a run of it may take; 10 s unless given. */
  readonly timeoutMs?: number;
  /** Does the work, in a worker or gateway: never inside a workflow. What it gives goes to `resultVar`. */
  run(input: JsonObject, how: PluginCall): Promise<Json> | Json;
}

/** A field of the task block. */
export interface PluginField {
  /** `template` is a text with placeholders, `mapper` any expression; the others are taken as they are written. */
  readonly type: 'template' | 'mapper' | 'text' | 'number' | 'boolean' | 'json';
  readonly description: string;
  readonly required?: boolean;
}

/** What surrounds one run of a plugin. */
export interface PluginCall {
  /** Aborted when the run is cancelled, or the time is over. */
  readonly signal: AbortSignal;
  /** The same for every attempt at this visit of this state, and for no other. */
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

/** What a plugin's module default-exports: one plugin, or several. */
export type PluginModule = { readonly default: Plugin | readonly Plugin[] };

const fieldTypes: readonly string[] = ['template', 'mapper', 'text', 'number', 'boolean', 'json'];
const results: readonly unknown[] = ['required', 'optional', 'none'];
const parts: readonly unknown[] = ['context', 'platform'];
/** Node's timers go no further. */
const longestMs = 2 ** 31 - 1;

/** What is wrong with something that should be a plugin; undefined when nothing is. */
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
