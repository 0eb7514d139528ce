const rememberMs = 60_000;
const mostOrigins = 1_000;

/** The origins that recently kept a caller waiting, so that they are not called in a way that holds up a run. */
export class SlowOrigins {
  /** Origin → until when it counts as slow; the one seen last stands last. */
  private readonly until = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  add(origin: string): void {
    this.until.delete(origin);
    this.until.set(origin, this.now() + rememberMs);
    if (this.until.size > mostOrigins) this.until.delete(this.until.keys().next().value!);
  }

  has(origin: string): boolean {
    const until = this.until.get(origin);
    if (until === undefined) return false;
    if (this.now() < until) return true;
    this.until.delete(origin);
    return false;
  }
}
