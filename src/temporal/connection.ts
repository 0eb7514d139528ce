import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { type ClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import type { NativeConnection, NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '../config/config.js';
import { ProblemError, problem, refuse } from '../problems/problem.js';
import { clientConverter } from './encryption/converter.js';
import { interceptors } from './interceptors.js';

/** A connection to the configured Temporal service. */
export interface Connected {
  readonly address: string;
  readonly connection: Connection;
  readonly client: Client;
  close(): Promise<void>;
}

/** The address in use: the configured one, or else the embedded server's. */
export function temporalAddress({ temporal, server }: Config): string {
  return temporal.address ?? `${server.ip.includes(':') ? `[${server.ip}]` : server.ip}:${server.port}`;
}

/** Address, TLS and credentials, as both kinds of connection take them. `address` is that of a server just started here. */
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
    return refuse('CONFIG_VALUE_INVALID', `TLS towards Temporal: ${(error as Error).message}`, {
      hint: 'Check temporal.tls, or the paths in TEMPORAL_TLS_*.',
    });
  }
}

export interface ConnectOptions {
  /** The embedded server's address, if it was just started. */
  readonly address?: string;
  readonly timeoutMs?: number;
  /** Milliseconds that each later call may take. */
  readonly callMs?: number;
}

/**
 * Left alone, gRPC waits up to two minutes before it looks again for a server that was away, and refuses answers of more than 4 MiB: a
 * page of a history with a few large answers in it is larger.
 */
const channelArgs = { 'grpc.max_reconnect_backoff_ms': 2_000, 'grpc.max_receive_message_length': 128 * 1024 * 1024 };

/** Connects a client. Rejects with TEMPORAL_UNREACHABLE and the address when nobody answers. */
export async function connect(config: Config, options: ConnectOptions = {}): Promise<Connected> {
  const address = options.address ?? temporalAddress(config);
  const settings = connectionOptions(config, options.address) as ConnectionOptions;
  const connection = await Connection.connect({
    channelArgs,
    interceptors: interceptors(options.callMs),
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
      : 'Check TEMPORAL_ADDRESS, TLS and the API key; `journeyman doctor` looks at them.';
  return new ProblemError(
    problem('TEMPORAL_UNREACHABLE', `No Temporal server answers at ${address}: ${error.message}`, { hint }),
  );
}
