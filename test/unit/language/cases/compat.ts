import { createApiCatalogue } from '../../../../src/language/read/api-catalogue.js';
import { call, doc, type FaultCase, mapper, state, task } from './case.js';

const branch = 'branches: [{ name: x, start: s, states: { s: { type: succeed } } }]';
const pot = {
  openapi: '3.0.3',
  servers: [{ url: 'https://tea.example' }],
  paths: { '/pot': { get: { operationId: 'pot' } } },
};
const overlay = createApiCatalogue(new Map(), new Map([['tea', pot]]));

/** Each compatibility spelling once; the loader accepts it with a warning. */
const spellings: FaultCase[] = [
  {
    code: 'COMPAT_C1',
    text: doc({ states: state('type: wait\nwait: { channel: manual, input: { schema: true }, §default: end }') }),
  },
  {
    code: 'COMPAT_C1',
    text: doc({ states: state('type: webhook\nwebhook: { input: { schema: true } }\n§default: end') }),
  },
  {
    code: 'COMPAT_C2',
    text: doc({
      states: state(`type: transform\ntransform: { ${mapper}, target: { kind: var } }\n§resultVar: r\nnext: end`),
    }),
  },
  { code: 'COMPAT_C3', text: doc({ states: call('resultVar: r\nparams: { §headers: { Accept: text/plain } }') }) },
  { code: 'COMPAT_C4', text: doc({ states: call('resultVar: r\nparams: { §body: green }') }) },
  {
    code: 'COMPAT_C6',
    text: doc({
      states: state(`type: transform\ntransform: { ${mapper}, target: { kind: context, §path: "" } }\nnext: end`),
    }),
  },
  {
    code: 'COMPAT_C10',
    text: doc({
      states: `§a: { type: parallel, parallel: { ${branch}, join: { strategy: allOf, ${mapper}, resultVar: r } } }`,
    }),
  },
  {
    code: 'COMPAT_C11',
    text: doc({ states: state(`type: parallel\nparallel: { ${branch}, §join: { strategy: anyOf } }\nnext: end`) }),
  },
  {
    code: 'COMPAT_C12',
    text: doc({
      spec: 'lifecycle: { startMode: async }',
      states: state('type: timer\ntimer: { §duration: "PT${context.minutes}M" }\nnext: end'),
    }),
  },
  {
    code: 'COMPAT_C13',
    text: doc({
      spec: 'platform: { config: { base: { type: string } } }',
      states: task('kind: httpCall:v1\nmethod: GET\n§url: "${platform.config.base}/pots"\nresultVar: r'),
    }),
  },
  {
    code: 'COMPAT_C14',
    text: doc({ spec: 'metadata: { bindings: { attributes: { §orderId: { path: order.id } } } }' }),
  },
  {
    code: 'COMPAT_C15',
    text: doc({
      spec: 'policies: { httpResilience: { definitions: { p: { maxAttempts: 2, backoff: { §initialDelayMs: 10 } } } } }',
    }),
  },
  {
    code: 'COMPAT_C15',
    text: doc({
      spec: 'policies: { httpResilience: { definitions: { p: { maxAttempts: 2, backoff: { §factor: 3 } } } } }',
    }),
  },
  {
    code: 'COMPAT_C16',
    text: doc({
      states: state('type: webhook\nwebhook: { input: { schema: true } }\n§response: { outputVar: r }\nnext: end'),
    }),
  },
  { code: 'COMPAT_C17', text: doc({ spec: '§resources: { caches: {} }' }) },
  {
    code: 'COMPAT_C18',
    text: doc({ states: task('kind: httpCall:v1\n§operationRef: tea.pot\nresultVar: r') }),
    options: { catalogue: overlay },
  },
];

/** Accepted by default, rejected in strict mode. C13 is accepted without a warning; in strict mode the overlay is not read at all. */
export const compatCases: FaultCase[] = spellings.flatMap((each): FaultCase[] => [
  ...(each.code === 'COMPAT_C13' ? [] : [{ ...each, severity: 'warning' as const, about: 'accepted' }]),
  ...(each.code === 'COMPAT_C18'
    ? [
        {
          ...each,
          code: 'OPREF_API' as const,
          text: each.text.replace('§operationRef: ', 'operationRef: §'),
          options: { ...each.options, compat: false },
          about: 'C18 strict',
        },
      ]
    : [{ ...each, options: { ...each.options, compat: false }, about: 'strict' }]),
]);
