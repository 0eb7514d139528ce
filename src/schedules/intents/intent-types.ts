import type { Json, JsonObject } from '../../base/json/value.js';

/** A job that an utterance can refer to. */
export interface KnownJob {
  jobId: string;
  name: string;
  state: string;
  /** The cadence in its wire format, or whatever the caller supplied. */
  schedule: JsonObject;
  /** The text that it posts, or the workflow or function that it runs. */
  does?: string;
}

/** Everything that the interpretation of an utterance depends on. No other clock, zone or locale is used. */
export interface IntentContext {
  /** Milliseconds since the epoch. */
  now: number;
  /** Default zone, from the channel profile. */
  timezone?: string;
  /** Decides only whether 3/4 is in March or April. */
  locale?: string;
  orchestratorId: string;
  channelProfileId?: string;
  conversation: { channelId?: string; threadTs?: string };
  /** `#name` and id, in the order in which options list them. */
  channels: [string, string][];
  workflows: string[];
  functions: string[];
  jobs: KnownJob[];
}

/** Codes of questions. */
export type ClarifyCode =
  | 'AMBIGUOUS_DATE'
  | 'AMBIGUOUS_JOB'
  | 'AMBIGUOUS_LOCAL_TIME'
  | 'AMBIGUOUS_MERIDIEM'
  | 'AMBIGUOUS_TIMEZONE'
  | 'INTERVAL_OUT_OF_BOUNDS'
  | 'MISSING_PATCH'
  | 'MISSING_TARGET_ACTION'
  | 'MISSING_TIME'
  | 'MISSING_TIMEZONE'
  | 'MULTIPLE_TARGETS'
  | 'NONEXISTENT_LOCAL_TIME'
  | 'PAST_INSTANT'
  | 'UNKNOWN_CHANNEL'
  | 'UNKNOWN_WORKFLOW'
  | 'UNSUPPORTED_RECURRENCE';

/** One possible answer to a question. */
export interface Option {
  label: string;
  value: Json;
}

/** A question to the user. */
export interface Clarify {
  code: ClarifyCode;
  field: string;
  question: string;
  options?: Option[];
}

/** A call of one schedule function. */
export interface Invocation {
  functionId: string;
  functionArgs: JsonObject;
}

/** Reasons for ignoring an utterance. */
export type NoneReason = 'NO_SCHEDULE_INTENT' | 'UTTERANCE_TOO_LONG' | 'DISMISSED';

/** Interpretation of an utterance: exactly one of these. */
export type IntentResult = Invocation | { clarify: Clarify } | { none: true; reason: NoneReason };
