import type { Cache } from './cache.js';

interface Entry {
  readonly text: string;
  readonly until: number;
  readonly size: number;
}

/** A cache in this process's memory. What was not used for the longest time goes first when there is no room. */
export class MemoryCache implements Cache {
  /** The entry used last stands last. */
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(
    private readonly maxEntries: number,
    private readonly maxBytes: number,
    private readonly now: () => number = Date.now,
  ) {}

  async get(key: string): Promise<string | undefined> {
    const entry = this.take(key);
    if (!entry || this.now() >= entry.until) return undefined;
    this.add(key, entry);
    return entry.text;
  }

  async put(key: string, text: string, ttlSeconds: number): Promise<void> {
    this.take(key);
    const size = Buffer.byteLength(key) + Buffer.byteLength(text);
    if (size > this.maxBytes) return;
    this.add(key, { text, until: this.now() + ttlSeconds * 1_000, size });
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.maxEntries && this.bytes <= this.maxBytes) return;
      this.take(oldest);
    }
  }

  async close(): Promise<void> {
    this.forget();
  }

  forget(): void {
    this.entries.clear();
    this.bytes = 0;
  }

  private add(key: string, entry: Entry): void {
    this.entries.set(key, entry);
    this.bytes += entry.size;
  }

  private take(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (entry) this.bytes -= entry.size;
    this.entries.delete(key);
    return entry;
  }
}
