import { given, isBlock } from '../../document/fields.js';
import type { Place } from '../../document/place.js';
import { compileExpression } from '../../expressions/index.js';
import { jsonBytes } from '../../json/size.js';
import type { Json } from '../../json/value.js';
import { readMappers } from '../../language/blocks/blocks.js';
import { readIdentity } from '../../language/blocks/document.js';
import { type JourneySource, type Loaded, loadDocument } from '../../language/load.js';
import { words } from '../../language/vocabulary.js';
import { checkUnusedMappers } from '../../reading/expressions.js';
import type { LoadOptions } from '../../reading/load-options.js';
import type { Reading } from '../../reading/reading.js';
import type { PipelineDefinition } from '../definition.js';
import { room } from '../room.js';
import { bindingsOf } from '../runs.js';
import { type HandlerReading, readConsumers, readProducers } from './handlers.js';
import type { Journeys } from './journeys.js';
import { readPolicy } from './policy.js';
import { checkSubscribed, readTopics } from './topics.js';

/** What reading a pipeline depends on: also the journeys that its handlers may be. */
export interface PipelineOptions extends LoadOptions {
  journeys: Journeys;
}

/** The blocks of `spec`. */
const specFields = ['topics', 'producers', 'consumers', 'policy', 'mappers'];

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
  const policy = readPolicy(spec.at('policy'));
  const topics = readTopics(spec.at('topics'));
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
  checkUnusedMappers(reading, everyBinding);
  const definition: PipelineDefinition = {
    kind: 'Pipeline',
    ...identity,
    ...given('description', description),
    topics,
    producers,
    consumers,
    policy,
    journeys: handlers.used,
  };
  checkRoom(root, definition);
  return definition;
}

/** Whether the pipeline fits into the room that there is. */
function checkRoom(root: Place, definition: PipelineDefinition): void {
  const states = [definition.producers, definition.consumers].flatMap((all) =>
    Object.values(all).map(({ state }) => state),
  );
  const carried = jsonBytes(states);
  if (carried > room.carried)
    root.error(
      'PIPELINE_TOO_LARGE',
      `The states of its handlers have ${carried} bytes; at most ${room.carried} are allowed.`,
    );
  const bytes = jsonBytes(definition as unknown as Json);
  if (bytes > room.definition)
    root.error(
      'PIPELINE_TOO_LARGE',
      `With its journeys it has ${bytes} bytes; at most ${room.definition} are allowed.`,
    );
}

/** What expressions are read with; a pipeline has no states, calls or configuration of its own. */
function readingOf(root: Place, spec: Place, options: PipelineOptions): Reading {
  return {
    kind: 'Journey',
    options,
    words: options.words ?? words,
    compile: options.compile ?? compileExpression,
    root,
    mappers: readMappers(spec),
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
