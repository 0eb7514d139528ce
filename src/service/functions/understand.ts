import type { JsonObject } from '../../json/value.js';

/** A call of one function. */
export interface Invocation {
  readonly functionId: string;
  readonly functionArgs: JsonObject;
}

/** A question back, with ways to answer it. */
export interface Clarify {
  readonly code: string;
  readonly field: string;
  readonly question: string;
  readonly options?: readonly { readonly label: string }[];
}

/** What understanding an utterance depends on: there is no clock, zone or locale besides this. */
export interface Surroundings {
  /** Milliseconds since the epoch. */
  now: number;
  timezone?: string;
  orchestratorId: string;
  channelProfileId?: string;
  conversation: { channelId?: string; threadTs?: string };
  /** `#name` and id, in the order in which they are offered. */
  channels: [string, string][];
  workflows: string[];
  functions: string[];
  jobs: { jobId: string; name: string; state: string; schedule: JsonObject }[];
}

/** Makes of an utterance exactly one invocation, one question, or nothing; a question leaves a draft for the answer to it. */
export type Understand = (
  said: { readonly utterance: string; readonly draft?: JsonObject },
  surroundings: Surroundings,
) => {
  readonly result: Invocation | { readonly clarify: Clarify } | { readonly none: true; readonly reason: string };
  readonly draft?: JsonObject;
};
