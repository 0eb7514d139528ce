import type { JsonObject } from '../../src/base/json/value.js';
import { compensationJourney } from '../../src/engine/compensation.js';
import type { Definition } from '../../src/engine/definition/definition.js';
import { withinDuration } from '../../src/engine/definition/duration-limits.js';
import { type Position, type RunInfo, startPosition } from '../../src/engine/run.js';
import type { JourneyInput } from './workflow-contract.js';

/** Facts about an execution that are not in its input. */
export interface ExecutionFacts {
  readonly workflowId: string;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  /** The schedule that started the run: the state to start at, and the context. */
  readonly scheduled?: { readonly startStateId: string; readonly context: JsonObject };
}

/** The input of the engine: the journey, or its compensation as a separate journey, and the first or a carried position. */
export interface StartOfRun {
  readonly definition: Definition;
  readonly info: RunInfo;
  readonly position: Position;
}

/** The start of an execution. Pure, because a replay outside the workflow starts the same way. */
export function startOfRun(input: JourneyInput, { workflowId, startTime, scheduled }: ExecutionFacts): StartOfRun {
  const definition = input.bindings
    ? compensationJourney(input.definition, input.limits.duration)
    : withinDuration(input.definition, input.limits.duration);
  const startedAt = input.info.startedAt ?? startTime;
  return {
    definition,
    info: { ...input.info, startedAt, ...(scheduled && { id: workflowId }) },
    position: input.carried?.position ?? firstPosition(input, definition, startedAt, scheduled),
  };
}

function firstPosition(
  { context, tags, attributes, request, bindings }: JourneyInput,
  definition: Definition,
  startedAt: number,
  scheduled: ExecutionFacts['scheduled'],
): Position {
  const metadata = { tags, attributes };
  const at = scheduled?.startStateId;
  const position = startPosition(definition, scheduled?.context ?? context, startedAt, metadata, at, request);
  return { ...position, ...(bindings && { bindings }) };
}
