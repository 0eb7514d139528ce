import type { Bench } from '../bench.js';

/** A quantity that a part measures, a row of the tables and a chart. */
export interface Measure {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** Fraction digits in tables. */
  readonly digits?: number;
  /** Which direction is better; lower by default. */
  readonly better?: 'more';
  /** The target ratio of a journey to the hand-written flow. */
  readonly aim?: number;
  /** The unit of `at` in its samples, for measures at several sizes. */
  readonly sizes?: string;
  /** Shown only in the table. */
  readonly noChart?: true;
}

/** A part of the benchmark that can run independently. */
export interface Part {
  readonly name: string;
  readonly about: string;
  readonly measures: readonly Measure[];
  /** Runs only on request, to keep the whole benchmark short. */
  readonly apart?: true;
  run(bench: Bench): Promise<void>;
}
