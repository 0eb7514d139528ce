import { canonical, type Json } from '../../base/json/value.js';
/** The audience of a change: clients that start or read runs, clients that submit steps, schedules, parked runs, or operators who deploy. */
export type Audience = 'callers' | 'steps' | 'schedules' | 'runs' | 'deployment';

/** One difference between two versions of a journey or Api. */
export interface Change {
  readonly code: string;
  readonly concerns: Audience;
  /** Clients, runs or deployments that rely on the old version stop working. */
  readonly breaking: boolean;
  readonly pointer: string;
  readonly message: string;
}

/** Whether two parts of a definition differ in content. */
export function differ(before: unknown, after: unknown): boolean {
  return canonical((before ?? null) as Json) !== canonical((after ?? null) as Json);
}
