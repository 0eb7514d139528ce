import { randomBytes } from 'node:crypto';
import { refuse } from '../problems/problem.js';
import type { KeptRequest } from '../service/requests.js';

export interface VaultLimits {
  readonly keepSec: number;
  readonly maxBytes: number;
}

interface Entry {
  readonly kept: KeptRequest;
  readonly run: string;
  readonly bytes: number;
  readonly until: number;
}

/** What an entry costs besides the text in it. */
const overhead = 1_000;

/** The requests that runs work on, in memory: each for one run, for a bounded time, all of them within a bounded size. */
export class RequestVault {
  /** In the order in which they expire. */
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(
    private readonly limits: VaultLimits,
    private readonly now: () => number = Date.now,
  ) {}

  /** Keeps a request; answers the id that stands for it, which nobody can guess. */
  keep(run: string, kept: KeptRequest): string {
    this.expire();
    const bytes = overhead + sizeOf(kept);
    if (this.bytes + bytes > this.limits.maxBytes) refuse('REQUESTS_FULL', undefined, { retryAfterSec: 5 });
    const id = randomBytes(16).toString('base64url');
    this.entries.set(id, { kept, run, bytes, until: this.now() + this.limits.keepSec * 1_000 });
    this.bytes += bytes;
    return id;
  }

  /** The request of this id, if it was kept for this run; it stays. */
  find(id: string, run: string): KeptRequest | undefined {
    this.expire();
    const entry = this.entries.get(id);
    return entry?.run === run ? entry.kept : undefined;
  }

  forget(id: string): void {
    this.bytes -= this.entries.get(id)?.bytes ?? 0;
    this.entries.delete(id);
  }

  get size(): number {
    return this.entries.size;
  }

  /** Drops what is over its time; done on every use, and between uses by whoever holds the vault. */
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
