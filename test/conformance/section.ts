import { pathToFileURL } from 'node:url';

/** One part of the conformance run. `journeys` and others join by adding theirs to the list in run.ts. */
export interface Section {
  name: string;
  run(): Promise<Tally | Skipped>;
}

export interface Skipped {
  skipped: string;
}

/** What came of a section: one line in the summary, and a line for each failure. */
export interface Tally {
  passed: number;
  failures: { id: string; line: string }[];
  /** Refused as unsupported, by reason; neither passed nor failed. */
  unsupported?: Map<string, number>;
  remarks?: string[];
  /** The share that must pass, of all including the unsupported; all of them unless said. */
  enough?: number;
}

/** The shared corpus beside the repository (npm runs in its root); it is read, never copied. */
export const shared = new URL('../shared/', pathToFileURL(`${process.cwd()}/`));
