/** A workload that runs next to the main load, and its expected results. */
export interface Beside {
  /** Waits until everything due has ended, and reports. */
  settle(): Promise<Settled>;
}

export interface Settled {
  /** Steps that must be in the ledger: `<group>/<item>/<state>`. */
  readonly expected: readonly string[];
  /** Violations outside the ledger. */
  readonly faults: readonly string[];
  /** One line for the report. */
  readonly line: string;
}
