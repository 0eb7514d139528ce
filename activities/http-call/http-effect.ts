import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Json } from '../../src/base/json/value.js';
import type { Perform } from '../../src/language/tasks/effect-interface.js';
import { callWithCookies, type JarOpener } from '../../src/language/tasks/http-call/call-with-cookies.js';
import { httpRequestOf, safeMethods } from '../../src/language/tasks/http-call/request-and-result-types.js';
import type { HttpClient } from './http-client.js';

/**
 * The effect `http`. Each attempt by the server has the full `budgetMs`, because a worker crash is not the service's fault. A run whose
 * deadline passes meanwhile cancels the activity if its call is safe.
 */
export function httpEffect(call: HttpClient, jars: JarOpener = noJars): Perform {
  return async (input, { headers, signal, ...how }) => {
    const request = httpRequestOf(input, headers);
    // An unsafe call that was sent is never aborted, because its result has to be recorded.
    const options = safeMethods.has(request.method) ? { ...how, signal } : how;
    const result = await callWithCookies(request, jars, (it) => call(it, options));
    return result as unknown as Json;
  };
}

const noJars: JarOpener = { open: () => Promise.reject(new Error('this process cannot open cookie jars')) };

/** Wraps a client so that it refuses the calls of runs whose workflow id `isRefused` selects. */
export function refusingRuns(http: HttpClient, isRefused: (workflowId: string) => boolean): HttpClient {
  const call = async (...given: Parameters<HttpClient>) => {
    const { workflowExecution } = Context.current().info;
    if (workflowExecution && isRefused(workflowExecution.workflowId))
      throw ApplicationFailure.nonRetryable('This run makes no calls: its scenario does not look at it.');
    return await http(...given);
  };
  return Object.assign(call, { close: () => http.close() });
}
