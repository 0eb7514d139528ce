import { randomUUID } from 'node:crypto';
import type { HttpResult } from '../../src/tasks/http-call/request.js';
import type { CallFailure } from './failure.js';

/** How one request ended. */
export interface Attempted {
  answer: HttpResult;
  failure?: CallFailure;
}

/** A request on its way. It belongs to whoever holds it, and not to the activity that happened to send it. */
export interface Sent {
  /** Rejects only when the request was stopped. */
  readonly ended: Promise<Attempted>;
  /** By `performance.now()`. */
  readonly at: number;
  readonly stop: AbortController;
}

/** Eager dispatch brings the ordinary activity within milliseconds; a busy worker may take longer, another process never comes. */
const adoptWithinMs = 5_000;

/**
 * Requests that a local activity left in flight for the ordinary activity that follows it. A ticket stands for that one request and
 * travels through the run, so no other call can take it, whatever its URL; what nobody takes is aborted.
 */
export class InFlight {
  private readonly left = new Map<string, { sent: Sent; expiry: NodeJS.Timeout }>();

  constructor(private readonly withinMs = adoptWithinMs) {}

  /** Leaves a request to be adopted; returns its ticket. */
  leave(sent: Sent): string {
    const ticket = randomUUID();
    const expiry = setTimeout(() => this.adopt(ticket)?.stop.abort(), this.withinMs).unref();
    this.left.set(ticket, { sent, expiry });
    return ticket;
  }

  /** The request that a ticket stands for, once; undefined when it is gone or another process has it. */
  adopt(ticket: string): Sent | undefined {
    const { sent, expiry } = this.left.get(ticket) ?? {};
    clearTimeout(expiry);
    this.left.delete(ticket);
    return sent;
  }

  /** Aborts what nobody adopted. */
  close(): void {
    for (const ticket of [...this.left.keys()]) this.adopt(ticket)?.stop.abort();
  }
}

/** How a request ended, or undefined if not within `ms`; `signal` stops it. */
export async function endWithin(
  ms: number,
  { ended, stop }: Sent,
  signal: AbortSignal | undefined,
): Promise<Attempted | undefined> {
  const follow = () => stop.abort(signal?.reason);
  if (signal?.aborted) follow();
  signal?.addEventListener('abort', follow);
  let timer: NodeJS.Timeout | undefined;
  try {
    if (!Number.isFinite(ms)) return await ended;
    const impatience = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), ms);
    });
    return await Promise.race([ended, impatience]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
}
