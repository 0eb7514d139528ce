import { part, shape, textOf } from '../../document/schema-parts.js';

/** JSON Schema of `kafkaPublish:v1`. */
export const schema = shape(
  'Publishes an event to a Kafka topic.',
  {
    kind: { const: 'kafkaPublish:v1' },
    topic: textOf('The topic.'),
    key: {
      description: 'The record’s key: a text (placeholders replaced) or a mapper.',
      oneOf: [{ type: 'string' }, part('mapperHolder')],
    },
    value: part('mapperHolder', 'Computes the event.'),
    headers: part('texts', 'Record headers.'),
    keySchemaRef: textOf('The file of a JSON Schema of the key, relative to catalogue.root.'),
    valueSchemaRef: textOf('The file of a JSON Schema of the event, relative to catalogue.root.'),
    connectionSecretRef: textOf('Which connection to use; the configured default when left out.'),
  },
  ['kind', 'topic', 'value'],
);
