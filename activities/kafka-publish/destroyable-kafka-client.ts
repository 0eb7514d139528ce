import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, ConnectionPool } from '@platformatic/kafka';
import type { KafkaConnection } from './read-kafka-connection-settings.js';

type Kafka = typeof import('@platformatic/kafka');

/** Options that all clients of a cluster share. */
export function clientOptions({ brokers, clientId, tls, sasl }: KafkaConnection, timeoutMs: number) {
  return {
    clientId,
    bootstrapBrokers: [...brokers],
    timeout: timeoutMs,
    connectTimeout: timeoutMs,
    ...(tls && { tls }),
    ...(sasl && { sasl }),
  };
}

/** Creates a client whose sockets can be destroyed: it announces its connection pools on a channel while it is constructed. */
export function createTracked<C extends EventEmitter>(
  { instancesChannel }: Kafka,
  create: () => C,
): { client: C; destroy(): void } {
  const connections = new Set<Connection>();
  const track = (created: unknown) => {
    const { type, instance } = created as { type: string; instance: ConnectionPool };
    if (type === 'connection-pool') instance.on('connecting', ({ connection }) => connections.add(connection));
  };
  instancesChannel.subscribe(track);
  try {
    const client = create();
    client.on('client:broker:disconnect', ({ connection }: { connection: Connection }) =>
      connections.delete(connection),
    );
    return {
      client,
      destroy: () => {
        for (const { socket } of connections) socket?.destroy();
      },
    };
  } finally {
    instancesChannel.unsubscribe(track);
  }
}

/** Rejects when `work` takes longer than `ms`: version 1.22 of the client waits for an answer forever. */
export async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  const done = new AbortController();
  const deadline = sleep(ms, undefined, { signal: done.signal }).then(() => {
    throw Object.assign(new Error('The broker does not answer'), { code: 'TIMEOUT', canRetry: false });
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    done.abort();
    for (const it of [work, deadline]) it.catch(() => undefined);
  }
}

/** An error of the client; a failed request may have several causes. */
export interface ClientError {
  readonly code?: string;
  readonly apiId?: string;
  /** False when a request was not answered in time, or the broker rejects it. */
  readonly canRetry?: boolean;
  readonly errors?: readonly unknown[];
  readonly cause?: unknown;
}

/** An error with all its causes. */
export function flattenError(error: unknown): ClientError[] {
  const it = (typeof error === 'object' && error !== null ? error : {}) as ClientError;
  return [it, ...(it.errors ?? []).flatMap(flattenError), ...(it.cause === undefined ? [] : flattenError(it.cause))];
}
