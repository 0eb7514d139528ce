import type { JsonObject } from '../../json/value.js';
import { formatInstant } from '../../time/duration.js';
import { plain } from '../observation.js';
import type { PlayedRun, VirtualBinding } from './bindings.js';

/** What can be expected of a schedule. */
export function seenBinding(binding: VirtualBinding): JsonObject {
  const { scheduleId, request, runsExecuted, overlapped, nextAt, context, runs } = binding;
  const { startStateId, subjectId, maxRuns } = request;
  return plain({
    scheduleId,
    startStateId,
    subjectId,
    maxRuns,
    runsExecuted,
    state: runsExecuted >= maxRuns ? 'exhausted' : 'active',
    overlapped,
    nextRunAt: nextAt === undefined ? null : formatInstant(nextAt),
    context,
    runs: runs.map(seenRun),
  });
}

function seenRun({ at, endedAt, outcome, context }: PlayedRun): JsonObject {
  const { phase, status, output, error, terminatedAtState } = outcome;
  return {
    at: formatInstant(at),
    endedAt: formatInstant(endedAt),
    phase,
    status,
    terminatedAtState,
    output,
    ...(error && { errorCode: error.code, reason: error.reason, error }),
    context,
  };
}
