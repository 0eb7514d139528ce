import { canonical } from '../../json/value.js';
import type { Simulation } from './simulation.js';

/** A state that is entered so often in one run is taken for part of an endless loop. An hourly poll takes a year to get there. */
const mostVisits = 10_000;
/** How often a run must have come by with the very same context before it counts as going round in circles. */
const sameRounds = 3;
/** Contexts beyond this are not compared: the other bound finds their loops. */
const longestContext = 20_000;

/** Expressions that can give something else the next time, though the context is the same. */
const changing = /\b(now|today|tomorrow|yesterday|random|randomInt|uuid|millis|shuffle)\s*\(/;

/** Finds runs that would go on for ever, by where they have been. */
export class EndlessWatch {
  private seen = 0;
  private readonly visits = new Map<string, number>();
  private readonly rounds = new Map<string, number>();
  private repeating: boolean | undefined;

  constructor(
    private readonly simulation: Simulation,
    /** Whether nothing more can come from outside that is not the same as before. */
    private readonly unchanging: () => boolean,
  ) {}

  /** Whether the same context always leads the same way. */
  private get repeats(): boolean {
    const { definition } = this.simulation;
    this.repeating ??= definition.execution === undefined && !changing.test(JSON.stringify(definition));
    return this.repeating;
  }

  /** What shows that the run never ends, once it does. */
  found(): string | undefined {
    const { visits } = this.simulation;
    for (; this.seen < visits.length; this.seen++) {
      const { frame, state } = visits[this.seen]!;
      const count = (this.visits.get(state) ?? 0) + 1;
      this.visits.set(state, count);
      if (count > mostVisits) return `it entered ${state} more than ${mostVisits} times`;
      if (frame === '' && this.seen === visits.length - 1 && this.isSameAgain(state))
        return `it comes back to ${state} with the same context again and again`;
    }
    return undefined;
  }

  /** The run rests where it has rested before, with the same context, and nothing is left that could change its way. */
  private isSameAgain(state: string): boolean {
    const { simulation } = this;
    if (simulation.ended || !this.unchanging() || simulation.status.activeStates.length !== 1 || !this.repeats)
      return false;
    const context = canonical(simulation.currentContext);
    if (context.length > longestContext) return false;
    const key = `${state} ${context}`;
    const count = (this.rounds.get(key) ?? 0) + 1;
    this.rounds.set(key, count);
    return count > sameRounds;
  }
}
