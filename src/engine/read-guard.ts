import type { Definition } from '../definition/definition.js';
import { isObject, type JsonObject, own } from '../json/value.js';
import type { RequestRef } from './frame.js';
import type { Host } from './host.js';
import { Run, type RunInfo, startPosition } from './run.js';
import type { Vocabulary } from './vocabulary.js';

/** How long a guard may take: its caller waits. */
const maxDurationSec = 20;

/** A run that asks, before it is read, who reads: as much of it as its guard sees. */
export interface GuardedRun {
  readonly definition: Definition;
  readonly info: RunInfo;
  readonly context: JsonObject;
  readonly tags: string[];
  readonly attributes: JsonObject;
}

/**
 * Runs the read guard of a run on a copy of its context; what it changes there is thrown away. A guard that fails, or says anything but
 * `{allowed: true}`, admits nobody; `fault` says what is wrong with it.
 */
export async function askGuard(
  { definition, info, context, tags, attributes }: GuardedRun,
  request: RequestRef,
  host: Host,
  vocabulary: Vocabulary,
): Promise<{ allowed: boolean; fault?: string }> {
  const guard = guardJourney(definition);
  const { root, ...position } = startPosition(guard, context, host.now(), { tags, attributes }, guard.start, request);
  // Each look is one of its own: no service may answer it with what it said at another.
  const fresh = { ...position, root: { ...root, id: `guard-${host.uuid()}` } };
  const result = await new Run(guard, info, fresh, host, vocabulary).execute();
  if ('continueAt' in result) throw new Error('a guard has no fresh execution');
  const { error, output } = result.outcome;
  if (error) return { allowed: false, fault: `it failed: ${error.cause ?? error.code}: ${error.reason}` };
  const allowed = isObject(output) ? own(output, 'allowed') : undefined;
  if (typeof allowed === 'boolean') return { allowed };
  return { allowed: false, fault: 'its output has no `allowed`, true or false' };
}

/** The guard of a journey as a journey of its own. */
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
