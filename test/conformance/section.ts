import { pathToFileURL } from 'node:url';

/** One part of the conformance run, listed in run.ts. */
export interface Section {
  name: string;
  run(): Promise<Tally | Skipped>;
}

export interface Skipped {
  skipped: string;
}

/** The result of a section: one line in the summary, and a line for each failure. */
export interface Tally {
  passed: number;
  failures: { id: string; line: string }[];
  /** Rejected as unsupported, by reason; neither passed nor failed. */
  unsupported?: Map<string, number>;
  remarks?: string[];
  /** The share that must pass, including unsupported ones in the total; by default all. */
  enough?: number;
}

/** The shared corpus next to the repository (npm scripts run in its root); it is read, never copied. */
export const shared = new URL('../shared/', pathToFileURL(`${process.cwd()}/`));
