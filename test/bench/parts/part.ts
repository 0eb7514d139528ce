import type { Bench } from '../bench.js';

/** A quantity that a part measures, a row of the tables and a chart. */
export interface Measure {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** Fraction digits in tables. */
  readonly digits?: number;
  /** Which is better; less by default. */
  readonly better?: 'more';
  /** The aim for the ratio of a journey to the same by hand. */
  readonly aim?: number;
  /** What `at` of its samples counts, for measures at several sizes. */
  readonly sizes?: string;
  /** Only in the table. */
  readonly noChart?: true;
}

/** A part of the benchmark that can run alone. */
export interface Part {
  readonly name: string;
  readonly about: string;
  readonly measures: readonly Measure[];
  /** Runs only when it is named, so that the whole remains short. */
  readonly apart?: true;
  run(bench: Bench): Promise<void>;
}
