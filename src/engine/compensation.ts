import type { Definition } from '../definition/definition.js';
import type { Json, JsonObject } from '../json/value.js';
import { ProblemError } from '../problems/problem.js';
import type { Frame } from './frame.js';
import type { Host } from './host.js';
import type { Compensation, Outcome } from './outcome.js';
import { Run, startPosition } from './run.js';

/** How long a compensation may take: the deadline of the journey, which may have passed, does not apply to it. */
const maxDurationSec = 7 * 86_400;

/** A compensation that is due, and what it begins with. */
export interface DueCompensation {
  readonly mode: 'sync' | 'async';
  readonly context: JsonObject;
  /** Read-only in all its expressions, beside what every journey has. */
  readonly bindings: { readonly outcome: JsonObject; readonly output: Json };
}

/** The compensation of a run that ended, if one is due. `id` is what callers know the run by; an Api has none. */
export async function dueCompensation(
  run: Run,
  outcome: Outcome,
  context: JsonObject,
  id: string | null,
): Promise<DueCompensation | undefined> {
  const { compensation } = run.definition;
  if (!compensation) return undefined;
  const bindings = { outcome: ending(run.definition, outcome, id), output: outcome.output };
  const frame = { ...run.position.root, context };
  if (outcome.phase === 'SUCCEEDED' && !(await alsoFor(run, frame, bindings))) return undefined;
  return { mode: compensation.mode, context, bindings };
}

/** What a compensation knows of the run before it. */
function ending({ name }: Definition, outcome: Outcome, id: string | null): JsonObject {
  const { phase, terminationKind, error, terminatedAtState } = outcome;
  return {
    phase,
    terminationKind,
    error: { code: error?.code ?? null, reason: error?.reason ?? null },
    terminatedAtState,
    journeyId: id,
    journeyName: name,
  };
}

/** Whether a success is one of those that are compensated too. A rule that cannot be evaluated does not match. */
async function alsoFor(run: Run, frame: Frame, bindings: JsonObject): Promise<boolean> {
  for (const { when } of run.definition.compensation!.alsoFor) {
    if (!when) return true;
    try {
      if ((await run.evaluate(when, 'compensation', frame, bindings)) === true) return true;
    } catch (failed) {
      if (!(failed instanceof ProblemError)) throw failed;
      run.host.note?.(`A rule of alsoFor could not be evaluated: ${failed.problem.code}.`);
    }
  }
  return false;
}

/** The compensation of a journey as a journey of its own. */
export function compensationJourney(definition: Definition): Definition {
  const { compensation, output, input, ...rest } = definition;
  const { start, states } = compensation!;
  return {
    ...rest,
    start,
    states,
    outcomes: [],
    lifecycle: { cancellable: true, startMode: 'async' },
    execution: {
      maxDurationSec,
      onTimeout: { errorCode: 'COMPENSATION_TIMEOUT', reason: `The compensation took over ${maxDurationSec} s.` },
    },
  };
}

/**
 * Runs a compensation to its end, as a part of the run before it. Its host is one that nothing has interrupted, and that never wants a
 * fresh execution.
 */
export async function compensate(due: DueCompensation, before: Run, host: Host): Promise<Outcome> {
  const { vocabulary } = before;
  // What a compensation before a retry has undone must be undone again.
  const { keys: _, ...info } = before.info;
  const { tags, attributes } = before.position;
  const definition = compensationJourney(before.definition);
  const { root, ...position } = startPosition(definition, due.context, host.now(), { tags, attributes });
  // A caller who waits for it is still there with what they sent.
  const { request } = due.mode === 'sync' ? before.position.root : {};
  // With an id of its own, its calls have other idempotency keys than those of the run before it.
  const named = {
    ...position,
    root: { ...root, id: 'compensation', ...(request && { request }) },
    bindings: due.bindings,
  };
  const result = await new Run(definition, info, named, host, vocabulary).execute();
  if ('continueAt' in result) throw new Error('a compensation inside a run has no fresh execution');
  return result.outcome;
}

/** What an outcome tells about its compensation. */
export function compensated(ended: Outcome): Compensation {
  return { mode: 'sync', phase: ended.phase, ...(ended.error && { error: ended.error }) };
}
