import type { Json, JsonObject } from '../json/value.js';

/** A job that can be spoken about. */
export interface KnownJob {
  jobId: string;
  name: string;
  state: string;
  /** A cadence as it is written on the wire, or what was given instead of one. */
  schedule: JsonObject;
}

/** Everything that understanding an utterance depends on. There is no clock, zone or locale besides this. */
export interface IntentContext {
  /** Milliseconds since the epoch. */
  now: number;
  /** The zone of the channel profile. */
  timezone?: string;
  /** Decides only whether 3/4 is in March or in April. */
  locale?: string;
  orchestratorId: string;
  channelProfileId?: string;
  conversation: { channelId?: string; threadTs?: string };
  /** `#name` and id, in the order in which they are offered. */
  channels: [string, string][];
  workflows: string[];
  functions: string[];
  jobs: KnownJob[];
}

/** The codes of clarifications. */
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

/** One way to answer a clarification. */
export interface Option {
  label: string;
  value: Json;
}

/** A question back. */
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

/** Why nothing was made of an utterance. */
export type NoneReason = 'NO_SCHEDULE_INTENT' | 'UTTERANCE_TOO_LONG' | 'DISMISSED';

/** What an utterance comes to: exactly one of these. */
export type IntentResult = Invocation | { clarify: Clarify } | { none: true; reason: NoneReason };
