/** How far a state is that works through something countable. */
export interface Tally {
  total: number;
  /** Ended, well or not. */
  done: number;
  failed: number;
}
