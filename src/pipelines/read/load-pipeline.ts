import type { Place } from '../../base/document/placed-value.js';
import { ifDefined, integer, isBlock, optionalBoolean, optionalOneOf } from '../../base/document/read-fields.js';
import { jsonBytes } from '../../base/json/size.js';
import type { Json } from '../../base/json/value.js';
import { compileExpression } from '../../expressions/index.js';
import { readIdentity } from '../../language/blocks/read-kind-and-metadata.js';
import { readMappers } from '../../language/blocks/read-mappers-outcomes-and-errors.js';
import { type JourneySource, type Loaded, loadDocument } from '../../language/load-journey.js';
import type { Reading } from '../../language/read/document-reading-state.js';
import type { LoadOptions } from '../../language/read/load-options.js';
import { readDefaultLang } from '../../language/read/note-short-and-long-forms.js';
import { checkUnusedMappers } from '../../language/read/read-expressions-and-mappers.js';
import { documentVocabulary } from '../../language/state-types-and-task-kinds.js';
import { defaultPolicy, type PipelineDefinition, type Policy } from '../definition.js';
import { bindingsOf } from '../reserve-events-and-begin-run.js';
import { stateLimits } from '../state-limits.js';
import { type HandlerReading, type Journeys, readConsumers, readProducers } from './read-producers-and-consumers.js';
import { checkCorrelated, checkSubscribed, readTopics } from './read-topics.js';

const code = 'PIPELINE_POLICY';

/** Counts, with the bounds that keep a pipeline within its limits. */
const counts = {
  maxEventsPerTopic: { of: 'topicEvents', least: 1, most: 10_000 },
  maxPayloadBytes: { of: 'payloadBytes', least: 1, most: 262_144 },
  window: { of: 'window', least: 1, most: 10_000 },
  history: { of: 'runs', least: 1, most: 200 },
} as const;

/** `spec.policy`. */
function readPolicy(place: Place, backoffSec: number | undefined): Policy {
  const policy: Policy = { ...defaultPolicy, ...(backoffSec !== undefined && { backoffMs: backoffSec * 1000 }) };
  if (!isBlock(place, code, 'policy')) return policy;
  place.only(['producerBusy', 'wakeHints', ...Object.keys(counts)], 'error', (key) =>
    key === 'backoffTimeout' ? 'It is set by the operator: limits.backoffSec in the configuration.' : undefined,
  );
  policy.producerBusy =
    optionalOneOf(place.at('producerBusy'), ['skip', 'queue'], code, 'producerBusy') ?? policy.producerBusy;
  policy.wakeHints = optionalBoolean(place.at('wakeHints'), code, 'wakeHints') ?? policy.wakeHints;
  for (const [name, { of, least, most }] of Object.entries(counts)) {
    const at = place.at(name);
    const value = at.value === undefined ? undefined : integer(at, code, name, least);
    if (value === undefined) continue;
    if (value > most) at.error(code, `${name} is ${value}; at most ${most} is allowed.`);
    else policy[of] = value;
  }
  return policy;
}

/** Options for reading a pipeline, with the journeys that its handlers may run. */
export interface PipelineOptions extends LoadOptions {
  journeys: Journeys;
}

/** The blocks of `spec`. */
const specFields = ['topics', 'producers', 'consumers', 'policy', 'mappers', 'defaults'];

const everyBinding = Object.values(bindingsOf).flat();

/** Reads a pipeline: parses it, checks it and its use of journeys, and normalises it. Pure and total: it never throws. */
export function loadPipeline(source: JourneySource, options: PipelineOptions): Loaded<PipelineDefinition> {
  return loadDocument(source, options, (root) => readPipeline(root, options));
}

function readPipeline(root: Place, options: PipelineOptions): PipelineDefinition | undefined {
  if (!isBlock(root, 'DOC_PARSE', 'A pipeline')) return undefined;
  root.only(['apiVersion', 'kind', 'metadata', 'spec']);
  const kind = root.at('kind');
  if (root.at('apiVersion').value !== 'v1') root.at('apiVersion').error('DOC_API_VERSION', 'apiVersion must be v1.');
  if (kind.value !== 'Pipeline') {
    kind.error('PIPELINE_KIND', 'A file with this name must hold a pipeline.');
    return undefined;
  }
  if (!root.report.compat) kind.error('PIPELINE_EXTENSION', 'The language has no pipelines.');
  const { description, ...identity } = readIdentity(root, options);
  const spec = root.at('spec');
  if (!isBlock(spec, 'FIELD_TYPE', 'spec')) {
    if (spec.value === undefined) root.error('FIELD_REQUIRED', 'The document needs a spec.', undefined, 'key');
    return undefined;
  }
  spec.only(specFields);
  const reading = readingOf(root, spec, options);
  const policy = readPolicy(spec.at('policy'), options.backoffSec);
  const topics = readTopics(spec.at('topics'), reading);
  const handlers: HandlerReading = { reading, topics, journeys: options.journeys, used: Object.create(null) };
  const producers = readProducers(spec.at('producers'), handlers, options);
  const consumers = readConsumers(
    spec.at('consumers'),
    handlers,
    new Set(Object.keys(spec.at('producers').object ?? {})),
  );
  if (!spec.has('producers') && !spec.has('consumers'))
    spec.error('PIPELINE_EMPTY', 'The pipeline has neither producers nor consumers.', undefined, 'key');
  checkSubscribed(spec.at('topics'), spec.at('consumers'));
  checkCorrelated(spec.at('topics'), topics, consumers);
  checkUnusedMappers(reading, everyBinding);
  const definition: PipelineDefinition = {
    kind: 'Pipeline',
    ...identity,
    ...ifDefined('description', description),
    topics,
    producers,
    consumers,
    policy,
    journeys: handlers.used,
  };
  checkSize(root, definition);
  return definition;
}

/** Checks the size of the pipeline. */
function checkSize(root: Place, definition: PipelineDefinition): void {
  const states = [definition.producers, definition.consumers].flatMap((all) =>
    Object.values(all).map(({ state }) => state),
  );
  const carried = jsonBytes(states);
  if (carried > stateLimits.carried)
    root.error(
      'PIPELINE_TOO_LARGE',
      `The states of its handlers have ${carried} bytes; at most ${stateLimits.carried} are allowed.`,
    );
  const bytes = jsonBytes(definition as unknown as Json);
  if (bytes > stateLimits.definition)
    root.error(
      'PIPELINE_TOO_LARGE',
      `With its journeys it has ${bytes} bytes; at most ${stateLimits.definition} are allowed.`,
    );
}

/** The context for reading expressions; a pipeline has no states, calls or configuration of its own. */
function readingOf(root: Place, spec: Place, options: PipelineOptions): Reading {
  const defaults = spec.at('defaults');
  if (isBlock(defaults, 'FIELD_TYPE', 'defaults')) defaults.only(['lang']);
  const lang = readDefaultLang(defaults.at('lang'));
  return {
    kind: 'Journey',
    options,
    words: options.words ?? documentVocabulary,
    compile: options.compile ?? compileExpression,
    root,
    lang,
    mappers: readMappers(spec, lang),
    configKeys: new Set(),
    callbacks: [],
    uses: [],
    topStates: new Set(),
    subjourneys: new Set(),
    apis: new Map(),
    defaults: { headers: {} },
    policies: { retry: new Map(), retryDefault: undefined, auth: new Map() },
  };
}
