import type { Reply } from '../../tasks/virtual.js';

/** Replies that wait for a clock which stands still until it is set. */
export class HeldReplies {
  private waiting: { due: number; send: () => void }[] = [];

  constructor(private time: number) {}

  get now(): number {
    return this.time;
  }

  held({ afterMs }: Reply): Promise<void> {
    if (afterMs <= 0) return Promise.resolve();
    return new Promise((send) => this.waiting.push({ due: this.time + afterMs, send }));
  }

  at(now: number): void {
    this.time = now;
  }

  /** Sends those that are due. */
  send(): void {
    const now = this.time;
    const due = this.waiting.filter((it) => it.due <= now);
    this.waiting = this.waiting.filter((it) => it.due > now);
    for (const { send } of due) send();
  }
}
