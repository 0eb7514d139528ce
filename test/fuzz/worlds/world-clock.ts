interface Event {
  due: number;
  action: () => void;
}

/** A period without any of our processes: events due in it happen at its end, in their due order. */
export interface Outage {
  from: number;
  to: number;
}

/** A clock that jumps from event to event, and over an outage. */
export class WorldClock {
  /** Two events were due at one instant, or an outage delayed several: their order may differ on other hosts. */
  tied = false;
  private readonly events: Event[] = [];
  private readonly planned = new Set<number>();
  private delayed = 0;

  constructor(
    private time: number,
    private readonly outage: Outage | undefined,
  ) {}

  now(): number {
    return this.time;
  }

  /** The time at which an event due at `instant` happens. */
  arrival(instant: number): number {
    const { outage } = this;
    return outage && instant >= outage.from && instant < outage.to ? outage.to : instant;
  }

  /** Calls `action` at `instant`, in order of registration. Returns a function that cancels it. */
  at(instant: number, action: () => void): () => void {
    const { events, planned } = this;
    if (planned.has(instant)) this.tied = true;
    planned.add(instant);
    const event = { due: instant, action };
    let index = events.length;
    while (index > 0 && events[index - 1]!.due > instant) index -= 1;
    events.splice(index, 0, event);
    return () => {
      const position = events.indexOf(event);
      if (position >= 0) events.splice(position, 1);
    };
  }

  /** Jumps to the next event; false if there is none. */
  fire(): boolean {
    const event = this.events.shift();
    if (!event) return false;
    const instant = this.arrival(event.due);
    if (instant !== event.due) {
      this.delayed += 1;
      // The next event, which is also due, may be cancelled by this one.
      const [next] = this.events;
      if (this.delayed > 1 || (next && this.arrival(next.due) === instant)) this.tied = true;
    }
    this.time = Math.max(this.time, instant);
    event.action();
    return true;
  }
}
