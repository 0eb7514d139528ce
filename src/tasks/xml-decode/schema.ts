import { fixed, part, shape, wordOf } from '../../document/schema-parts.js';

/** JSON Schema of `xmlDecode:v1`. */
export const schema = {
  ...shape(
    'Turns an XML text in the context into JSON.',
    {
      kind: fixed('xmlDecode:v1', 'The kind of task.'),
      sourceVar: part('identifier', 'The context field that holds the XML.'),
      target: shape('Where the JSON goes.', {
        kind: {
          ...wordOf('context (default): the place at path. var: the variable resultVar.', 'context', 'var'),
          default: 'context',
        },
        path: { type: 'string', description: 'A dot path into the context.' },
      }),
      resultVar: part('identifier', 'The context variable that takes the JSON.'),
    },
    ['kind', 'sourceVar'],
  ),
  examples: [
    { kind: 'xmlDecode:v1', sourceVar: 'xml', target: { kind: 'var' }, resultVar: 'invoice' },
    { kind: 'xmlDecode:v1', sourceVar: 'xml', target: { kind: 'context', path: 'order.invoice' } },
  ],
};
