import type { Json } from '../json/value.js';
import type { WaitState } from '../spec/definition.js';
import type { Frame } from './frame.js';

/** An external-input state that is waiting for its submission. */
export interface OpenStep {
  id: string;
  state: WaitState;
  frame: Frame;
  dueAt: number | undefined;
  /** Hands the payload to the waiting state. A step takes exactly one. */
  take(payload: Json): void;
}

/** The steps a run waits for at this moment, by id. */
export class OpenSteps {
  private readonly byId = new Map<string, OpenStep>();

  get(id: string): OpenStep | undefined {
    return this.byId.get(id);
  }

  all(): OpenStep[] {
    return [...this.byId.values()];
  }

  open(step: OpenStep): void {
    this.byId.set(step.id, step);
  }

  close(step: OpenStep): void {
    if (this.byId.get(step.id) === step) this.byId.delete(step.id);
  }
}
