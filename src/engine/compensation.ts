import type { Json, JsonObject } from '../base/json/value.js';
import { ProblemError } from '../base/problems/problem.js';
import type { Definition } from './definition/definition.js';
import type { DurationLimits } from './definition/duration-limits.js';
import type { Frame } from './frame.js';
import type { Host } from './host.js';
import type { Compensation, Outcome } from './outcome.js';
import { type Position, Run, startPosition } from './run.js';

/** A compensation that is due, and its input. */
export interface DueCompensation {
  readonly mode: 'sync' | 'async';
  readonly context: JsonObject;
  /** Read-only bindings of all its expressions, in addition to those of every journey. */
  readonly bindings: { readonly outcome: JsonObject; readonly output: Json };
}

/** Returns the compensation of an ended run, if one is due. `id` is the run's public id; an Api has none. */
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

/** Bindings of a compensation: the run that it compensates. */
function ending({ name }: Definition, outcome: Outcome, id: string | null): JsonObject {
  const { phase, terminationKind, error, terminatedAtState, uncertain = [] } = outcome;
  return {
    phase,
    terminationKind,
    error: { code: error?.code ?? null, reason: error?.reason ?? null },
    terminatedAtState,
    uncertain,
    journeyId: id,
    journeyName: name,
  };
}

/** Whether a successful run is compensated too (`alsoFor`). A rule that cannot be evaluated does not match. */
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

/**
 * Turns the compensation of a journey into a separate journey. The journey's deadline, which may have passed, does not apply to it; it has
 * a limit only if one is configured.
 */
export function compensationJourney(definition: Definition, { compensationSec }: DurationLimits = {}): Definition {
  const { compensation, output, input, execution, ...rest } = definition;
  const { start, states } = compensation!;
  return {
    ...rest,
    start,
    states,
    outcomes: [],
    lifecycle: { cancellable: true, startMode: 'async' },
    ...(compensationSec !== undefined && {
      execution: {
        maxDurationSec: compensationSec,
        onTimeout: { errorCode: 'COMPENSATION_TIMEOUT', reason: `The compensation took over ${compensationSec} s.` },
      },
    }),
  };
}

/** Creates a compensation that is part of the run it compensates, at its start or at `position`. Its host must not be interrupted. */
export function compensationRun(
  before: Run,
  host: Host,
  at: DueCompensation | { readonly position: Position },
  limits?: DurationLimits,
): Run {
  // Calls that were compensated before a retry must be compensated again.
  const { keys: _, ...info } = before.info;
  const definition = compensationJourney(before.definition, limits);
  const position = 'position' in at ? at.position : firstPosition(at, definition, before, host);
  return new Run(definition, info, position, host, before.vocabulary);
}

function firstPosition(due: DueCompensation, definition: Definition, before: Run, host: Host): Position {
  const { tags, attributes } = before.position;
  const { root, ...position } = startPosition(definition, due.context, host.now(), { tags, attributes });
  // The caller of a synchronous compensation is still waiting, so its request is still available.
  const { request } = due.mode === 'sync' ? before.position.root : {};
  // A separate id keeps its idempotency keys apart from those of the compensated run.
  return {
    ...position,
    root: { ...root, id: 'compensation', ...(request && { request }) },
    bindings: due.bindings,
  };
}

/** Runs a compensation to its end, on a host that never continues as new. */
export async function compensate(
  due: DueCompensation,
  before: Run,
  host: Host,
  limits?: DurationLimits,
): Promise<Outcome> {
  const result = await compensationRun(before, host, due, limits).execute();
  if ('continueAt' in result) throw new Error('this host cannot continue as new');
  return result.outcome;
}

/** The compensation as recorded in the outcome. */
export function compensated(ended: Outcome): Compensation {
  return { mode: 'sync', phase: ended.phase, ...(ended.error && { error: ended.error }) };
}
