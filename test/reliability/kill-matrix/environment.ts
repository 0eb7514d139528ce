import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Consumer, stringDeserializers } from '@platformatic/kafka';
import { Context } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { JsonObject } from '../../../src/base/json/value.js';
import { KafkaTopic } from '../../support/kafka-topic.js';
import { repositoryRoot } from '../../support/package-root.js';
import { type Service, startKafka } from '../../support/services.js';
import { Ledger } from '../ledger.js';
import { PatientClient } from '../patient-client.js';
import { Stand } from '../stand.js';
import { call, type KillCase } from './cases.js';

/** The environment of a round: the processes that are killed, and their dependencies, which are not. */
export interface Environment {
  readonly stand: Stand;
  readonly ledger: Ledger;
  readonly client: PatientClient;
  /** The credentials of every start. */
  readonly headers: Readonly<Record<string, string>>;
  /** Adds the records of the Kafka topic to the ledger. */
  collectRecords(): Promise<void>;
  stop(): Promise<void>;
}

const topic = 'kill-matrix';
const apiKey = 'key-of-the-kill-matrix';
const certificate = (name: string) => join(repositoryRoot, 'test/fixtures/certs/partners', name);

/** A busy machine sometimes refuses connections; an attempt that sent nothing is repeated under its key. */
const patient = { maxAttempts: 5, retryOn: ['NETWORK_ERROR'], backoff: { kind: 'fixed', baseDelayMs: 500 } };
const policies = { httpResilience: { default: 'patient', definitions: { patient } } };

/** The document of a case's journey. */
export function documentOf(given: KillCase, ledgerUrl: string): JsonObject {
  const { gate = 'before', states, spec } = given;
  const gated = (point: string, next: string, body: JsonObject = {}) => ({
    ...call(point, next, { body, resultVar: 'gate' }),
    onError: 'unreachable',
  });
  const needed = given.value !== undefined || JSON.stringify(states).includes('"after"');
  const all: JsonObject = {
    before: gated('before', 'step'),
    unreachable: { type: 'fail', errorCode: 'CALL_FAILED', reason: { expr: 'write(context.gate.error)' } },
    ...states,
    ...(needed && {
      after: gated('after', 'done', { mapper: { lang: 'dataweave', expr: '{ value: context.value default null }' } }),
      done: { type: 'succeed' },
    }),
    ...(JSON.stringify(states).includes('"end"') && { end: { type: 'succeed' } }),
  };
  const start = 'first' in states ? 'first' : 'before';
  const text = JSON.stringify(
    journey(journeyName(given), { lifecycle: { startMode: 'async' }, policies, start, states: all, ...spec }),
  );
  if (gate !== 'before' && !text.includes(`/${gate}`)) throw new Error(`${given.name} has no call ${gate}`);
  return JSON.parse(text.replaceAll('LEDGER', ledgerUrl)) as JsonObject;
}

/** The name of a case's journey. */
export function journeyName({ name }: KillCase): string {
  return `kill-${name.replace(/\W/g, '-')}`.toLowerCase();
}

function journey(name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Journey', metadata: { name, version: '1.0.0' }, spec };
}

/** Starts server, worker and gateway, the services that the cases call, and a worker for foreign activities. */
export async function startEnvironment(cases: readonly KillCase[]): Promise<Environment> {
  const ledger = await Ledger.start();
  const kafka = cases.some((it) => it.kafka) ? await startTopic() : undefined;
  const besides = cases.flatMap(({ beside, child }) => [beside, child].filter((it) => it !== undefined));
  const documents = Object.fromEntries([
    ...cases.map((it) => [`${journeyName(it)}.journey.json`, JSON.stringify(documentOf(it, ledger.url))]),
    ...besides.map((it) => [
      `${it.journey}.journey.json`,
      JSON.stringify(journey(it.journey, it.spec)).replaceAll('LEDGER', ledger.url),
    ]),
  ]);
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const source = (name: string) => ({ location: 'header', name });
  const stand = await Stand.start({
    documents,
    files: { 'book.mjs': plugin(ledger.url) },
    config: {
      gateway: {
        tls: {
          certFile: certificate('server.pem'),
          keyFile: certificate('server.key'),
          clientCertificates: 'optional',
        },
      },
      plugins: {
        modules: ['./book.mjs'],
        jwtValidate: {
          profiles: {
            default: {
              issuer: 'https://id.test/',
              keys: [(await exportJWK(publicKey)) as JsonObject],
              source: { ...source('Authorization'), scheme: 'Bearer' },
            },
          },
        },
        mtlsValidate: {
          profiles: { default: { trustAnchors: [{ file: certificate('root.pem') }], allowAnyFromTrusted: true } },
        },
        apiKeyValidate: {
          profiles: {
            default: {
              keys: [{ id: 'ali', hash: `sha256:${createHash('sha256').update(apiKey).digest('hex')}` }],
              source: source('X-Key'),
            },
          },
        },
      },
      tasks: { activities: { others: ['book'] } },
      ...(kafka && { kafka: { brokers: [kafka.address] } }),
    },
  });
  const stopOthers = await workOthers(stand.address, ledger.url);
  const token = await new SignJWT({ sub: 'ada', iss: 'https://id.test/' })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime('12h')
    .sign(privateKey);
  const read = (name: string) => readFileSync(certificate(name), 'utf8');
  const client = new PatientClient({ ca: read('root.pem'), cert: read('partner.pem'), key: read('partner.key') });
  return {
    stand,
    ledger,
    client,
    headers: { authorization: `Bearer ${token}`, 'x-key': apiKey },
    collectRecords: async () => {
      if (kafka) for (const it of await recordsOf(kafka.address)) ledger.enter(it);
    },
    stop: async () => {
      await client.close();
      await ledger.close();
      await stopOthers();
      await stand.stop();
      await kafka?.stop();
    },
  };
}

/** A plugin that calls the ledger. */
function plugin(url: string): string {
  return `export default {
  kind: 'book:v1',
  description: 'Calls the ledger.',
  fields: { run: { type: 'template', required: true, description: 'The label of the run.' } },
  result: 'required',
  timeoutMs: 60000,
  async run({ run }, { idempotencyKey }) {
    await fetch('${url}/' + run + '/plugin', { method: 'POST', headers: { 'idempotency-key': idempotencyKey }, body: '{}' });
    return 'booked';
  },
};`;
}

/** Runs a foreign worker, which is not killed; its activity calls the ledger. */
async function workOthers(address: string, url: string): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address });
  const book = async (run: string) => {
    const { workflowId } = Context.current().info.workflowExecution!;
    const headers = { 'idempotency-key': `${workflowId}/book` };
    await fetch(`${url}/${run}/book`, { method: 'POST', headers, body: '{}' });
    return 'booked';
  };
  const worker = await Worker.create({ connection, taskQueue: 'others', activities: { book } });
  const running = worker.run();
  return async () => {
    worker.shutdown();
    await running;
    await connection.close();
  };
}

async function startTopic(): Promise<Service> {
  const kafka = await startKafka();
  const created = await KafkaTopic.create(kafka.address, topic, 1);
  await created.close();
  return kafka;
}

/** The records of the topic so far. */
async function recordsOf(address: string) {
  const group = `read-${process.hrtime.bigint()}`;
  const options = { clientId: 'kill-matrix', bootstrapBrokers: [address], groupId: group };
  const consumer = new Consumer({ ...options, deserializers: stringDeserializers });
  const last = (await consumer.listOffsets({ topics: [topic] })).get(topic)![0]!;
  const records = [];
  if (last > 0n) {
    const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false });
    for await (const { key, headers, offset } of stream) {
      const [[, idempotencyKey] = []] = [...headers].filter(([name]) => name === 'idempotency-key');
      records.push({ run: String(key), point: 'record', key: idempotencyKey, method: 'PUBLISH', value: undefined });
      if (offset + 1n >= last) break;
    }
  }
  await consumer.close(true);
  return records;
}
