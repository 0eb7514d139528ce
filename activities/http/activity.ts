import { Context } from '@temporalio/activity';
import type { HttpRequest, HttpResult } from '../../src/tasks/http-call/request.js';
import type { RetryLater } from '../../src/tasks/http-call/retry.js';
import type { HttpActivity } from './http.js';

/** A local activity holds up its run, so after this time it hands the call back to be made as an ordinary one. */
const localMs = 2_000;

/**
 * The Temporal activity `http`. Each of the server's attempts has the whole of `budgetMs`: that a worker died is no
 * fault of the service, and a run whose own deadline passes meanwhile cancels the activity.
 */
export function httpActivities(call: HttpActivity) {
  return {
    http(request: HttpRequest, budgetMs?: number): Promise<HttpResult | RetryLater> {
      const { info, cancellationSignal, heartbeat } = Context.current();
      return call(request, {
        signal: cancellationSignal,
        ...(info.heartbeatTimeoutMs ? { heartbeat: () => heartbeat() } : {}),
        ...(budgetMs === undefined ? {} : { budgetMs }),
        ...(info.isLocal ? { handOverAfterMs: localMs } : {}),
      });
    },
  };
}
