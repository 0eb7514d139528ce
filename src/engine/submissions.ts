import { jsonBytes } from '../json/size.js';
import { copy, type Json } from '../json/value.js';
import { inOneLine, inWords } from '../json-schema/in-words.js';
import { validate } from '../json-schema/validate.js';
import { type Problem, problem } from '../problems/problem.js';
import type { OpenSteps } from './steps.js';

/** Signals kept for one step that is not active yet; the newest stay. */
const keptPerStep = 10;

/** What may be submitted to a run's steps, the same on every host, and the signals that came before their step was active. */
export class Submissions {
  private readonly early: Map<string, Json[]>;

  constructor(
    /** The ids of every step the journey can ever wait for; asked when something is submitted. */
    private readonly known: () => ReadonlySet<string>,
    kept: readonly [stepId: string, payloads: Json[]][] = [],
    /** Told why something was dropped. */
    private readonly note: (text: string) => void = () => undefined,
    /** The most bytes that are kept for all steps: a run carries them along. Unbounded unless set. */
    private readonly mostBytes: number | undefined = undefined,
  ) {
    this.early = new Map(kept);
  }

  /** The signals that wait for their step, for an execution that goes on from here. */
  kept(): [stepId: string, payloads: Json[]][] {
    return [...this.early];
  }

  /** Why a submission is refused: unknown, then not active, then invalid. A refused one consumes nothing. */
  refusal(steps: OpenSteps, stepId: string, payload: Json): Problem | undefined {
    if (!this.known().has(stepId)) return problem('STEP_UNKNOWN', `The journey has no step '${stepId}'.`);
    const step = steps.get(stepId);
    if (!step) return problem('STEP_NOT_ACTIVE', `The step '${stepId}' is not waiting for a submission.`);
    const errors = validate(step.state.schema, payload).map(inWords);
    if (errors.length === 0) return undefined;
    return problem('STEP_INVALID', inOneLine(errors, 'the body'), {
      errors: errors.map(({ pointer, message }) => ({ code: 'STEP_INVALID', severity: 'error', message, pointer })),
    });
  }

  /** Takes a plain signal named after a step: at once if the step is active, else once it is. */
  signal(steps: OpenSteps, stepId: string, payload: Json): void {
    const step = steps.get(stepId);
    if (!this.known().has(stepId)) this.note(`A signal \`${stepId}\` was dropped: the journey has no such step.`);
    else if (!step) this.keep(stepId, payload);
    else if (this.fits(stepId, step.state.schema, payload)) step.take(copy(payload));
  }

  /** Keeps an early signal. A step's newest stay, as many as fit beside those of other steps. */
  private keep(stepId: string, payload: Json): void {
    const kept = [...(this.early.get(stepId) ?? []), payload].slice(-keptPerStep);
    this.early.set(stepId, kept);
    while (kept.length > 0 && this.mostBytes !== undefined && jsonBytes([...this.early.values()]) > this.mostBytes) {
      kept.shift();
      this.note(
        `A signal \`${stepId}\` was dropped: those that wait for their steps have ${this.mostBytes} bytes in all.`,
      );
    }
    if (kept.length === 0) this.early.delete(stepId);
  }

  /** The oldest valid submission that was kept for this step; invalid ones are dropped. */
  takeKept(stepId: string, schema: Json): Json | undefined {
    const payloads = this.early.get(stepId) ?? [];
    while (payloads.length > 0) {
      const payload = payloads.shift()!;
      if (payloads.length === 0) this.early.delete(stepId);
      if (this.fits(stepId, schema, payload)) return copy(payload);
    }
    return undefined;
  }

  private fits(stepId: string, schema: Json, payload: Json): boolean {
    if (validate(schema, payload).length === 0) return true;
    this.note(`A signal for \`${stepId}\` was dropped: it does not match the step’s schema.`);
    return false;
  }
}
