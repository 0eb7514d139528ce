import type { Frame } from './frame.js';

/** The way a run took, newest last; for people who look at it. Bounded: the oldest entries make room. */
export class Trail {
  private static readonly size = 100;
  readonly entries: { frame: string; state: string; at: number }[] = [];
  dropped = 0;

  add(frame: Frame, at: number): void {
    this.entries.push({ frame: frame.id, state: frame.at, at });
    if (this.entries.length > Trail.size * 2) this.dropped += this.entries.splice(0, Trail.size).length;
  }
}
