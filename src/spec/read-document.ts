import { readIdentity, readKind } from './blocks/document.js';
import type { Definition } from './definition.js';
import { describe, given } from './fields.js';
import { idsOf, readGraph, scopeOf } from './graph.js';
import type { LoadOptions } from './load-options.js';
import type { Place } from './place.js';
import type { Reading } from './reading.js';

/** The whole document, block by block, into its normalised form. */
export function readDocument(root: Place, options: LoadOptions): Definition | undefined {
  if (!root.object) {
    root.error(
      'DOC_PARSE',
      `A journey is an object with apiVersion, kind, metadata and spec, not ${describe(root.value)}.`,
    );
    return undefined;
  }
  const kind = readKind(root);
  const identity = readIdentity(root, options);
  const spec = root.at('spec');
  if (!spec.object || !kind) return undefined;
  const reading: Reading = {
    kind,
    options,
    root,
    mappers: new Map(),
    configKeys: new Set(),
    topStates: idsOf(spec),
    subjourneys: new Set(),
    apis: new Map(),
    defaults: { headers: {} },
    policies: { retry: new Map(), retryDefault: undefined, auth: new Map() },
    hasJar: false,
  };
  const main = scopeOf(reading, 'main', 'the journey', spec);
  const graph = readGraph(spec, main, { empty: 'STATES_EMPTY', start: 'START_UNKNOWN' });
  const { description, ...who } = identity;
  return {
    kind,
    ...who,
    ...given('description', description),
    ...graph,
    subjourneys: {},
    lifecycle: { cancellable: true, startMode: 'sync' },
    links: true,
    platformConfig: {},
    metadata: { tags: [], attributes: [] },
    outcomes: [],
    http: { start: { headersToContext: {}, queryToContext: {}, headersPassthrough: [] }, steps: {} },
  };
}
