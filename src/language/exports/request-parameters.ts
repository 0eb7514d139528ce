import type { Json, JsonObject } from '../../base/json/value.js';
import type { Definition, Graph, InboundBinding, MetadataBindings } from '../../engine/definition/definition.js';
import { type Signature, signedParts } from '../../engine/definition/inbound-signature-scheme.js';
import { reachable } from '../states/graph-traversal.js';
import { credentialOf, innerGraphs, isStep, stepOf, subjourneysOf } from '../states/state-queries.js';
import type { CredentialSource } from '../tasks/auth/shared-auth-task.js';

/** Parameters of a request to a journey: those that its binding copies or forwards, credentials, signature headers, and sources of tags and attributes. */
export function requestParameters(
  binding: InboundBinding | undefined,
  credentials: readonly CredentialSource[],
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
    add('header', from, 'Forwarded with the calls that follow.');
  for (const { location, name } of credentials) add(location, name, 'Checked by the journey.');
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

/** Headers that are not listed as parameters: OpenAPI ignores the first three, and `Idempotency-Key` is a shared parameter. */
const notParameters: readonly string[] = ['accept', 'content-type', 'authorization', 'idempotency-key'];

/** Credential sources of the auth tasks that a run can reach between a request and its next step, if the document declares them. */
export function credentialsAfter(definition: Definition, stepId?: string): CredentialSource[] {
  const found: CredentialSource[] = [];
  const visit = (graph: Graph, roots: readonly string[], entered: ReadonlySet<string>): void => {
    for (const id of reachable(graph, roots, (state) => !isStep(state))) {
      const state = graph.states[id]!;
      const source = credentialOf(state)?.inRequest?.source;
      if (source) found.push(source);
      for (const inner of innerGraphs(state)) visit(inner.graph, [inner.graph.start], entered);
      for (const ref of subjourneysOf(state)) {
        if (entered.has(ref) || !Object.hasOwn(definition.subjourneys, ref)) continue;
        const inner = definition.subjourneys[ref]!;
        visit(inner, [inner.start], new Set([...entered, ref]));
      }
    }
  };
  if (stepId === undefined) visit(definition, [definition.start], new Set());
  else
    for (const graph of graphsOf(definition)) {
      const awaited = Object.hasOwn(graph.states, stepId) ? stepOf(graph.states[stepId]!) : undefined;
      if (awaited) visit(graph, [awaited.step.next], new Set());
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
