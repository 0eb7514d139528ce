import { type ConnectionOptions, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
/** gRPC expects its own class as the type, and accepts anything that has its methods. */
type Call = ReturnType<Interceptor>;

/** Milliseconds that a call to the server may take, with all its attempts, when its caller did not say. */
export const callMs = 10_000;

/** The same for calls that the server holds, for about 20 seconds, until there is something to report. */
const longCallMs = 30_000;
const longCalls =
  /\/(GetWorkflowExecutionHistory|PollWorkflowExecutionUpdate|UpdateWorkflowExecution|ExecuteMultiOperation)$/;

const resourceExhausted = 8;
const cancelled = 1;

/** What every call to the server passes through, in this order. */
export function interceptors(ms = callMs): Interceptor[] {
  return [deadline(ms), retry, unlessClosed];
}

/** gRPC waits for an answer forever: a server that is there but silent would hold up every caller. */
function deadline(ms: number): Interceptor {
  return (options, nextCall) => {
    if (options.deadline !== undefined) return nextCall(options) as Call;
    const allowed = longCalls.test(options.method_definition.path) ? Math.max(ms, longCallMs) : ms;
    return nextCall({ ...options, deadline: Date.now() + allowed }) as Call;
  };
}

/**
 * Rejects a call that is retried after its connection was closed like any other failed call. gRPC throws instead, and because the retry
 * comes from a timer, nobody could catch it: it would end the process.
 */
const unlessClosed: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as Call;
  } catch {
    return refusedCall;
  }
};

const refusedCall = {
  start(metadata, listener) {
    setImmediate(() => {
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.({ code: cancelled, details: 'The connection has been closed', metadata });
    });
  },
  cancelWithStatus() {},
  getPeer: () => '',
  sendMessage() {},
  sendMessageWithContext() {},
  startRead() {},
  halfClose() {},
  getAuthContext: () => null,
} as Pick<Call, 'start'> as Call;

const usual = defaultGrpcRetryOptions({
  maxAttempts: 7,
  initialIntervalMs: ({ code }) => (code === resourceExhausted ? 1_000 : 100),
});
/** Until the call's deadline. */
const crowded = defaultGrpcRetryOptions({ maxAttempts: 100, factor: 1.2, initialIntervalMs: () => 15 });

/**
 * A server keeps one query waiting for a busy run, and turns away every other until then: a matter of milliseconds. The SDK takes that for
 * overload and waits two seconds. Anyone looking at a schedule while its run writes to it would delay that run past its next time.
 */
const retry = makeGrpcRetryInterceptor({
  delayFunction: (attempt, status) => optionsFor(status).delayFunction(attempt, status),
  retryableDecider: (attempt, status) => optionsFor(status).retryableDecider(attempt, status),
});

function optionsFor({ code, details }: { code: number; details: string }): typeof usual {
  return code === resourceExhausted && details.includes('query buffer is full') ? crowded : usual;
}
