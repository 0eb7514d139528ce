import { fixed, part, shape, textOf } from '../../document/schema-parts.js';

/** JSON Schema of `kafkaPublish:v1`. */
export const schema = {
  ...shape(
    'Publishes an event to a Kafka topic.',
    {
      kind: fixed('kafkaPublish:v1', 'The kind of task.'),
      topic: textOf('The topic.'),
      key: {
        description: 'The record’s key: a text (placeholders replaced) or a mapper.',
        oneOf: [{ type: 'string' }, part('mapperHolder')],
      },
      value: part('mapperHolder', 'Computes the event.'),
      headers: part('texts', 'Record headers.'),
      keySchemaRef: {
        ...textOf('The file of a JSON Schema of the key, relative to catalogue.root.'),
        examples: ['events/order-id.schema.json'],
      },
      valueSchemaRef: {
        ...textOf('The file of a JSON Schema of the event, relative to catalogue.root.'),
        examples: ['events/order.schema.json'],
      },
      connectionSecretRef: textOf('Which connection to use; the configured default when left out.'),
    },
    ['kind', 'topic', 'value'],
  ),
  examples: [
    {
      kind: 'kafkaPublish:v1',
      topic: 'orders',
      key: '${context.orderId}',
      value: { mapper: { lang: 'dataweave', expr: '{ orderId: context.orderId, status: "PAID" }' } },
      headers: { source: 'checkout' },
      connectionSecretRef: 'secret://kafka/orders',
    },
  ],
};
