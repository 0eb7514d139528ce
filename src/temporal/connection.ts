import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { type ClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import type { NativeConnection, NativeConnectionOptions } from '@temporalio/worker';
import { ProblemError, problem, refuse } from '../base/problems/problem.js';
import type { Config } from '../config/config-types.js';
import { clientConverter } from './encryption/data-converter.js';
import { runningServer } from './server/claim-data-dir.js';

/** A connection to the configured Temporal service. */
export interface Connected {
  readonly address: string;
  readonly connection: Connection;
  readonly client: Client;
  close(): Promise<void>;
}

/** The address in use: the configured one, or else the embedded server's, which chose its port if none is configured. */
export function temporalAddress({ temporal, server }: Config): string {
  const chosen = () => (server.port === 0 ? runningServer(server.dataDir) : undefined);
  return temporal.address ?? chosen() ?? `${server.ip.includes(':') ? `[${server.ip}]` : server.ip}:${server.port}`;
}

/** Address, TLS and credentials for both kinds of connection. `address` is that of a server just started here. */
export function connectionOptions(config: Config, address?: string): NativeConnectionOptions {
  const { tls, apiKey, metadata } = config.temporal;
  const remote = address === undefined && config.temporal.address !== undefined;
  const profile: ClientConfigProfile = {
    address: address ?? temporalAddress(config),
    ...(remote && tls !== undefined ? { tls } : {}),
    ...(remote && apiKey !== undefined ? { apiKey: apiKey.reveal() } : {}),
    ...(remote && metadata !== undefined ? { grpcMeta: { ...metadata } } : {}),
  };
  const { connectionOptions } = readFiles(() => toClientOptions(profile));
  return Object.fromEntries(Object.entries(connectionOptions).filter(([, value]) => value !== undefined));
}

function readFiles<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return refuse('CONFIG_VALUE_INVALID', `TLS connection to Temporal: ${(error as Error).message}`, {
      hint: 'Check temporal.tls, or the paths in TEMPORAL_TLS_*.',
    });
  }
}

export interface ConnectOptions {
  /** The embedded server's address, if it was just started. */
  readonly address?: string;
  readonly timeoutMs?: number;
  /** Timeout of each later call in milliseconds. */
  readonly callMs?: number;
  /** Receives each attempt of a call when it has ended. */
  readonly onCall?: (call: ServerCall) => void;
}

/** One attempt of a call to the server. */
export interface ServerCall {
  /** For example `StartWorkflowExecution`. */
  readonly operation: string;
  /** gRPC's name of its result, such as `OK`. */
  readonly status: string;
  readonly details: string;
  readonly ms: number;
}

/**
 * By default, gRPC waits up to two minutes before it reconnects, and rejects responses of more than 4 MiB: a page of a history with large
 * payloads is larger.
 */
const channelArgs = { 'grpc.max_reconnect_backoff_ms': 2_000, 'grpc.max_receive_message_length': 128 * 1024 * 1024 };

/** Connects a client. Rejects with TEMPORAL_UNREACHABLE if the server does not respond. */
export async function connect(config: Config, options: ConnectOptions = {}): Promise<Connected> {
  const address = options.address ?? temporalAddress(config);
  const settings = connectionOptions(config, options.address) as ConnectionOptions;
  const connection = await Connection.connect({
    channelArgs,
    interceptors: interceptors(options.callMs, options.onCall),
    ...settings,
    connectTimeout: options.timeoutMs ?? 10_000,
  }).catch((error: Error) => Promise.reject(unreachable(config, address, error)));
  return {
    address,
    connection,
    client: new Client({ connection, namespace: config.temporal.namespace, dataConverter: clientConverter(config) }),
    close: () => connection.close(),
  };
}

/** Connects a worker. */
export async function connectWorker(config: Config, options: ConnectOptions = {}): Promise<NativeConnection> {
  const { NativeConnection } = await import('@temporalio/worker');
  return await NativeConnection.connect(connectionOptions(config, options.address)).catch((error: Error) =>
    Promise.reject(unreachable(config, options.address ?? temporalAddress(config), error)),
  );
}

function unreachable(config: Config, address: string, error: Error): ProblemError {
  const hint =
    config.temporal.address === undefined
      ? 'Start the embedded server with `journeyman up`, or set TEMPORAL_ADDRESS.'
      : 'Check TEMPORAL_ADDRESS, TLS and the API key; `journeyman doctor` checks them.';
  return new ProblemError(
    problem('TEMPORAL_UNREACHABLE', `No Temporal server responds at ${address}: ${error.message}`, { hint }),
  );
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
/** gRPC types its own class, but accepts any object with its methods. */
type Call = ReturnType<Interceptor>;

/** Default timeout of a call in milliseconds, including retries. */
const callMs = 10_000;

/** Default timeout of long polls, which the server holds for about 20 seconds. */
const longCallMs = 30_000;
const longCalls =
  /\/(GetWorkflowExecutionHistory|PollWorkflowExecutionUpdate|UpdateWorkflowExecution|ExecuteMultiOperation)$/;

const resourceExhausted = 8;
const cancelled = 1;

/** Interceptors of every call, in this order. */
export function interceptors(ms = callMs, onCall?: ConnectOptions['onCall']): Interceptor[] {
  return [deadline(ms), retry, unlessClosed, ...(onCall ? [observed(onCall)] : [])];
}

/** gRPC's status codes, in their order. */
const statusNames =
  'OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED'.split(
    ' ',
  );

function statusName(code: number): string {
  return statusNames[code] ?? 'UNKNOWN';
}

function observed(onCall: (call: ServerCall) => void): Interceptor {
  return (options, nextCall) => {
    const operation = options.method_definition.path.replace(/^.*\//, '');
    const call = nextCall(options) as Call;
    const start = call.start.bind(call);
    call.start = (metadata, listener) => {
      const begun = performance.now();
      start(metadata, {
        onReceiveMetadata: (received) => listener?.onReceiveMetadata?.(received),
        onReceiveMessage: (message: unknown) => listener?.onReceiveMessage?.(message),
        onReceiveStatus: (status) => {
          onCall({
            operation,
            status: statusName(status.code),
            details: status.details,
            ms: performance.now() - begun,
          });
          listener?.onReceiveStatus?.(status);
        },
      });
    };
    return call;
  };
}

/** Sets a deadline. By default, gRPC waits forever for a silent server. */
function deadline(ms: number): Interceptor {
  return (options, nextCall) => {
    if (options.deadline !== undefined) return nextCall(options) as Call;
    const allowed = longCalls.test(options.method_definition.path) ? Math.max(ms, longCallMs) : ms;
    return nextCall({ ...options, deadline: Date.now() + allowed }) as Call;
  };
}

/**
 * Rejects a call that is retried after its connection was closed. gRPC throws instead, and because the retry runs in a timer, the error
 * would be uncaught and end the process.
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
/** Retries until the call's deadline. */
const crowded = defaultGrpcRetryOptions({ maxAttempts: 100, factor: 1.2, initialIntervalMs: () => 15 });

/**
 * A server buffers one query for a busy run and rejects others for some milliseconds. The SDK treats that as overload and waits two seconds,
 * so that reading a schedule while its run writes to it could delay the run past its next time.
 */
const retry = makeGrpcRetryInterceptor({
  delayFunction: (attempt, status) => optionsFor(status).delayFunction(attempt, status),
  retryableDecider: (attempt, status) => optionsFor(status).retryableDecider(attempt, status),
});

function optionsFor({ code, details }: { code: number; details: string }): typeof usual {
  return code === resourceExhausted && details.includes('query buffer is full') ? crowded : usual;
}
