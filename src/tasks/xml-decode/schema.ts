import { part, shape, wordOf } from '../../document/schema-parts.js';

/** JSON Schema of `xmlDecode:v1`. */
export const schema = shape(
  'Turns an XML text in the context into JSON.',
  {
    kind: { const: 'xmlDecode:v1' },
    sourceVar: part('identifier', 'The context field that holds the XML.'),
    target: shape('Where the JSON goes.', {
      kind: wordOf('context by default.', 'context', 'var'),
      path: { type: 'string' },
    }),
    resultVar: part('identifier'),
  },
  ['kind', 'sourceVar'],
);
