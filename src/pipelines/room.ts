/**
 * How much of a pipeline may be held at once, in bytes of JSON. Everything a pipeline knows is handed to a fresh execution in one message,
 * which a Temporal server takes up to 2 MiB; these parts together stay below that.
 */
export const room = {
  /** The definition with the journeys of its handlers; while a new one waits for the active run, there are two. */
  definition: 200_000,
  /** All events that are pending or reserved. */
  events: 1_000_000,
  /** What all handlers carry from run to run. */
  carried: 100_000,
  /** Ended runs, with what they were given and gave. */
  runs: 120_000,
  /** One input or output of a run; a larger one is not kept. */
  shown: 8_192,
  /** Events that are over: their ids and what became of them. */
  settled: 120_000,
  /** What one `prepare` gives besides reservations. */
  data: 8_192,
  /** Suspended runs, counted: each keeps what it needs to be run again. */
  suspended: 10,
  /** Producers, and consumers, counted: one event may ask every consumer at once. */
  handlers: 20,
} as const;

/** The bounds of a hint, counted from the moment it is given, in milliseconds. */
export const hintBounds = { least: 30_000, most: 86_400_000 } as const;

/** A time counts as missed when its tick comes later than this, in milliseconds. */
export const missedAfter = 60_000;
