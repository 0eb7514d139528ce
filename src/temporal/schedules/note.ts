import { type BindingRecord, cadenceOf, isExhausted, isMoved } from '../../scheduling/bindings/record.js';
import { describe } from '../../scheduling/cadence/describe.js';

/** What a Schedule's note says about its binding, for anyone looking at it with Temporal's own tools. */
export function bindingNote(record: BindingRecord): string {
  const { runsExecuted, maxRuns, move } = record;
  if (move && isMoved(record)) return `Moved to version ${move.version}: ${move.scheduleId}`;
  const runs = `${runsExecuted} of ${maxRuns} ${maxRuns === 1 ? 'run' : 'runs'}`;
  return isExhausted(record) ? `Exhausted: ${runs} done` : `${runs} done; ${describe(cadenceOf(record))}`;
}
