import type { TargetRef } from '../scheduling/jobs/record.js';

/** Something to say in a channel. */
export interface Post {
  /** Known by the channel afterwards, so that a repetition finds what was said already. */
  readonly executionId: string;
  readonly targetRef: TargetRef;
  readonly text: string;
}

/** A channel's transport: what only it knows about posting. One per kind of channel, for example `slack`. */
export interface ChannelAdapter {
  /** Says it once, however often this is called; answers the message's own id there. */
  post(post: Post): Promise<{ messageId: string }>;
}
