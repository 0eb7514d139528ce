import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { sourceFindings } from '../../base/document/locate-pointer.js';
import type { Source } from '../../base/document/parse-yaml.js';
import { Place } from '../../base/document/placed-value.js';
import type { FileFinding } from '../../library/find-files.js';
import { type DocumentOptions, readPipelines } from '../../library/read-pipelines.js';
import type { PipelineDefinition } from '../../pipelines/definition.js';
import { dropRepeats } from '../read/read-scenario-file.js';
import type { PipelineScenario } from './pipeline-scenario.js';
import { readPipelineScenarios } from './read-pipeline-scenarios-and-schema.js';

/** A scenario of a pipeline, with the pipeline it is about. */
export interface LoadedPipelineScenario {
  file: string;
  pipeline: PipelineDefinition;
  scenario: PipelineScenario;
}

/** The scenarios of a file that tests a pipeline; undefined if it tests a journey. */
export async function loadPipelineScenarios(
  file: string,
  source: Source,
  options: DocumentOptions,
): Promise<{ path: string; scenarios: LoadedPipelineScenario[]; findings: FileFinding[] } | undefined> {
  const findings = sourceFindings(source);
  if (source.value === undefined) return undefined;
  const root = new Place({ source, findings, compat: true }, '', source.value);
  const path = pipelinePath(file, root);
  if (path === undefined) return undefined;
  const read = await readPipelines([path], { byName: new Map() }, options);
  const errors = read.findings.filter(({ severity }) => severity === 'error');
  const pipeline = read.pipelines[0]?.definition;
  if (!pipeline) return { path, scenarios: [], findings: errors };
  const scenarios = readPipelineScenarios(root, pipeline);
  dropRepeats(findings);
  findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  const placed = findings.map((finding) => ({ file, ...finding }));
  return {
    path,
    scenarios: placed.length > 0 ? [] : scenarios.map((scenario) => ({ file, pipeline, scenario })),
    findings: placed,
  };
}

/** The pipeline named with `pipeline:`, or the one with the same name beside the scenarios: `inbox.scenario.yaml` tests `inbox.pipeline.yaml`. */
function pipelinePath(file: string, root: Place): string | undefined {
  const given = root.at('pipeline').value;
  if (typeof given === 'string') return resolve(dirname(file), given);
  if (root.has('journey')) return undefined;
  const name = basename(file).replace(/\.scenario\.(ya?ml|json)$/i, '');
  const beside = (kind: string) =>
    ['yaml', 'yml', 'json'].map((ending) => join(dirname(file), `${name}.${kind}.${ending}`)).find(existsSync);
  return beside('journey') === undefined ? beside('pipeline') : undefined;
}
