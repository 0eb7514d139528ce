import { fixed, part, shape, wholeOf, wordOf } from '../../document/schema-parts.js';

/** JSON Schema of `cache:v1`. */
export const schema = {
  ...shape(
    'Reads or writes the cache that all journeys share.',
    {
      kind: fixed('cache:v1', 'The kind of task.'),
      operation: wordOf('get writes the value, or null, to resultVar; put stores value.', 'get', 'put'),
      key: part('mapperHolder', 'Computes the key; it becomes a text.'),
      value: part('mapperHolder', 'Computes what put stores.'),
      ttlSeconds: wholeOf('How long the value stays.'),
      resultVar: part('identifier', 'The context variable that takes what get found.'),
    },
    ['kind', 'operation', 'key'],
  ),
  examples: [
    {
      kind: 'cache:v1',
      operation: 'get',
      key: { mapper: { lang: 'dataweave', expr: '"price/" ++ context.sku' } },
      resultVar: 'price',
    },
    {
      kind: 'cache:v1',
      operation: 'put',
      key: { mapper: { lang: 'dataweave', expr: '"price/" ++ context.sku' } },
      value: { mapper: { lang: 'dataweave', expr: 'context.price' } },
      ttlSeconds: 600,
    },
  ],
};
