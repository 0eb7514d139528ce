import type { Definition } from '../../src/engine/definition/definition.js';

const inbound = { headersToContext: {}, queryToContext: {}, headersPassthrough: [] };

/** A journey that ends at once, with additional fields for the test. */
export function journey(name: string, rest: Partial<Definition> = {}): Definition {
  return {
    kind: 'Journey',
    name,
    version: '1.0.0',
    tags: [],
    start: 'done',
    states: { done: { type: 'succeed' } },
    subjourneys: {},
    lifecycle: { cancellable: true, startMode: 'sync' },
    links: true,
    platformConfig: {},
    metadata: { tags: [], attributes: [] },
    outcomes: [],
    http: { start: inbound, steps: {} },
    ...rest,
  };
}
