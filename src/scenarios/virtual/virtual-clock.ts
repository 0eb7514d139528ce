interface Event {
  at: number;
  action: () => void;
}

/** Thrown when a simulation does not end. */
export class TooManyEvents extends Error {
  override readonly name = 'TooManyEvents';
}

/** A clock that is frozen until it is advanced, and then jumps to the next due event. */
export class VirtualClock {
  private readonly events: Event[] = [];
  private fired = 0;
  private readonly real = new Set<Promise<unknown>>();
  /** The instants of events, each once. */
  readonly moments: number[] = [];
  /** The shortest time between an event and the next one due, which the event may have prevented. */
  closest = Number.POSITIVE_INFINITY;

  constructor(
    private time: number,
    private readonly maxEvents = 100_000,
  ) {}

  now(): number {
    return this.time;
  }

  /** The instant of the next event, if there is one. */
  get next(): number | undefined {
    return this.events[0]?.at;
  }

  /** True if no event is pending. */
  get idle(): boolean {
    return this.events.length === 0;
  }

  /** Calls `action` at `instant`, or when the clock next advances if that has passed. Of two due together, the older is first. */
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

  /** Jumps to the next event and runs everything that follows from it; false if there was none. */
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

  /** Stops the clock until `work` is done, regardless of real time. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.real.add(work);
    return await work.finally(() => this.real.delete(work));
  }

  /** Resolves when nothing can continue without the clock. */
  async settled(): Promise<void> {
    await flushPromises();
    while (this.real.size > 0) {
      await Promise.allSettled(this.real);
      await flushPromises();
    }
  }
}

/** Resolves when no promise can continue. */
export function flushPromises(): Promise<void> {
  return new Promise(nextTask);
}

/** Calls back when no promise can continue. A browser has no `setImmediate`, and its timers are slow. */
const nextTask: (resume: () => void) => void =
  typeof setImmediate === 'function'
    ? setImmediate
    : (resume) => {
        const { port1, port2 } = new MessageChannel();
        port1.addEventListener('message', () => {
          port1.close();
          resume();
        });
        port1.start();
        port2.postMessage(null);
      };
