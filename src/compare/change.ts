import { canonical, type Json } from '../json/value.js';
import { type Direction, schemaChanges } from './schemas.js';

/** Whom a change concerns: who starts or reads runs, who submits steps, schedules, runs that are parked, who deploys. */
export type Concerns = 'callers' | 'steps' | 'schedules' | 'runs' | 'deployment';

/** One difference between two versions of a journey or Api. */
export interface Change {
  readonly code: string;
  readonly concerns: Concerns;
  /** Somebody who relies on the old one is let down. */
  readonly breaking: boolean;
  readonly pointer: string;
  readonly message: string;
}

/** What is different in a schema that `concerns` somebody. */
export function schemas(
  code: string,
  concerns: Concerns,
  pointer: string,
  before: Json | undefined,
  after: Json | undefined,
  way: Direction,
): Change[] {
  return schemaChanges(before, after, way).map((it) => ({
    code,
    concerns,
    breaking: it.breaking,
    pointer,
    message: `${it.pointer || 'The whole value'} ${it.message}.`,
  }));
}

/** Whether two parts of definitions say different things. */
export function differ(before: unknown, after: unknown): boolean {
  return canonical((before ?? null) as Json) !== canonical((after ?? null) as Json);
}
