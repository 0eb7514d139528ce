import { resolve } from 'node:path';
import { projectConfig } from '../../config/load-config.js';
import type { Definition } from '../../engine/definition/definition.js';
import { graphFormats } from '../../graph/drawing-formats.js';
import { journeyDiagram } from '../../graph/journey-diagram.js';
import { pipelineDiagram } from '../../graph/pipeline-diagram.js';
import { costOf } from '../../language/analysis/cost/estimate-cost.js';
import { load as loadText } from '../../language/load-journey.js';
import { checkStartedJourneys } from '../../library/check-started-journeys.js';
import type { LoadedDocument } from '../../library/read-document-file.js';
import { readJourneys } from '../../library/read-journeys.js';
import { configuredChecks, readReferences } from '../../library/read-library.js';
import { readPipelines } from '../../library/read-pipelines.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import type { ProjectOptions } from './project.js';

export type { ProjectOptions };

/** A valid document: `graph` and `cost` accept it. */
export interface JourneyDocument {
  readonly kind: 'Journey' | 'Api' | 'Pipeline';
  readonly name: string;
  readonly version: string;
  readonly file: string;
  /** Hash of its content. */
  readonly hash: string;
}

/** A finding of `journeyman validate`. */
export interface DocumentFinding {
  /** A stable code, listed in docs/errors.md. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** JSON pointer of its place in the document. */
  readonly pointer: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly hint?: string;
}

/** Documents of some files, and the findings of all of them. A file with errors has no document. */
export interface LoadedDocuments {
  readonly documents: readonly JourneyDocument[];
  readonly findings: readonly DocumentFinding[];
  /** True if no finding is an error. */
  readonly valid: boolean;
}

/** Options of loading. */
export interface LoadDocumentsOptions extends ProjectOptions {
  /** Reject compatibility spellings and extensions, as `validate --strict` does. */
  readonly strict?: boolean;
}

/** The formats of drawings; `json` is the layout. */
export type DrawingFormat = 'mermaid' | 'dot' | 'svg' | 'json';

/** The definitions behind the documents. */
const definitions = new WeakMap<JourneyDocument, Definition | PipelineDefinition>();

/** Loads journeys, Apis and pipelines from files and folders, relative to the project; by default all of its specs. */
async function loadDocuments(
  paths: string | readonly string[] = [],
  options: LoadDocumentsOptions = {},
): Promise<LoadedDocuments> {
  const { config, checks, folder } = await context(options);
  const given = [paths].flat().map((path) => resolve(folder, path));
  const wanted = given.length > 0 ? given : [config.specs];
  const { references, findings } = checks;
  const journeys = await readJourneys(wanted, references);
  const others = { ...references, specs: config.specs };
  const pipelines = await readPipelines(wanted, journeys, others);
  const started = await checkStartedJourneys(wanted, journeys, others);
  const all = [...findings, ...journeys.findings, ...started, ...pipelines.findings];
  return {
    documents: [...[...journeys.byName.values()].flat(), ...pipelines.pipelines].map(documentOf),
    findings: all,
    valid: isValid(all),
  };
}

/** Checks the text of one journey or Api, for editors and other tools. References are those of the project. */
async function validateText(
  text: string,
  options: LoadDocumentsOptions = {},
): Promise<Pick<LoadedDocuments, 'findings' | 'valid'>> {
  const { checks } = await context(options);
  const { findings } = loadText({ text }, checks.references);
  return { findings, valid: isValid(findings) };
}

/** Draws a document. */
export function graph(document: JourneyDocument, format: DrawingFormat = 'mermaid'): string {
  const definition = definitionOf(document);
  const diagram = definition.kind === 'Pipeline' ? pipelineDiagram(definition) : journeyDiagram(definition);
  return graphFormats[format](diagram);
}

/** Counts of what a run leaves in Temporal. */
export interface CostCounts {
  readonly events: number;
  readonly activities: number;
  readonly localActivities: number;
  readonly calls: number;
  readonly timers: number;
  readonly steps: number;
}

/** Lower and upper bound of a cost. */
export interface CostBounds {
  readonly least: CostCounts;
  readonly most: CostCounts;
}

/** The estimated cost of a journey's runs, as `journeyman cost --json` prints it. */
export interface CostEstimate {
  readonly name: string;
  readonly version: string;
  readonly kind: 'Journey' | 'Api';
  readonly definitionBytes: number;
  readonly paths: readonly {
    readonly states: readonly string[];
    /** Set for the path of a run that a schedule starts. */
    readonly scheduled?: true;
    readonly cost: CostBounds;
    readonly bytes: { readonly least: number; readonly most: number };
  }[];
  /** Set if there are more paths. */
  readonly more?: true;
  readonly loops: readonly { readonly states: readonly string[]; readonly perRound: CostBounds }[];
  readonly maps: readonly { readonly state: string; readonly perItem: CostBounds }[];
  readonly compensation?: CostBounds;
}

/** Estimates the cost of a journey's runs from its graph. Pipelines have no estimate. */
export function cost(document: JourneyDocument): CostEstimate {
  const definition = definitionOf(document);
  if (definition.kind === 'Pipeline')
    throw new TypeError(`${definition.name} is a pipeline; only journeys have a cost.`);
  return costOf(definition);
}

export { loadDocuments as load, validateText as validate };

async function context({ strict, ...project }: LoadDocumentsOptions) {
  const config = projectConfig(project);
  const { references, findings } = await readReferences(config);
  const checks = { references: { ...references, ...configuredChecks(config), compat: strict !== true }, findings };
  return { config, checks, folder: resolve(project.folder ?? '.') };
}

function documentOf({ definition, file, hash }: LoadedDocument<Definition | PipelineDefinition>): JourneyDocument {
  const { kind, name, version } = definition;
  const document: JourneyDocument = { kind, name, version, file, hash };
  definitions.set(document, definition);
  return document;
}

function definitionOf(document: JourneyDocument): Definition | PipelineDefinition {
  const definition = definitions.get(document);
  if (!definition) throw new TypeError('The document was not returned by `load`.');
  return definition;
}

function isValid(findings: readonly DocumentFinding[]): boolean {
  return findings.every(({ severity }) => severity !== 'error');
}
