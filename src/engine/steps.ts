import type { Projection } from '../definition/definition.js';
import type { Json, JsonObject } from '../json/value.js';
import type { Frame, RequestRef } from './frame.js';

/** What a request brings to a step besides the payload. */
export interface StepRequest {
  /** Values for the context, by dot path. */
  fields?: JsonObject;
  traceparent?: string;
  /** The request itself, where the journey looks at it. */
  request?: RequestRef;
}

/** An external-input state that is waiting for its submission. */
export interface OpenStep {
  id: string;
  state: { type: string; schema: Json; response?: Projection };
  frame: Frame;
  dueAt: number | undefined;
  /** Hands the payload to the waiting state, with whatever else its request brought. A step takes exactly one. */
  take(payload: Json, request?: StepRequest): void;
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
