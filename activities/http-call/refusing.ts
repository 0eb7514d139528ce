import { ApplicationFailure, Context } from '@temporalio/activity';
import type { HttpActivity } from './http.js';

/** The same calls, but none for runs whose id is refused. */
export function refusing(http: HttpActivity, isRefused: (workflowId: string) => boolean): HttpActivity {
  const call = async (...given: Parameters<HttpActivity>) => {
    const { workflowExecution } = Context.current().info;
    if (workflowExecution && isRefused(workflowExecution.workflowId))
      throw ApplicationFailure.nonRetryable('This run makes no calls: its scenario does not look at it.');
    return await http(...given);
  };
  return Object.assign(call, { close: () => http.close() });
}
