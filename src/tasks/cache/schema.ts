import { part, shape, wholeOf, wordOf } from '../../document/schema-parts.js';

/** JSON Schema of `cache:v1`. */
export const schema = shape(
  'Reads or writes the cache that all journeys share.',
  {
    kind: { const: 'cache:v1' },
    operation: wordOf('get writes the value, or null, to resultVar; put stores value.', 'get', 'put'),
    key: part('mapperHolder', 'Computes the key; it becomes a text.'),
    value: part('mapperHolder', 'Computes what put stores.'),
    ttlSeconds: wholeOf('How long the value stays.'),
    resultVar: part('identifier'),
  },
  ['kind', 'operation', 'key'],
);
