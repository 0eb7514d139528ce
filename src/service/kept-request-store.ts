import { randomBytes } from 'node:crypto';
import { refuse } from '../base/problems/problem.js';
import type { RequestRef } from '../engine/frame.js';
import type { Headers, InboundRequest } from './inbound-request.js';

/** A request that a run in another process may refer to. */
export interface KeptRequest {
  readonly request: InboundRequest;
  /** The headers that calls pass through. */
  readonly passed: Headers;
}

/** Keeps requests in this process while runs use them, so that credentials do not leave it. */
export interface KeptRequests {
  /** Keeps a request for one run; throws REQUESTS_FULL if there are too many, in total or of the caller. */
  keep(run: string, caller: string, kept: KeptRequest): Promise<RequestRef>;
  /** Forgets a request once the run is parked. */
  forget(ref: RequestRef): void;
}

interface VaultLimits {
  readonly keepSec: number;
  readonly maxBytes: number;
}

interface Entry {
  readonly kept: KeptRequest;
  readonly run: string;
  readonly caller: string;
  readonly bytes: number;
  readonly until: number;
}

/** Overhead of an entry in bytes. */
const overhead = 1_000;

/** In-memory store of the requests that runs use, with bounded time and size; the share of a caller is limited. */
export class RequestVault {
  /** In order of expiry. */
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;
  private readonly ofCaller = new Map<string, number>();

  constructor(
    private readonly limits: VaultLimits,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Stores a request and returns its unguessable id. A caller may use half of the space that the others leave, so that there is always space
   * for a new caller.
   */
  keep(run: string, caller: string, kept: KeptRequest): string {
    this.expire();
    const bytes = overhead + sizeOf(kept);
    const own = this.ofCaller.get(caller) ?? 0;
    const left = this.limits.maxBytes - (this.bytes - own);
    if (own + bytes > left / 2) refuse('REQUESTS_FULL', undefined, { retryAfterSec: 5 });
    const id = randomBytes(16).toString('base64url');
    this.entries.set(id, { kept, run, caller, bytes, until: this.now() + this.limits.keepSec * 1_000 });
    this.count(caller, bytes);
    return id;
  }

  /** The request of this id, if it was stored for this run. */
  find(id: string, run: string): KeptRequest | undefined {
    this.expire();
    const entry = this.entries.get(id);
    return entry?.run === run ? entry.kept : undefined;
  }

  forget(id: string): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    this.entries.delete(id);
    this.count(entry.caller, -entry.bytes);
  }

  private count(caller: string, bytes: number): void {
    this.bytes += bytes;
    const own = (this.ofCaller.get(caller) ?? 0) + bytes;
    if (own > 0) this.ofCaller.set(caller, own);
    else this.ofCaller.delete(caller);
  }

  get size(): number {
    return this.entries.size;
  }

  /** Removes expired requests; called on every use and periodically by the owner. */
  expire(): void {
    for (const [id, { until }] of this.entries) {
      if (until > this.now()) return;
      this.forget(id);
    }
  }
}

function sizeOf({ request, passed }: KeptRequest): number {
  const texts = [
    ...Object.entries(request.headers).flat(),
    ...Object.entries(passed).flat(),
    request.certificate ?? '',
  ];
  return texts.reduce((sum, text) => sum + 2 * text.length, 2 * String(request.query).length);
}
