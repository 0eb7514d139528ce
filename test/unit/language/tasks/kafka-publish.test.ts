import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/base/json/value.js';
import { refuse } from '../../../../src/base/problems/problem.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { load } from '../../../../src/language/load-journey.js';
import { createApiCatalogue } from '../../../../src/language/read/api-catalogue.js';
import type { Perform } from '../../../../src/language/tasks/effect-interface.js';
import { InProcessApis } from '../../../../src/service/in-process/apis-and-guards.js';
import { apiRequest } from '../../../support/api-request.js';

const catalogue = createApiCatalogue(
  new Map<string, Json>([
    ['events/paid.json', { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } }],
    ['events/key.json', { type: 'string', minLength: 2 }],
  ]),
);

/** Runs an Api that publishes one event; returns its response and the records. */
async function published(body: JsonObject, task: string, kafka?: Perform) {
  const { definition, findings } = load(
    {
      text: `
apiVersion: v1
kind: Api
metadata: { name: paid, version: 1.0.0 }
spec:
  start: tell
  states:
    tell:
      type: task
      task:
        kind: kafkaPublish:v1
        topic: payments
        value: { mapper: { lang: dataweave, expr: '{ amount: context.amount }' } }
${task.replace(/^/gm, '        ')}
      next: done
    done: { type: succeed }
`,
    },
    { catalogue },
  );
  expect(findings).toEqual([]);
  const records: Json[] = [];
  const record: Perform = async (input) => {
    records.push(input);
    return null;
  };
  const apis = new InProcessApis(loadConfig({ env: {} }), { kafka: kafka ?? record });
  return { answer: await apis.call(definition!, apiRequest(body)), records };
}

it('JL-U21 publishes an evaluated record with a key to detect duplicates', async () => {
  const task =
    'key: "order-${context.id}"\nheaders: { source: "shop ${context.id}" }\nconnectionSecretRef: secret://kafka/eu';
  const { answer, records } = await published({ id: 7, amount: 5 }, task);
  expect(answer.body).toEqual({ id: 7, amount: 5 });
  expect(records).toEqual([
    {
      topic: 'payments',
      key: 'order-7',
      value: '{"amount":5}',
      headers: { 'idempotency-key': expect.stringMatching(/tell#1$/), source: 'shop 7' },
      connectionSecretRef: 'secret://kafka/eu',
    },
  ]);
});

it.each([
  ['the event', { id: 'o1', amount: 'much' }],
  ['the key', { id: 'o', amount: 5 }],
])('publishes nothing if %s does not match its schema', async (_, body) => {
  const task =
    'key: { mapper: { lang: dataweave, expr: context.id } }\nkeySchemaRef: events/key.json\nvalueSchemaRef: ./events/paid.json';
  const { answer, records } = await published(body, task);
  expect(answer.body).toMatchObject({ code: 'KAFKA_EVENT_INVALID' });
  expect(records).toEqual([]);
});

it('ends the run if the event cannot be published', async () => {
  const failing: Perform = async () => refuse('KAFKA_PUBLISH_FAILED', 'Nobody listens.');
  const { answer } = await published({ amount: 5 }, 'headers: {}', failing);
  expect(answer).toMatchObject({ status: 500, body: { code: 'KAFKA_PUBLISH_FAILED' } });
});
