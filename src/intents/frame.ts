import type { Action } from './action.js';
import type { Where } from './peel.js';
import type { ClarifyCode, Option } from './types.js';
import type { When } from './when.js';

/** What to do with one job that is there. */
export type JobVerb = 'show' | 'pause' | 'resume' | 'delete' | 'run_now';

/** A change of a job, as it was said. */
export interface SaidPatch {
  when: When;
  where: Where;
  action?: Action;
  misfirePolicy?: 'skip_missed' | 'fire_once_on_recovery';
  allowOverlap?: boolean;
  /** Later by so many milliseconds, or earlier. */
  shift?: number;
  /** Days of the week that come or go, as a cron field. */
  days?: { add: boolean; weekdays: string };
  /** What it is to be called. */
  name?: string;
}

/** What an utterance asks for, before anything is looked up or asked back. */
export type Frame =
  | { intent: 'none' }
  | { intent: 'list'; state?: string }
  | { intent: 'create'; action: Action; when: When; where: Where }
  | { intent: JobVerb; job: string; jobId?: string; until?: true }
  | { intent: 'update'; job: string; jobId?: string; patch: SaidPatch }
  /** Several things at once. */
  | { intent: 'several'; frames: Frame[] }
  /** The same thing for several jobs. */
  | { intent: 'bulk'; verb: JobVerb; jobIds: string[] };

/** An option, and the frame that choosing it leads to. */
export interface Choice extends Option {
  leads: Frame;
}

/** A question with what its answers lead to; `free` reads an answer in words. */
export interface Question {
  code: ClarifyCode;
  field: string;
  question: string;
  choices?: Choice[];
  free?(answer: string): Frame | undefined;
}
