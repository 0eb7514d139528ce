import { didYouMean } from '../base/document/did-you-mean.js';
import type { Place } from '../base/document/placed-value.js';
import { describeType, ifDefined, isBlock, quoteName } from '../base/document/read-fields.js';
import { isObject, type Json, type JsonObject, own } from '../base/json/value.js';
import { nearestName } from '../base/problems/nearest-name.js';
import type { Definition, Subjourney } from '../engine/definition/definition.js';
import { compileExpression } from '../expressions/index.js';
import { checkBusyCycles } from './analysis/checks/busy-cycles.js';
import {
  checkCompensation,
  checkGuard,
  checkItems,
  checkOutput,
  checkSchedules,
  checkStops,
  scheduleStartPlaces,
} from './analysis/checks/forbidden-states.js';
import {
  allGraphs,
  checkChoices,
  checkEnds,
  checkReachability,
  checkSyncStart,
} from './analysis/checks/reachability.js';
import { checkSecrets } from './analysis/checks/secrets-in-document.js';
import { checkSteps, checkSubjourneys } from './analysis/checks/step-ids-and-subjourneys.js';
import { checkUnboundedLoops } from './analysis/checks/unbounded-loops.js';
import { Uses } from './analysis/flow/context-shapes.js';
import { checkFlow } from './analysis/flow/unwritten-context-reads.js';
import { readApis, readCookies, readDefaults } from './blocks/read-apis-defaults-and-cookies.js';
import { compensationBindings, readCompensation } from './blocks/read-compensation-graph.js';
import { readContract, readExecution, readLifecycle, readLinks } from './blocks/read-contract-and-execution.js';
import { readBindings } from './blocks/read-http-bindings.js';
import {
  isForeignDocument,
  readIdentity,
  readKind,
  readMetadata,
  rootFields,
} from './blocks/read-kind-and-metadata.js';
import { readErrors, readMappers, readOutcomes } from './blocks/read-mappers-outcomes-and-errors.js';
import { readPlatform } from './blocks/read-platform-config.js';
import { readRunKey } from './blocks/read-run-key.js';
import { checkCallbacks } from './read/check-callback-urls.js';
import type { Reading } from './read/document-reading-state.js';
import type { LoadOptions } from './read/load-options.js';
import { readDefaultLang } from './read/note-short-and-long-forms.js';
import { readPolicies } from './read/read-call-policies.js';
import { checkUnusedMappers } from './read/read-expressions-and-mappers.js';
import { graphReading, idsOf, type ReadGraph, readGraph } from './read/read-graph.js';
import { inlineSchema } from './read/read-inline-schema.js';
import type { Mentions } from './read/read-templates.js';
import { documentVocabulary } from './state-types-and-task-kinds.js';
import { allStates, stepUses } from './states/graph-traversal.js';
import { credentialOf, isStep } from './states/state-queries.js';

/** The blocks of `spec`. */
export const specFields = [
  'start',
  'states',
  'subjourneys',
  'key',
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

/** Reads the whole document, block by block, into its normalised form. */
export function readDocument(root: Place, options: LoadOptions): Definition | undefined {
  if (!root.object) {
    root.error(
      'DOC_PARSE',
      `A journey is an object with apiVersion, kind, metadata and spec, not ${describeType(root.value)}.`,
    );
    return undefined;
  }
  if (isForeignDocument(root)) return undefined;
  root.only(rootFields, (key) => (key.startsWith('x-') ? 'warning' : 'error'));
  const kind = readKind(root);
  const { description, ...identity } = readIdentity(root, options);
  const spec = root.at('spec');
  if (!spec.object && spec.value === undefined && root.misspells('spec', rootFields)) return undefined;
  if (!spec.object) {
    (spec.value === undefined ? root : spec).error(
      'FIELD_REQUIRED',
      `The document needs a spec, not ${describeType(spec.value)}.`,
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
  const lang = readDefaultLang(spec.at('defaults').at('lang'));
  const reading: Reading = {
    kind: kind ?? 'Journey',
    options,
    words: options.words ?? documentVocabulary,
    compile: options.compile ?? compileExpression,
    root,
    lang,
    mappers: readMappers(spec, lang),
    ...mentions,
    topStates: idsOf(spec),
    subjourneys: new Set(Object.keys(spec.at('subjourneys').object ?? {})),
    apis: readApis(spec, mentions),
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
    ...ifDefined('description', description),
    ...main.graph,
    subjourneys: subjourneys.byId,
    ...ifDefined('key', readRunKey(spec, identity.name, reading)),
    ...readContract(spec),
    ...ifDefined('execution', readExecution(spec)),
    ...ifDefined('compensation', compensation?.compensation),
    lifecycle: readLifecycle(spec, reading.kind),
    links: readLinks(spec),
    platformConfig,
    metadata: readMetadata(spec, options),
    outcomes: readOutcomes(spec, reading),
    http: readBindings(spec, reading, stepIds(graphs)),
    ...ifDefined('errors', readErrors(spec, reading)),
    ...ifDefined('access', readAccess(spec, reading)),
    ...ifDefined('cookies', cookies),
  };
  if (looksAtRequests(definition)) definition.looksAtRequests = true;
  checkUnusedMappers(reading);
  checkSecrets(root);
  checkCallbacks(reading, stepIds(graphs), stepUses(definition));
  checkAcross(definition, main, graphs, spec);
  if (compensation) checkCompensation(compensation, definition.subjourneys);
  // Paths of a document with errors cannot be followed.
  if (!root.report.findings.some(({ severity }) => severity === 'error')) checkPaths(definition, graphs, reading);
  return kind && definition;
}

/** Rules that follow the paths of a run through the document. */
function checkPaths(definition: Definition, graphs: readonly ReadGraph[], reading: Reading): void {
  const uses = new Uses(reading.uses, new Set([...allStates(definition)].map(({ pointer }) => pointer)));
  checkUnboundedLoops(graphs, definition, uses);
  checkChoices(graphs);
  checkFlow(definition, reading, uses, new Set(scheduleStartPlaces(graphs).map(({ id }) => id)));
}

/** Whether a run needs the request itself, beyond the copied fields: to check credentials or to forward headers. */
function looksAtRequests(definition: Definition): boolean {
  const { start, steps } = definition.http;
  if ([start, ...Object.values(steps)].some(({ headersPassthrough }) => headersPassthrough.length > 0)) return true;
  return [...allStates(definition)].some(({ state }) => credentialOf(state)?.inRequest);
}

/** Rules that concern more than one state. */
function checkAcross(definition: Definition, main: ReadGraph, graphs: readonly ReadGraph[], spec: Place): void {
  const { subjourneys } = definition;
  const starts = scheduleStartPlaces(graphs);
  const guard = definition.access?.read.guardRef;
  checkReachability(graphs, new Set(starts.map(({ id }) => id)));
  checkBusyCycles(graphs, subjourneys);
  checkSteps(graphs, subjourneys);
  checkItems(graphs, subjourneys);
  checkSubjourneys(graphs, new Set(guard === undefined ? [] : [guard]));
  checkSchedules(main, starts, subjourneys);
  checkStops(graphs, starts);
  if (definition.kind === 'Api') checkEnds(graphs);
  else if (definition.lifecycle.startMode === 'sync') checkSyncStart(main, subjourneys);
  if (guard !== undefined) checkGuard(guard, spec.at('access').at('read').at('guardRef'), subjourneys);
  checkOutput(main, definition);
}

function checkSpecFields(spec: Place): void {
  if (spec.has('resources')) spec.at('resources').compat('C17', 'resources is no longer part of the language.');
  // A misspelt block would be ignored silently, so it is an error; other unknown blocks may be meant for other tools.
  spec.only(
    [...specFields, 'resources'],
    (key) => (nearestName(key, specFields) === undefined ? 'warning' : 'error'),
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

/** The subjourneys called from anywhere within `value`, directly or indirectly. */
function calledFrom(value: Json | undefined, subjourneys: JsonObject, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) calledFrom(item, subjourneys, found);
  if (!isObject(value)) return found;
  // A state names the subjourney that it calls in the block named after its type.
  const block = typeof value.type === 'string' ? own(value, value.type) : undefined;
  const ref = isObject(block) ? block.ref : undefined;
  if (typeof ref === 'string' && Object.hasOwn(subjourneys, ref) && !found.has(ref)) {
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
  ref.error(
    'GUARD_UNKNOWN',
    `There is no subjourney ${quoteName(ref.value)}.`,
    didYouMean(ref.value, reading.subjourneys),
  );
  return undefined;
}

function stepIds(graphs: readonly ReadGraph[]): Set<string> {
  const ids = new Set<string>();
  for (const { graph } of allGraphs(graphs))
    for (const [id, state] of Object.entries(graph.states)) if (isStep(state)) ids.add(id);
  return ids;
}
