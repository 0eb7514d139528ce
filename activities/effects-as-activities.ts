import { ApplicationFailure, Context, type Info } from '@temporalio/activity';
import { jsonBytes } from '../src/base/json/size.js';
import type { Json } from '../src/base/json/value.js';
import { ProblemError, refuse } from '../src/base/problems/problem.js';
import type { RequestRef } from '../src/engine/frame.js';
import { activityGraceMs, type Effects, type Perform } from '../src/language/tasks/effect-interface.js';
import type { KeptRequest } from '../src/service/kept-request-store.js';

const heartbeatMs = 2_000;

type Activity = (input: Json, budgetMs?: number, origin?: Json) => Promise<Json>;

/** Wraps effects as Temporal activities with the same names. */
export function asActivities(effects: Effects): Record<string, Activity> {
  return Object.fromEntries(Object.entries(effects).map(([name, perform]) => [name, asActivity(perform)]));
}

function asActivity(perform: Perform): Activity {
  return (input, given, origin) => {
    const { info, cancellationSignal: signal } = Context.current();
    const budgetMs = given ?? budgetOf(info);
    return withHeartbeats(async () =>
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

/** The budget of an ordinary activity, from its timeout. */
function budgetOf({ isLocal, startToCloseTimeoutMs }: Info): number | undefined {
  if (isLocal || startToCloseTimeoutMs <= activityGraceMs) return undefined;
  return startToCloseTimeoutMs - activityGraceMs;
}

/** Finds a stored request of a run. */
export type FindRequest = (id: string, run: string) => KeptRequest | undefined;

/** Wraps effects that need the request of a run; they run in the process that holds it. The request is never part of their result. */
export function asRequestActivities(effects: Effects, find: FindRequest): Record<string, Activity> {
  return Object.fromEntries(Object.entries(effects).map(([name, perform]) => [name, asRequestActivity(perform, find)]));
}

function asRequestActivity(perform: Perform, find: FindRequest): Activity {
  return (input, budgetMs, ref) => {
    const { info, cancellationSignal: signal } = Context.current();
    return withHeartbeats(async () => {
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

/** The largest result. The server rejects more than 2 MiB: the run would never receive it, and the effect would be repeated forever. */
const answerBytes = 2_000_000;

function fitting(answer: Json): Json {
  const bytes = jsonBytes(answer);
  if (bytes <= answerBytes) return answer;
  return refuse('PAYLOAD_TOO_LARGE', `The answer has ${bytes} bytes as JSON; the limit is ${answerBytes}.`);
}

/** Sends heartbeats during `work`. A problem ends the activity; an internal one (5xx) and any other error is retried. */
export async function withHeartbeats<T>(work: () => Promise<T>): Promise<T> {
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
      // Respects the requested delay: an earlier attempt would only count against our rate limit.
      ...(typeof retryAfterSec === 'number' && { nextRetryDelay: retryAfterSec * 1000 }),
      details: [problem],
    });
  } finally {
    clearInterval(beat);
  }
}
