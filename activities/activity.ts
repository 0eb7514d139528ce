import { ApplicationFailure, Context } from '@temporalio/activity';
import type { RequestRef } from '../src/engine/frame.js';
import { jsonBytes } from '../src/json/size.js';
import type { Json } from '../src/json/value.js';
import { ProblemError, refuse } from '../src/problems/problem.js';
import type { KeptRequest } from '../src/service/requests.js';
import type { Effects, Perform } from '../src/tasks/effects.js';

const heartbeatMs = 2_000;

type Activity = (input: Json, budgetMs?: number, origin?: Json) => Promise<Json>;

/** Effects as Temporal's activities, under the same names. */
export function asActivities(effects: Effects): Record<string, Activity> {
  return Object.fromEntries(Object.entries(effects).map(([name, perform]) => [name, asActivity(perform)]));
}

function asActivity(perform: Perform): Activity {
  return (input, budgetMs, origin) => {
    const { info, cancellationSignal: signal } = Context.current();
    return answering(async () =>
      fitting(
        await perform(input, {
          signal,
          ...(budgetMs === undefined ? {} : { budgetMs }),
          ...(info.isLocal ? { isLocal: true } : {}),
          ...(origin === undefined ? {} : { origin }),
        }),
      ),
    );
  };
}

/** Finds a request that was kept for a run. */
export type FindRequest = (id: string, run: string) => KeptRequest | undefined;

/** Effects that need the request of a run, in the process that has it. What it brought goes to the effect, never into its answer. */
export function asRequestActivities(effects: Effects, find: FindRequest): Record<string, Activity> {
  return Object.fromEntries(Object.entries(effects).map(([name, perform]) => [name, asRequestActivity(perform, find)]));
}

function asRequestActivity(perform: Perform, find: FindRequest): Activity {
  return (input, budgetMs, ref) => {
    const { info, cancellationSignal: signal } = Context.current();
    return answering(async () => {
      const { id, passes } = ref as unknown as RequestRef;
      const kept = find(id, info.workflowExecution?.workflowId ?? '');
      if (!kept) return refuse('REQUEST_GONE', 'The gateway no longer has the request.');
      const answer = await perform(input, {
        signal,
        ...(budgetMs === undefined ? {} : { budgetMs }),
        request: kept.request,
        ...(passes && { headers: kept.passed }),
      });
      return fitting(answer);
    });
  };
}

/** The server takes no answer beyond 2 MiB. Nobody would tell the run: what was done would be done again, for ever. */
const answerBytes = 2_000_000;

function fitting(answer: Json): Json {
  const bytes = jsonBytes(answer);
  if (bytes <= answerBytes) return answer;
  return refuse('PAYLOAD_TOO_LARGE', `The answer has ${bytes} bytes as JSON; the limit is ${answerBytes}.`);
}

/** Sends heartbeats while it works; a problem is an answer, unless it is one of ours (5xx): that and any other error is tried again. */
export async function answering<T>(work: () => Promise<T>): Promise<T> {
  const { info, heartbeat } = Context.current();
  const beat = info.heartbeatTimeoutMs ? setInterval(() => heartbeat(), heartbeatMs) : undefined;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { problem } = error;
    const { retryAfterSec } = problem;
    throw ApplicationFailure.create({
      type: problem.code,
      message: problem.detail ?? problem.title,
      nonRetryable: problem.status < 500,
      // Whoever asks for time gets it: an attempt before that would only be counted against us.
      ...(typeof retryAfterSec === 'number' && { nextRetryDelay: retryAfterSec * 1000 }),
      details: [problem],
    });
  } finally {
    clearInterval(beat);
  }
}
