import type { Definition, Subjourney } from '../definition/definition.js';
import { describe, given, isBlock, named } from '../document/fields.js';
import type { Place } from '../document/place.js';
import { didYouMean } from '../document/suggest.js';
import { compileExpression } from '../expressions/index.js';
import { isObject, type Json, type JsonObject, own } from '../json/value.js';
import { nearest } from '../problems/nearest.js';
import { checkCallbacks } from '../reading/callbacks.js';
import { checkUnusedMappers } from '../reading/expressions.js';
import { graphReading, idsOf, type ReadGraph, readGraph } from '../reading/graph.js';
import { inlineSchema } from '../reading/json-schema.js';
import type { LoadOptions } from '../reading/load-options.js';
import { readPolicies } from '../reading/policies.js';
import type { Reading } from '../reading/reading.js';
import type { Mentions } from '../reading/template.js';
import { allStates, isStep } from '../states/graphs.js';
import { readApis, readDefaults } from './blocks/apis.js';
import { readBindings } from './blocks/bindings.js';
import {
  readContract,
  readErrors,
  readExecution,
  readLifecycle,
  readLinks,
  readMappers,
  readOutcomes,
  readPlatform,
} from './blocks/blocks.js';
import { compensationBindings, readCompensation } from './blocks/compensation.js';
import { readCookies } from './blocks/cookies.js';
import { isSomethingElse, readIdentity, readKind, rootFields } from './blocks/document.js';
import { readMetadata } from './blocks/metadata.js';
import { checkChoices } from './checks/choices.js';
import { checkCycles } from './checks/cycles.js';
import { checkCompensation, checkGuard, checkOutput, checkSchedules, scheduleStarts } from './checks/forbidden.js';
import { allGraphs, checkEnds, checkReachability, checkSyncStart } from './checks/graphs.js';
import { checkItems } from './checks/items.js';
import { checkLoops } from './checks/loops.js';
import { checkSecrets } from './checks/secrets.js';
import { checkSteps, checkSubjourneys } from './checks/steps.js';
import { checkFlow } from './flow/check.js';
import { Uses } from './flow/uses.js';
import { words } from './vocabulary.js';

/** The blocks of `spec`. */
export const specFields = [
  'start',
  'states',
  'subjourneys',
  'input',
  'output',
  'context',
  'apis',
  'defaults',
  'platform',
  'execution',
  'compensation',
  'httpSurface',
  'lifecycle',
  'metadata',
  'mappers',
  'policies',
  'bindings',
  'outcomes',
  'cookies',
  'access',
  'errors',
] as const;

/** The whole document, block by block, into its normalised form. */
export function readDocument(root: Place, options: LoadOptions): Definition | undefined {
  if (!root.object) {
    root.error(
      'DOC_PARSE',
      `A journey is an object with apiVersion, kind, metadata and spec, not ${describe(root.value)}.`,
    );
    return undefined;
  }
  if (isSomethingElse(root)) return undefined;
  root.only(rootFields, (key) => (key.startsWith('x-') ? 'warning' : 'error'));
  const kind = readKind(root);
  const { description, ...identity } = readIdentity(root, options);
  const spec = root.at('spec');
  if (!spec.object && spec.value === undefined && root.misspells('spec', rootFields)) return undefined;
  if (!spec.object) {
    (spec.value === undefined ? root : spec).error(
      'FIELD_REQUIRED',
      `The document needs a spec, not ${describe(spec.value)}.`,
      undefined,
      'key',
    );
    return undefined;
  }
  checkSpecFields(spec);
  const policies = readPolicies(spec.at('policies'));
  const platformConfig = readPlatform(spec);
  const mentions: Mentions = { configKeys: new Set(Object.keys(platformConfig)), callbacks: [], uses: [] };
  const cookies = readCookies(spec);
  const reading: Reading = {
    kind: kind ?? 'Journey',
    options,
    words: options.words ?? words,
    compile: options.compile ?? compileExpression,
    root,
    mappers: readMappers(spec),
    ...mentions,
    topStates: idsOf(spec),
    subjourneys: new Set(Object.keys(spec.at('subjourneys').object ?? {})),
    apis: readApis(spec),
    defaults: readDefaults(spec, policies, mentions),
    policies,
  };
  const within = graphReading(reading, 'main', kind === 'Api' ? 'the Api' : 'the journey', spec);
  const main: ReadGraph = {
    id: '',
    place: spec,
    within,
    graph: readGraph(spec, within, { empty: 'STATES_EMPTY', start: 'START_UNKNOWN' }),
  };
  const subjourneys = readSubjourneys(spec, reading);
  const compensation = readCompensation(spec, reading);
  const graphs = [main, ...subjourneys.graphs, ...(compensation ? [compensation] : [])];
  const definition: Definition = {
    kind: reading.kind,
    ...identity,
    ...given('description', description),
    ...main.graph,
    subjourneys: subjourneys.byId,
    ...readContract(spec),
    ...given('execution', readExecution(spec)),
    ...given('compensation', compensation?.compensation),
    lifecycle: readLifecycle(spec, reading.kind),
    links: readLinks(spec),
    platformConfig,
    metadata: readMetadata(spec, options),
    outcomes: readOutcomes(spec, reading),
    http: readBindings(spec, reading, stepIds(graphs)),
    ...given('errors', readErrors(spec, reading)),
    ...given('access', readAccess(spec, reading)),
    ...given('cookies', cookies),
  };
  if (looksAtRequests(definition, reading)) definition.looksAtRequests = true;
  checkUnusedMappers(reading);
  checkSecrets(root);
  checkCallbacks(reading, stepIds(graphs));
  checkAcross(definition, main, graphs, spec);
  if (compensation) checkCompensation(compensation, definition.subjourneys);
  // What is not understood yet cannot be followed.
  if (!root.report.findings.some(({ severity }) => severity === 'error')) checkWays(definition, graphs, reading);
  return kind && definition;
}

/** The rules that follow a run on its ways through the document. */
function checkWays(definition: Definition, graphs: readonly ReadGraph[], reading: Reading): void {
  const uses = new Uses(reading.uses, new Set([...allStates(definition)].map(({ pointer }) => pointer)));
  checkLoops(graphs, definition, uses);
  checkChoices(graphs);
  checkFlow(definition, reading, uses, new Set(scheduleStarts(graphs).map(({ id }) => id)));
}

/** Whether a run needs what a request brings besides what is copied from it: to check credentials, or to pass headers on. */
function looksAtRequests(definition: Definition, { words }: Reading): boolean {
  const { start, steps } = definition.http;
  if ([start, ...Object.values(steps)].some(({ headersPassthrough }) => headersPassthrough.length > 0)) return true;
  for (const { state } of allStates(definition))
    if (state.type === 'task' && words.tasks.get(state.task.kind)?.looksAtRequests) return true;
  return false;
}

/** The rules that look at more than one state. */
function checkAcross(definition: Definition, main: ReadGraph, graphs: readonly ReadGraph[], spec: Place): void {
  const { subjourneys } = definition;
  const starts = scheduleStarts(graphs);
  const guard = definition.access?.read.guardRef;
  checkReachability(graphs, new Set(starts.map(({ id }) => id)));
  checkCycles(graphs, subjourneys);
  checkSteps(graphs, subjourneys);
  checkItems(graphs, subjourneys);
  checkSubjourneys(graphs, new Set(guard === undefined ? [] : [guard]));
  checkSchedules(main, starts, subjourneys);
  if (definition.kind === 'Api') checkEnds(graphs);
  else if (definition.lifecycle.startMode === 'sync') checkSyncStart(main, subjourneys);
  if (guard !== undefined) checkGuard(guard, spec.at('access').at('read').at('guardRef'), subjourneys);
  checkOutput(main, definition);
}

function checkSpecFields(spec: Place): void {
  if (spec.has('resources')) spec.at('resources').compat('C17', 'resources is no longer part of the language.');
  // A misspelt block would be left out without a word; others may be for other readers.
  spec.only(
    [...specFields, 'resources'],
    (key) => (nearest(key, specFields) === undefined ? 'warning' : 'error'),
    (key) => (key === 'route' || key === 'apiResponses' ? `It belongs under bindings.http.` : undefined),
  );
}

function readSubjourneys(spec: Place, reading: Reading): { byId: Record<string, Subjourney>; graphs: ReadGraph[] } {
  const byId = Object.create(null) as Record<string, Subjourney>;
  const graphs: ReadGraph[] = [];
  const all = spec.at('subjourneys');
  isBlock(all, 'FIELD_TYPE', 'subjourneys');
  const undoing = calledFrom(spec.at('compensation').value, all.object ?? {});
  for (const [id, place] of all.entries()) {
    if (!isBlock(place, 'SUBJ_START_UNKNOWN', 'A subjourney')) {
      if (place.value === undefined) continue;
      byId[id] = { start: '', states: {} };
      continue;
    }
    place.only(['start', 'states', 'input', 'output'], 'warning');
    const bindings = undoing.has(id) ? compensationBindings : [];
    const within = graphReading(reading, 'subjourney', `the subjourney "${id}"`, place, bindings);
    const graph = readGraph(place, within, { empty: 'STATES_EMPTY', start: 'SUBJ_START_UNKNOWN' });
    byId[id] = { ...graph, ...contract(place, 'input'), ...contract(place, 'output') };
    graphs.push({ id, place, within, graph });
  }
  return { byId, graphs };
}

/** The subjourneys that something in `value` calls, and those that they call. */
function calledFrom(value: Json | undefined, subjourneys: JsonObject, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) calledFrom(item, subjourneys, found);
  if (!isObject(value)) return found;
  const ref = value.type === 'subjourney' && isObject(value.subjourney) ? value.subjourney.ref : undefined;
  if (typeof ref === 'string' && !found.has(ref)) {
    found.add(ref);
    calledFrom(own(subjourneys, ref), subjourneys, found);
  }
  for (const inner of Object.values(value)) calledFrom(inner, subjourneys, found);
  return found;
}

function contract(place: Place, name: 'input' | 'output'): Pick<Subjourney, 'input' | 'output'> {
  const block = place.at(name);
  if (!isBlock(block, 'FIELD_TYPE', name)) return {};
  block.only(['schema'], 'warning');
  const schema = block.has('schema') ? inlineSchema(block.at('schema')) : undefined;
  return schema === undefined ? {} : { [name]: { schema } };
}

function readAccess(spec: Place, reading: Reading): Definition['access'] {
  const access = spec.at('access');
  if (isBlock(access, 'FIELD_TYPE', 'access')) access.only(['read'], 'warning');
  const read = access.at('read');
  if (isBlock(read, 'FIELD_TYPE', 'access.read')) read.only(['guardRef'], 'warning');
  const ref = read.at('guardRef');
  if (ref.value === undefined) return undefined;
  if (typeof ref.value === 'string' && reading.subjourneys.has(ref.value)) return { read: { guardRef: ref.value } };
  ref.error('GUARD_UNKNOWN', `There is no subjourney ${named(ref.value)}.`, didYouMean(ref.value, reading.subjourneys));
  return undefined;
}

function stepIds(graphs: readonly ReadGraph[]): Set<string> {
  const ids = new Set<string>();
  for (const { graph } of allGraphs(graphs))
    for (const [id, state] of Object.entries(graph.states)) if (isStep(state)) ids.add(id);
  return ids;
}
