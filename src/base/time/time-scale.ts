import { addDuration, parseDuration } from './duration.js';

/** Mapping of virtual time to real time: `factor` virtual milliseconds pass in one real millisecond. */
export interface TimeScale {
  factor: number;
  /** The scenario's start instant. */
  virtualStart: number;
  /** The real time at which the run starts. */
  realStart: number;
  /** Upper bound for call timeouts, for a scenario in which a call gets no answer. */
  longestCallMs?: number;
}

/** The `scale` of a state type or task kind without durations. */
export const timeless = <T>(it: T): T => it;

/** An ISO-8601 duration, shortened; a text that is not one stays as it is. */
export function scaleDuration(text: string, { factor, virtualStart }: TimeScale): string {
  const parsed = parseDuration(text);
  return parsed ? `PT${((addDuration(virtualStart, parsed) - virtualStart) / factor / 1000).toFixed(3)}S` : text;
}
