/**
 * Limits of a pipeline's state, in bytes of JSON. Continue-as-new sends the whole state in one message, and a Temporal server accepts up to
 * 2 MiB; these parts together stay below that.
 */
export const stateLimits = {
  /** The definition with the journeys of its handlers; while a new one waits for the active run, there are two. */
  definition: 200_000,
  /** All live events: pending or reserved. */
  events: 1_000_000,
  /** States of all handlers. */
  carried: 100_000,
  /** Ended runs, with inputs and outputs. */
  runs: 120_000,
  /** One input or output of an ended run; a larger one is not stored. */
  shown: 8_192,
  /** Settled events: ids and status. */
  settled: 120_000,
  /** Data from one `prepare`. */
  data: 8_192,
  /** Number of suspended runs. */
  suspended: 10,
  /** Number of producers, and of consumers: one event may wake every consumer. */
  handlers: 20,
} as const;

/** Bounds of `wakeAt` from now, in milliseconds. */
export const wakeAtBounds = { least: 30_000, most: 86_400_000 } as const;

/** Delay of a tick after which its time counts as missed, in milliseconds. */
export const missedAfter = 60_000;
