import type { Interruption } from '../../../src/engine/host.js';
import { type LocalEnvironment, LocalScope } from '../../../src/engine/local-cancellation-scope.js';

/** The log position and time of a scope's interruption. */
export interface Interrupt {
  seq: number;
  at: number;
}

/** The interruption of a scope: a cut of the run, or, at an instant, the end of an execution that continues as new. */
export type Recorded = { cutAt: Interrupt } | { handedOverAt: number };

/** A scope that records its interruption. */
export class WatchedScope extends LocalScope {
  cutAt: Interrupt | undefined;
  handedOverAt: number | undefined;

  constructor(
    private readonly environment: LocalEnvironment,
    private readonly record: () => Recorded,
    parent?: LocalScope,
  ) {
    super(environment, parent);
    // The parent was already interrupted before the fields of this one existed.
    if (this.interruption) Object.assign(this, record());
  }

  override fork(): WatchedScope {
    return new WatchedScope(this.environment, this.record, this);
  }

  override interrupt(cause: Interruption): void {
    if (!this.interruption && this.record) Object.assign(this, this.record());
    super.interrupt(cause);
  }
}
