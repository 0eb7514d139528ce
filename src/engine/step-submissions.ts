import { jsonBytes } from '../base/json/size.js';
import { copy, type Json, type JsonObject } from '../base/json/value.js';
import { type Problem, problem } from '../base/problems/problem.js';
import { validate } from '../json-schema/validate.js';
import { violationsText, violationText } from '../json-schema/violation-messages.js';
import type { Projection } from './definition/definition.js';
import { keyFault } from './definition/keyed-run-id.js';
import type { Frame, RequestRef } from './frame.js';
import { type KnownStep, partsOfAddress } from './steps/step-address.js';

/** Request data of a submission, besides the payload. */
export interface StepRequest {
  /** Values for the context, by dot path. */
  fields?: JsonObject;
  traceparent?: string;
  /** The request itself, if the journey uses it. */
  request?: RequestRef;
}

/** A submission that arrived before its step was active. A type, not an interface, so that it counts as plain JSON. */
export type KeptSubmission = Pick<StepRequest, 'fields' | 'traceparent'> & { payload: Json };

/** An external-input state that is waiting for its submission. */
export interface OpenStep {
  /** Its address. */
  id: string;
  state: { type: string; schema: Json; response?: Projection };
  frame: Frame;
  dueAt: number | undefined;
  /** Passes the payload and the other request data to the waiting state. A step accepts exactly one submission. */
  take(payload: Json, request?: StepRequest): void;
}

/** The active steps of a run, by address. */
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

/** Number of submissions stored for one step that is not active yet. */
const keptPerStep = 10;

/** Validates submissions to a run's steps, the same on every host, and stores those that arrive before their step is active. */
export class Submissions {
  private readonly early: Map<string, KeptSubmission[]>;

  constructor(
    /** Returns all steps of the journey by id. Called for each submission. */
    private readonly known: () => ReadonlyMap<string, KnownStep>,
    kept: readonly [address: string, submissions: KeptSubmission[]][] = [],
    /** Receives the reason when a signal is dropped. */
    private readonly note: (text: string) => void = () => undefined,
    /** Maximum size of the submissions stored for all steps, in bytes, because continue-as-new carries them over. Unbounded unless set. */
    private readonly mostBytes: number | undefined = undefined,
  ) {
    this.early = new Map(kept);
  }

  /** Stored submissions, to be carried over by continue-as-new. */
  kept(): [stepId: string, submissions: KeptSubmission[]][] {
    return [...this.early];
  }

  /** Returns why a submission is rejected: wrong address, then not active, then invalid. A rejected submission consumes nothing. */
  refusal(steps: OpenSteps, address: string, payload: Json): Problem | undefined {
    const wrong = this.wrongAddress(steps, address);
    if (wrong) return wrong;
    const step = steps.get(address);
    if (!step) return problem('STEP_NOT_ACTIVE', `The step '${address}' is not waiting for a submission.`);
    return payloadRefusal(step.state.schema, payload);
  }

  /** Returns why a submission is rejected that is kept if its step is not active. Unlike a signal, it never replaces an older one. */
  earlyRefusal(steps: OpenSteps, address: string, submission: KeptSubmission): Problem | undefined {
    const wrong = this.wrongAddress(steps, address);
    if (wrong) return wrong;
    if (steps.get(address)) return this.refusal(steps, address, submission.payload);
    const invalid = payloadRefusal(this.known().get(partsOfAddress(address).stepId)!.schema, submission.payload);
    if (invalid) return invalid;
    const kept = this.early.get(address) ?? [];
    if (kept.length < keptPerStep && this.fitsBeside(submission)) return undefined;
    return problem('STEP_FULL', `The run keeps ${kept.length} submissions for '${address}' already.`);
  }

  /** Stores a submission whose step is not active. */
  keep(address: string, submission: KeptSubmission): void {
    this.early.set(address, [...(this.early.get(address) ?? []), submission]);
  }

  private fitsBeside(submission: KeptSubmission): boolean {
    return this.mostBytes === undefined || jsonBytes([...this.early, [submission]]) <= this.mostBytes;
  }

  /** Why no step of the journey can have this address. */
  private wrongAddress(steps: OpenSteps, address: string): Problem | undefined {
    const { stepId, item } = partsOfAddress(address);
    const use = this.known().get(stepId);
    if (!use) return problem('STEP_UNKNOWN', `The journey has no step '${stepId}'.`);
    if (item === undefined) return use.alone ? undefined : itemRequired(steps, stepId);
    if (!use.inItems)
      return problem('STEP_UNKNOWN', `The step '${stepId}' is not in an item of a map.`, {
        hint: `Submit it as ${stepId}.`,
      });
    const fault = keyFault(item);
    return fault === undefined
      ? undefined
      : problem('STEP_UNKNOWN', `'${item.slice(0, 200)}' is not an item: ${fault}.`);
  }

  /** Handles a plain signal named after a step: delivers it if the step is active, else stores it until the step is. */
  signal(steps: OpenSteps, address: string, payload: Json): void {
    const step = steps.get(address);
    const wrong = step ? undefined : this.wrongAddress(steps, address);
    if (wrong)
      this.note(`A signal \`${address.slice(0, 200)}\` was dropped: ${wrong.detail} ${wrong.hint ?? ''}`.trimEnd());
    else if (!step) this.keepSignal(address, payload);
    else if (this.fits(address, step.state.schema, payload)) step.take(copy(payload));
  }

  /** Stores an early signal. The newest signals of a step are kept, as many as fit beside those of other steps. */
  private keepSignal(address: string, payload: Json): void {
    const kept = [...(this.early.get(address) ?? []), { payload }].slice(-keptPerStep);
    this.early.set(address, kept);
    while (kept.length > 0 && this.mostBytes !== undefined && jsonBytes([...this.early]) > this.mostBytes) {
      kept.shift();
      this.note(`A signal \`${address}\` was dropped: stored signals are limited to ${this.mostBytes} bytes.`);
    }
    if (kept.length === 0) this.early.delete(address);
  }

  /** Returns the oldest valid submission stored for this step; invalid ones are dropped. */
  takeKept(address: string, schema: Json): KeptSubmission | undefined {
    const submissions = this.early.get(address) ?? [];
    while (submissions.length > 0) {
      const submission = submissions.shift()!;
      if (submissions.length === 0) this.early.delete(address);
      if (this.fits(address, schema, submission.payload)) return { ...submission, payload: copy(submission.payload) };
    }
    return undefined;
  }

  private fits(address: string, schema: Json, payload: Json): boolean {
    if (validate(schema, payload).length === 0) return true;
    this.note(`A signal for \`${address}\` was dropped: it does not match the step’s schema.`);
    return false;
  }
}

/** How many waiting items a hint lists. */
const listed = 10;

function itemRequired(steps: OpenSteps, stepId: string): Problem {
  const waiting = steps.all().filter((step) => partsOfAddress(step.id).stepId === stepId);
  const some = waiting.slice(0, listed).map(({ id }) => id);
  const more = waiting.length > listed ? `, and ${waiting.length - listed} more` : '';
  return problem('STEP_ITEM_REQUIRED', `The step '${stepId}' waits in the items of a map.`, {
    hint: `Submit it as ${stepId}/<item>. Waiting now: ${some.length === 0 ? 'none' : some.join(', ')}${more}.`,
  });
}

/** Returns why a step with this schema rejects a payload. */
export function payloadRefusal(schema: Json, payload: Json): Problem | undefined {
  const errors = validate(schema, payload).map(violationText);
  if (errors.length === 0) return undefined;
  return problem('STEP_INVALID', violationsText(errors, 'the body'), {
    errors: errors.map(({ pointer, message }) => ({ code: 'STEP_INVALID', severity: 'error', message, pointer })),
  });
}
