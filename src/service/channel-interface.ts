import type { JsonObject } from '../base/json/value.js';
import type { TargetRef } from '../schedules/jobs/job-record.js';
import type { Headers } from './inbound-request.js';

/** A message to post in a channel. */
export interface Post {
  /** Stored with the message, so that a retry finds it. */
  readonly executionId: string;
  readonly targetRef: TargetRef;
  readonly text: string;
  /** Hidden data of the message, returned with its answer: the draft of a clarification. */
  readonly note?: JsonObject;
  /** Skips the search for an earlier attempt. */
  readonly firstAttempt?: boolean;
  /** The time of the first attempt, which bounds the search. Default: a day ago. */
  readonly askedAt?: string;
}

/** Posts messages; one per kind of channel, for example `slack`. */
export interface ChannelAdapter {
  /** Posts a message, idempotently; returns its id in the channel. Throws CHANNEL_REFUSED or CHANNEL_UNREACHABLE. */
  post(post: Post): Promise<{ messageId: string }>;
}

/** A raw request of a channel, whose bytes are signed. */
export interface ChannelRequest {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** A message received from a channel. */
export interface ChannelMessage {
  /** Stable across repeated deliveries. */
  readonly messageId: string;
  readonly text: string;
  readonly senderId: string;
  readonly sender?: string;
  /** The conversation, as `noteBefore` expects it. */
  readonly conversation: JsonObject;
  /** Names of channels in the text → their ids, if known. */
  readonly channels: Readonly<Record<string, string>>;
  /** The target of an answer. */
  readonly replyTo: TargetRef;
  /** The note of the message that this one answers, if the sender included it. */
  readonly note?: JsonObject;
}

/** A received request: a message, a handshake, or ignored. */
export type Reception =
  | { readonly kind: 'message'; readonly message: ChannelMessage }
  | { readonly kind: 'handshake'; readonly answer: JsonObject }
  | { readonly kind: 'ignored' };

/** A kind of channel: posts, receives and finds earlier notes. */
export interface Channel extends ChannelAdapter {
  /** Verifies and parses a request; throws UNAUTHENTICATED. */
  receive(channelProfileId: string, request: ChannelRequest): Promise<Reception>;
  /** The note of our last message in this conversation before the given one, if any. */
  noteBefore(channelProfileId: string, conversation: JsonObject): Promise<JsonObject | undefined>;
}

/** All channels, by the name that profiles and target references use. */
export type Channels = Readonly<Record<string, Channel>>;
