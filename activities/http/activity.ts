import { Context } from '@temporalio/activity';
import type { HttpRequest, HttpResult } from '../../src/tasks/http-call/request.js';
import type { RetryLater } from '../../src/tasks/http-call/retry.js';
import type { HttpActivity } from './http.js';

/** A local activity holds up its run, so after this time it hands the call back to be made as an ordinary one. */
const localMs = 2_000;

/** The Temporal activity `http`. `budgetMs` counts from when the activity was first scheduled, over all the server's retries. */
export function httpActivities(call: HttpActivity) {
  return {
    http(request: HttpRequest, budgetMs?: number): Promise<HttpResult | RetryLater> {
      const { info, cancellationSignal, heartbeat } = Context.current();
      const earlier = info.currentAttemptScheduledTimestampMs - info.scheduledTimestampMs;
      return call(request, {
        signal: cancellationSignal,
        ...(info.heartbeatTimeoutMs ? { heartbeat: () => heartbeat() } : {}),
        ...(budgetMs === undefined ? {} : { budgetMs: budgetMs - Math.max(0, earlier) }),
        ...(info.isLocal ? { handOverAfterMs: localMs } : {}),
      });
    },
  };
}
