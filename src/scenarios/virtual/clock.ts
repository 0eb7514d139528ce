interface Event {
  at: number;
  action: () => void;
}

/** Thrown when a simulation does not come to an end. */
export class TooManyEvents extends Error {
  override readonly name = 'TooManyEvents';
}

/** A clock that stands still until it is told to go on, and then jumps to the next thing that is due. */
export class VirtualClock {
  private readonly events: Event[] = [];
  private fired = 0;
  private readonly real = new Set<Promise<unknown>>();
  /** The instants at which something happened, each once. */
  readonly moments: number[] = [];
  /** The shortest time between something that happened and what was next in line, which it may have kept from happening. */
  closest = Number.POSITIVE_INFINITY;

  constructor(
    private time: number,
    private readonly maxEvents = 100_000,
  ) {}

  now(): number {
    return this.time;
  }

  /** When the next thing is due, if anything is. */
  get next(): number | undefined {
    return this.events[0]?.at;
  }

  /** True when nothing will ever happen by itself. */
  get idle(): boolean {
    return this.events.length === 0;
  }

  /** Calls `action` at `instant`, or as soon as the clock goes on if that has passed. Of two due together, the older goes first. */
  at(instant: number, action: () => void): () => void {
    const event: Event = { at: Math.max(instant, this.time), action };
    let index = this.events.length;
    while (index > 0 && this.events[index - 1]!.at > event.at) index -= 1;
    this.events.splice(index, 0, event);
    return () => {
      const position = this.events.indexOf(event);
      if (position >= 0) this.events.splice(position, 1);
    };
  }

  /** Jumps to the next event and lets everything that follows from it happen; false when there was none. */
  async advance(): Promise<boolean> {
    const event = this.events.shift();
    if (!event) return false;
    this.fired += 1;
    if (this.fired > this.maxEvents) throw new TooManyEvents(`more than ${this.maxEvents} events`);
    this.time = event.at;
    if (this.moments.at(-1) !== event.at) this.moments.push(event.at);
    const next = this.events.find(({ at }) => at > event.at);
    if (next) this.closest = Math.min(this.closest, next.at - event.at);
    event.action();
    await this.settled();
    return true;
  }

  /** Time stands still until `work` is done, however long that really takes. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.real.add(work);
    return await work.finally(() => this.real.delete(work));
  }

  /** Resolves when everything that can go on without the clock has done so. */
  async settled(): Promise<void> {
    await settled();
    while (this.real.size > 0) {
      await Promise.allSettled(this.real);
      await settled();
    }
  }
}

/** Resolves when every promise that can go on has done so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
