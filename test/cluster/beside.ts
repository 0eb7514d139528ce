/** Something that runs beside the load, and what must come of it. */
export interface Beside {
  /** Lets everything that is due end, and reports. */
  settle(): Promise<Settled>;
}

export interface Settled {
  /** Steps that must be in the ledger: `<group>/<item>/<state>`. */
  readonly expected: readonly string[];
  /** Everything that is wrong beyond the ledger. */
  readonly faults: readonly string[];
  /** One line for the report. */
  readonly line: string;
}
