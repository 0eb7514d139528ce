import { upsertSearchAttributes } from '@temporalio/workflow';
import type { Outcome } from '../src/engine/outcome.js';
import type { Run } from '../src/engine/run.js';
import { currentState } from '../src/engine/status.js';
import { type AttributeValues, attributesOf, pairs } from './search-attributes.js';

/** Keeps a run's search attributes true. An upsert is a history event, so only what changed is written, and only at rest. */
export class Visibility {
  private shown: AttributeValues;

  constructor(
    private readonly run: Run,
    /** True where an earlier execution of the run rested already. */
    private parked: boolean,
  ) {
    this.shown = attributesOf(run.definition, run.position);
  }

  park(): void {
    this.parked = true;
    this.show({ JourneyState: currentState(this.run) });
  }

  /** A run that never rested is found by its execution status; one that did would still show where it rested last. */
  end(outcome: Outcome): void {
    if (this.parked) this.show({ JourneyState: outcome.terminatedAtState, JourneyOutcome: outcome.status });
  }

  private show(values: AttributeValues): void {
    const now = { ...attributesOf(this.run.definition, this.run.position), ...values };
    const changed = pairs(now, this.shown);
    this.shown = now;
    if (changed.length > 0) upsertSearchAttributes(changed);
  }
}
