import type { LibraryEntry } from './library.js';
import type { RunView } from './runs.js';

/** A run that has moved to another version of its journey, and is the same run. */
export interface MovedRun {
  readonly run: RunView;
  /** The version that it was of. */
  readonly from: string;
  /** False where it was of that version, and content, already. */
  readonly changed: boolean;
}

/** How a run that has ended goes on: as another run, from where it stood. */
export interface GoAgain {
  readonly id: string;
  /** Where from: the last visit of a state, or one that its history names. Left out: from the state that failed. */
  readonly to?: { readonly state?: string; readonly visit?: string };
  /** By this definition instead of its own. */
  readonly by?: LibraryEntry;
  /** Its compensation has undone what it did; it goes on all the same. */
  readonly despiteCompensation?: boolean;
  /** The same key for the same run is the same new run. A retry needs none: the visit that failed is retried once. */
  readonly key?: string;
}

/** The run that goes on. */
export interface GoneAgain {
  readonly run: RunView;
  /** The state it began with. */
  readonly state: string;
  /** It was there already. */
  readonly repeated: boolean;
}
