import type { Json } from '../../src/json/value.js';
import type { Perform } from '../../src/tasks/effects.js';
import { type JarKeeper, throughJar } from '../../src/tasks/http-call/jar.js';
import { type HttpRequest, slowMs } from '../../src/tasks/http-call/request.js';
import type { HttpActivity } from './http.js';

/**
 * The effect `http`. Each of the server's attempts has the whole of `budgetMs`: a worker's death is not the service's fault, and a
 * run whose own deadline passes meanwhile cancels the activity.
 */
export function httpEffect(call: HttpActivity, jars: JarKeeper = noJars): Perform {
  return async (input, { isLocal, headers, ...how }) => {
    const request = input as unknown as HttpRequest;
    const whole = headers ? { ...request, headers: { ...headers, ...request.headers } } : request;
    const result = await throughJar(whole, jars, (it) =>
      call(it, { ...how, ...(isLocal && { handOverAfterMs: slowMs }) }),
    );
    return result as unknown as Json;
  };
}

const noJars: JarKeeper = { open: () => Promise.reject(new Error('this process cannot open cookie jars')) };
