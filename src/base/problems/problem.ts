import type { Json } from '../json/value.js';
import { type Code, type CodeEntry, registry } from './registry.js';

/** The one error shape of the product: an RFC 9457 problem with a stable code. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: string;
  detail?: string;
  instance?: string;
  /** JSON pointer of the invalid place, if there is one. */
  pointer?: string;
  hint?: string;
  /** All findings, if there are several: schema violations, validator findings. */
  errors?: Finding[];
  [extension: string]: unknown;
}

/** One finding about one place in a document or a body. */
export interface Finding {
  code: string;
  severity: 'error' | 'warning';
  message: string;
  pointer: string;
  line?: number;
  column?: number;
  hint?: string;
}

export type ProblemExtras = Partial<Omit<Problem, 'type' | 'title' | 'status' | 'code'>>;

/** A problem with the registry's title and HTTP status for `code`. */
export function problem(code: Code, detail?: string, extras: ProblemExtras = {}): Problem {
  const entry: CodeEntry = registry[code];
  return {
    type: entry.type ?? `urn:journeyman:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title: entry.title,
    status: entry.status,
    code,
    ...(detail === undefined ? {} : { detail }),
    ...extras,
  };
}

/** An error that carries a problem. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
  }
}

/** Throws `problem(code, …)`. */
export function refuse(code: Code, detail?: string, extras?: ProblemExtras): never {
  throw new ProblemError(problem(code, detail, extras));
}

export function isProblem(value: unknown): value is Problem {
  const it = value as Partial<Problem> | null;
  return typeof it === 'object' && it !== null && typeof it.code === 'string' && typeof it.type === 'string';
}

/** A problem as plain JSON, for a context, a history or a body. */
export function problemJson(it: Problem): Json {
  return JSON.parse(JSON.stringify(it)) as Json;
}
