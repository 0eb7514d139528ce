import type { Json, JsonObject } from '../../../base/json/value.js';
import type { Frame, Progress } from '../../../engine/frame.js';
import type { JourneyError } from '../../../engine/outcome.js';
import type { ItemProgress } from '../../../engine/run-status.js';

/** Progress of a `map`. */
export interface MapProgress extends Progress {
  kind: 'map';
  /** Items that have not started. */
  waiting: Json[];
  /** Their keys, if the map has keys. */
  keys?: string[];
  /** Items in progress. */
  live: Frame[];
  /** The items in progress that wait for submissions only, by index: the size of each as JSON. */
  parked: Record<string, number>;
  /** Results by item; null for an item that failed or is not done. */
  results: Json[];
  failures: Failure[];
  /** Items with side effects that `until` closed. */
  closed?: ClosedItem[];
  /** Size of results and failures, as JSON. */
  bytes: number;
  tally: ItemProgress;
}

/** A type, not an interface, so that it counts as plain JSON. */
type Failure = { index: number; error: JourneyError };

/** An item that `until` closed after it had made a call with side effects. */
type ClosedItem = { index: number; context: JsonObject };

/** The failures so far, ordered by index. */
export function failuresOf({ failures }: MapProgress): Failure[] {
  return [...failures].sort((a, b) => a.index - b.index);
}
