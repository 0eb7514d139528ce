import type { Frame } from './frame.js';

/** The path a run took, newest last, for people to look at. Bounded: the oldest entries make room. */
export class Trail {
  private static readonly size = 100;
  readonly entries: { frame: string; state: string; at: number }[] = [];
  dropped = 0;
  /** Called with every entry, even those that later make room. */
  heard?: (entry: { frame: string; state: string; at: number }) => void;

  add(frame: Frame, at: number): void {
    const entry = { frame: frame.id, state: frame.at, at };
    this.entries.push(entry);
    this.heard?.(entry);
    if (this.entries.length > Trail.size * 2) this.dropped += this.entries.splice(0, Trail.size).length;
  }
}
