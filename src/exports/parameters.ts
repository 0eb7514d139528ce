import type { Definition, Graph, InboundBinding, MetadataBindings } from '../definition/definition.js';
import { type Signature, signedParts } from '../definition/signature.js';
import { isObject, type Json, type JsonObject, own } from '../json/value.js';
import { innerGraphs, isStep, reachable } from '../states/graphs.js';

/** The parameters that a request may carry for a journey: what its binding copies or passes on, what its auth tasks look at, how it is signed, what classifies the run. */
export function requestParameters(
  binding: InboundBinding | undefined,
  credentials: readonly JsonObject[],
  signature?: Signature,
  metadata?: MetadataBindings,
): Json[] {
  const found: JsonObject[] = [];
  const add = (location: string, name: string, description: string) => {
    const same = (it: JsonObject) => it.in === location && String(it.name).toLowerCase() === name.toLowerCase();
    if (found.some(same) || (location === 'header' && notParameters.includes(name.toLowerCase()))) return;
    const required = location === 'path' && { required: true };
    found.push({ name, in: location, description, ...required, schema: { type: 'string' } });
  };
  for (const [name, field] of Object.entries(binding?.pathToContext ?? {}))
    add('path', name, `Becomes \`context.${field}\`.`);
  for (const [name, field] of Object.entries(binding?.headersToContext ?? {}))
    add('header', name, `Becomes \`context.${field}\`.`);
  for (const [name, field] of Object.entries(binding?.queryToContext ?? {}))
    add('query', name, `Becomes \`context.${field}\`.`);
  for (const { from } of binding?.headersPassthrough ?? [])
    add('header', from, 'Goes along with the calls that follow.');
  for (const { location, name } of credentials) add(String(location), String(name), 'The journey itself checks it.');
  for (const name of signature ? signingHeaders(signature) : [])
    add('header', name, 'Part of the signature of the body.');
  for (const source of [...(metadata?.tags ?? []), ...(metadata?.attributes ?? [])]) {
    const becomes = 'name' in source ? `attribute \`${source.name}\`` : 'tag';
    if (source.from === 'header') add('header', source.header, `Becomes the ${becomes} of the run.`);
    else if (source.from === 'baggage')
      add('header', 'baggage', 'W3C Baggage; entries of it become tags or attributes of the run.');
  }
  return found;
}

function signingHeaders({ header, timestamp, content }: Signature): string[] {
  const signed = signedParts(content).flatMap((part) => ('header' in part ? [part.header] : []));
  return [header, ...(timestamp ? [timestamp.header] : []), ...signed];
}

/** OpenAPI ignores parameters of these names: they are said elsewhere. */
const notParameters: readonly string[] = ['accept', 'content-type', 'authorization', 'idempotency-key'];

/** Where the auth tasks that a request leads to look for a credential, as far as the document says: up to the next step. */
export function credentialsAfter(definition: Definition, stepId?: string): JsonObject[] {
  const found: JsonObject[] = [];
  const visit = (graph: Graph, roots: readonly string[], entered: ReadonlySet<string>): void => {
    for (const id of reachable(graph, roots, (state) => !isStep(state))) {
      const state = graph.states[id]!;
      if (state.type === 'task') {
        const source = own(state.task as unknown as JsonObject, 'source');
        if (isObject(source) && typeof source.name === 'string') found.push(source);
      }
      for (const inner of innerGraphs(state)) visit(inner.graph, [inner.graph.start], entered);
      if (state.type === 'subjourney' && !entered.has(state.ref) && Object.hasOwn(definition.subjourneys, state.ref)) {
        const inner = definition.subjourneys[state.ref]!;
        visit(inner, [inner.start], new Set([...entered, state.ref]));
      }
    }
  };
  if (stepId === undefined) visit(definition, [definition.start], new Set());
  else
    for (const graph of graphsOf(definition)) {
      const step = Object.hasOwn(graph.states, stepId) ? graph.states[stepId] : undefined;
      if (step && isStep(step))
        visit(graph, [step.type === 'wait' || step.type === 'webhook' ? step.next : stepId], new Set());
    }
  return found;
}

function* graphsOf(definition: Definition): Generator<Graph> {
  const open: Graph[] = [definition, ...Object.values(definition.subjourneys)];
  for (let graph = open.pop(); graph; graph = open.pop()) {
    yield graph;
    for (const state of Object.values(graph.states)) open.push(...innerGraphs(state).map((inner) => inner.graph));
  }
}
