import { isObject, type JsonObject, own } from '../base/json/value.js';
import type { Definition } from './definition/definition.js';
import type { RequestRef } from './frame.js';
import type { Host } from './host.js';
import { Run, type RunInfo, startPosition } from './run.js';
import type { Vocabulary } from './runner-interfaces.js';

/** The time limit of a guard, because its caller waits. */
const maxDurationSec = 20;

/** The part of a run that its read guard sees. */
export interface GuardedRun {
  readonly definition: Definition;
  readonly info: RunInfo;
  readonly context: JsonObject;
  readonly tags: string[];
  readonly attributes: JsonObject;
}

/**
 * Runs the read guard of a run on a copy of its context; changes to the copy are discarded. A guard that fails, or returns anything but
 * `{allowed: true}`, denies access; `fault` describes what is wrong with it.
 */
export async function evaluateReadGuard(
  { definition, info, context, tags, attributes }: GuardedRun,
  request: RequestRef,
  host: Host,
  vocabulary: Vocabulary,
): Promise<{ allowed: boolean; fault?: string }> {
  const guard = guardJourney(definition);
  const { root, ...position } = startPosition(guard, context, host.now(), { tags, attributes }, guard.start, request);
  // A new id for each evaluation, so that services do not return the response of an earlier one for its idempotency key.
  const fresh = { ...position, root: { ...root, id: `guard-${host.uuid()}` } };
  const result = await new Run(guard, info, fresh, host, vocabulary).execute();
  if ('continueAt' in result) throw new Error('a guard cannot continue as new');
  const { error, output } = result.outcome;
  if (error) return { allowed: false, fault: `it failed: ${error.cause ?? error.code}: ${error.reason}` };
  const allowed = isObject(output) ? own(output, 'allowed') : undefined;
  if (typeof allowed === 'boolean') return { allowed };
  return { allowed: false, fault: 'its output has no `allowed`, true or false' };
}

/** Turns the guard of a journey into a separate journey. */
function guardJourney(definition: Definition): Definition {
  const { compensation, output, input, access, ...rest } = definition;
  const { start, states } = definition.subjourneys[access!.read.guardRef]!;
  return {
    ...rest,
    start,
    states,
    outcomes: [],
    execution: {
      maxDurationSec,
      onTimeout: { errorCode: 'GUARD_TIMEOUT', reason: `The guard took over ${maxDurationSec} s.` },
    },
  };
}
