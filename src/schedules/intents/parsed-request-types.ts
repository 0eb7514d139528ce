import type { ClarifyCode, Option } from './intent-types.js';
import type { RequestedAction } from './parse/action-phrases.js';
import type { Where } from './parse/strip-time-and-place.js';
import type { When } from './time/time-expression.js';

/** Commands for one existing job. */
export type JobCommand = 'show' | 'runs' | 'pause' | 'resume' | 'delete' | 'run_now';

/** A requested change of a job. */
export interface RequestedChange {
  when: When;
  where: Where;
  action?: RequestedAction;
  misfirePolicy?: 'skip_missed' | 'fire_once_on_recovery';
  allowOverlap?: boolean;
  /** Shift in milliseconds: positive is later, negative is earlier. */
  shift?: number | undefined;
  /** Weekdays to add and remove, as cron fields. */
  days?: { add?: string; remove?: string } | undefined;
  /** The change was meant for a single run. */
  single?: true | undefined;
  /** The value that is replaced, if it was said: "from 5pm to 6pm". */
  from?: When | undefined;
  /** New name of the job. */
  name?: string;
  /** New state of a disabled job. */
  state?: 'enabled' | 'disabled';
}

/** A parsed utterance, before names are looked up or questions are asked. */
export type ParsedRequest =
  | { intent: 'none' }
  /** `unfiltered`: the list was limited by something other than one state, which lists do not support. */
  | { intent: 'list'; state?: string; unfiltered?: true }
  | { intent: 'create'; action: RequestedAction; when: When; where: Where }
  /**
   * `until`: the command has a time or an end, or is about a single run, none of which commands support; `good`: a pause that should
   * never end.
   */
  | { intent: JobCommand; job: string; jobId?: string; until?: 'time' | 'run' | 'good' }
  | { intent: 'update'; job: string; jobId?: string; patch: RequestedChange }
  /** Several requests in one utterance, or one that can mean several things; `doubt` is the question about it. */
  | { intent: 'several'; requests: ParsedRequest[]; doubt?: string }
  /** One command for several jobs. */
  | { intent: 'bulk'; verb: JobCommand; jobIds: string[] }
  /** Words that mention jobs without a command that is understood; `patch`: a change that they may mean. */
  | { intent: 'unsure'; jobIds: string[]; patch?: RequestedChange };

/** An option, and the request that results from choosing it. */
export interface Choice extends Option {
  next: ParsedRequest;
}

/** A question with the requests that its answers result in; `parseAnswer` reads a free-text answer. */
export interface Question {
  code: ClarifyCode;
  field: string;
  question: string;
  choices?: Choice[];
  parseAnswer?(answer: string): ParsedRequest | undefined;
}
