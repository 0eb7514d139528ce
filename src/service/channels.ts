import type { JsonObject } from '../json/value.js';
import type { TargetRef } from '../scheduling/jobs/record.js';
import type { Headers } from './inbound.js';

/** Something to say in a channel. */
export interface Post {
  /** Known by the channel afterwards, so that a repetition finds what was said already. */
  readonly executionId: string;
  readonly targetRef: TargetRef;
  readonly text: string;
  /** Travels with the message, unseen by people, and comes back with the answer to it: what a clarification knows so far. */
  readonly note?: JsonObject;
  /** Only then it does not look first whether this was said already: no earlier attempt can have. */
  readonly firstAttempt?: boolean;
  /** When it was first to be said; nothing older can be it. A day ago, unless given. */
  readonly askedAt?: string;
}

/** A channel's transport: what only it knows about posting. One per kind of channel, for example `slack`. */
export interface ChannelAdapter {
  /** Says it once, however often this is called; answers the message's own id there. Refuses with CHANNEL_REFUSED or CHANNEL_UNREACHABLE. */
  post(post: Post): Promise<{ messageId: string }>;
}

/** A request of a channel as it came over HTTP: signatures are about its bytes. */
export interface ChannelRequest {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** What somebody said in a channel. */
export interface ChannelMessage {
  /** The same for the same message, however often the channel delivers it. */
  readonly messageId: string;
  readonly text: string;
  readonly senderId: string;
  readonly sender?: string;
  /** Where it was said, as `noteBefore` understands it. */
  readonly conversation: JsonObject;
  /** The channels that the text names → their own ids, where the channel knows them. */
  readonly channels: Readonly<Record<string, string>>;
  /** Where an answer goes. */
  readonly replyTo: TargetRef;
  /** The note of the message that this one answers, if whoever sent it brought it along. */
  readonly note?: JsonObject;
}

/** What a request of a channel was: a message, something to answer and forget, or nothing of interest. */
export type Reception =
  | { readonly kind: 'message'; readonly message: ChannelMessage }
  | { readonly kind: 'handshake'; readonly answer: JsonObject }
  | { readonly kind: 'ignored' };

/** A kind of channel as a whole: it speaks, listens and remembers. */
export interface Channel extends ChannelAdapter {
  /** Checks that the request is genuine, and reads it. Refuses with UNAUTHENTICATED. */
  receive(channelProfileId: string, request: ChannelRequest): Promise<Reception>;
  /** The note of the last thing that was said to somebody in this conversation before their message, if it has one. */
  noteBefore(channelProfileId: string, conversation: JsonObject): Promise<JsonObject | undefined>;
}

/** The kinds of channels there are, by the name that profiles and target references use. */
export type Channels = Readonly<Record<string, Channel>>;
