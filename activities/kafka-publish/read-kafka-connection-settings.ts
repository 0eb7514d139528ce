import type { SASLMechanismValue } from '@platformatic/kafka';
import { isObject, type Json, own } from '../../src/base/json/value.js';
import { refuse } from '../../src/base/problems/problem.js';
import type { KafkaConfig } from '../../src/config/config-types.js';

/** Address and credentials of a Kafka cluster. */
export interface KafkaConnection {
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** TLS, with PEM texts if the public authorities are not enough. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly sasl?: {
    readonly mechanism: SASLMechanismValue;
    readonly username?: string;
    readonly password?: string;
    readonly token?: string;
  };
}

/** The connection that a reference names; the configured one without a reference. */
export type ConnectionOf = (ref: string | undefined) => KafkaConnection;

/** Finds connections. `text` reads the JSON of one: of `kafka.connection` without a reference. */
export function kafkaConnections(
  { brokers }: Pick<KafkaConfig, 'brokers'>,
  text: (ref: string | undefined) => string | undefined,
): ConnectionOf {
  return (ref) => {
    const json = ref === undefined && brokers.length > 0 ? undefined : text(ref);
    if (json !== undefined) return readConnection(json, ref ?? 'kafka.connection');
    if (brokers.length > 0) return { brokers, clientId: 'journeyman' };
    return refuse('KAFKA_CONNECTION', 'No Kafka connection is named, and none is configured.', {
      hint: 'Set kafka.brokers or kafka.connection, or connectionSecretRef.',
    });
  };
}

const mechanisms: readonly string[] = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'];

/** Reads a connection from its JSON. Errors do not quote it because it holds credentials. */
function readConnection(text: string, name: string): KafkaConnection {
  const json = parsed(text, name);
  const brokers = own(json, 'brokers');
  if (
    !Array.isArray(brokers) ||
    brokers.length === 0 ||
    !brokers.every((it) => typeof it === 'string' && /^[^\s/]+:\d+$/.test(it))
  )
    return invalid(name, 'brokers must be a list of host:port');
  const clientId = own(json, 'clientId') ?? 'journeyman';
  if (typeof clientId !== 'string') return invalid(name, 'clientId must be a text');
  const tls = own(json, 'tls');
  const sasl = own(json, 'sasl');
  return {
    brokers: brokers as string[],
    clientId,
    ...(tls !== undefined &&
      tls !== false && { tls: tls === true ? {} : texts(tls, ['ca', 'cert', 'key'], name, 'tls') }),
    ...(sasl !== undefined && { sasl: readSasl(sasl, name) }),
  };
}

function readSasl(sasl: Json, name: string): NonNullable<KafkaConnection['sasl']> {
  const { mechanism, ...rest } = texts(sasl, ['mechanism', 'username', 'password', 'token'], name, 'sasl');
  if (mechanism === undefined || !mechanisms.includes(mechanism))
    return invalid(name, `sasl.mechanism must be one of ${mechanisms.join(', ')}`);
  return { mechanism: mechanism as SASLMechanismValue, ...rest };
}

function texts<K extends string>(
  value: Json,
  known: readonly K[],
  name: string,
  what: string,
): Partial<Record<K, string>> {
  if (!isObject(value)) return invalid(name, `${what} must be an object`);
  for (const [key, item] of Object.entries(value))
    if (!known.includes(key as K) || typeof item !== 'string')
      return invalid(name, `${what} takes the texts ${known.join(', ')}`);
  return value as Partial<Record<K, string>>;
}

function parsed(text: string, name: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return invalid(name, 'it is not JSON');
  }
}

function invalid(name: string, message: string): never {
  return refuse('KAFKA_CONNECTION', `The Kafka connection ${name} cannot be used: ${message}.`);
}
