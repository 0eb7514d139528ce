import { access, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { parseSource } from '../base/document/parse-yaml.js';
import type { Definition } from '../engine/definition/definition.js';
import { type FileFinding, readJourney } from '../library/read-journeys.js';
import type { DocumentOptions } from '../library/read-pipelines.js';
import { type LoadedPipelineScenario, loadPipelineScenarios } from './pipelines/load-pipeline-scenarios.js';
import { checkScenario } from './read/check-names-against-journey.js';
import { readProfiles } from './read/read-auth-profiles.js';
import { readScenarios, type ScenarioFile } from './read/read-scenario-file.js';
import type { Scenario } from './scenario.js';

/** A scenario that can be run, with the journey it is about. */
export interface LoadedScenario {
  file: string;
  definition: Definition;
  /** The file of the journey. */
  journeyFile: string;
  scenario: Scenario;
}

/** The scenarios of several files, and the findings of the files. A file with errors has no scenarios. */
export interface LoadedScenarios {
  scenarios: LoadedScenario[];
  pipelines: LoadedPipelineScenario[];
  findings: FileFinding[];
  /** Each scenario file with its document, if one is known. */
  about: Map<string, string | undefined>;
}

export const scenarioFile = /\.scenario\.(ya?ml|json)$/i;
const documentFile = /\.(journey|pipeline)\.(ya?ml|json)$/i;

/** Reads the scenarios of files and folders, each with its journey. */
export async function loadScenarios(paths: readonly string[], options: DocumentOptions = {}): Promise<LoadedScenarios> {
  const loaded: LoadedScenarios = { scenarios: [], pipelines: [], findings: [], about: new Map() };
  const journeys: ReadJourneys = new Map();
  const files = new Set<string>();
  for (const path of paths) {
    try {
      const found = await scenarioFiles(path);
      if (found.length === 0 && documentFile.test(path)) loaded.findings.push(noneBeside(path));
      for (const file of found) files.add(file);
    } catch (error) {
      loaded.findings.push(fault(path, 'SCENARIO_FILE', whyNot(error as Error)));
    }
  }
  for (const file of files) await loadFile(file, { ...options, journeys }, loaded);
  return loaded;
}

/** Reads a journey once, even if several files are about it. */
type ReadJourneys = Map<string, ReturnType<typeof readJourney>>;
type FileOptions = DocumentOptions & { journeys: ReadJourneys };

/** The scenario files at a path: the file itself, those in a folder, or those beside a journey or pipeline with the same name. */
export async function scenarioFiles(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return documentFile.test(path) ? await namedAfter(path) : [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && scenarioFile.test(entry.name))
    .filter((entry) => !entry.parentPath.split(sep).includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The journeys and pipelines of this name in a folder: documents are named like their files. */
export async function documentsNamed(name: string, folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  return entries
    .filter((it) => documentFile.test(it) && nameOf(it) === name && !it.split(sep).includes('node_modules'))
    .map((it) => join(folder, it));
}

async function namedAfter(document: string): Promise<string[]> {
  const beside = await readdir(dirname(document));
  return beside
    .filter((it) => scenarioFile.test(it) && subjectsOf(it).includes(nameOf(document)))
    .map((it) => join(dirname(document), it))
    .sort();
}

function nameOf(document: string): string {
  return basename(document).replace(documentFile, '');
}

function noneBeside(document: string): FileFinding {
  const hint = `Write ${nameOf(document)}.scenario.yaml, or pass its scenario file if it has another name.`;
  return fault(document, 'SCENARIO_FILE', 'There is no scenario file with the same name beside it.', hint);
}

async function loadFile(file: string, options: FileOptions, loaded: LoadedScenarios): Promise<void> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    loaded.findings.push(fault(file, 'SCENARIO_FILE', whyNot(error as Error)));
    return;
  }
  const source = parseSource(text, file);
  const about = await loadPipelineScenarios(file, source, options);
  loaded.about.set(file, about?.path);
  if (about) {
    loaded.pipelines.push(...about.scenarios);
    loaded.findings.push(...about.findings);
    return;
  }
  const read = readScenarios(source, file, readProfiles);
  const journeyFile = await journeyPath(file, read);
  loaded.about.set(file, journeyFile);
  const definition = await journeyOf(file, journeyFile, options, loaded.findings);
  if (definition) {
    if (read.shared) checkScenario(read.shared, definition);
    for (const { place } of read.scenarios) checkScenario(place, definition);
  }
  const inOrder = read.findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  loaded.findings.push(...inOrder.map((finding) => ({ file, ...finding })));
  if (!definition || read.findings.some(({ severity }) => severity === 'error')) return;
  for (const { scenario } of read.scenarios)
    loaded.scenarios.push({ file, definition, journeyFile: journeyFile!, scenario });
}

async function journeyOf(
  file: string,
  path: string | undefined,
  { journeys, ...options }: FileOptions,
  findings: FileFinding[],
): Promise<Definition | undefined> {
  if (path === undefined) {
    const message = `There is no journey beside it: ${journeyNames(file).join(' or ')}.`;
    findings.push(
      fault(
        file,
        'SCENARIO_JOURNEY',
        message,
        'Name it with journey: <path> or pipeline: <path>, relative to this file.',
      ),
    );
    return undefined;
  }
  const first = !journeys.has(path);
  if (first) journeys.set(path, readJourney(path, options));
  const { journey, findings: found } = await journeys.get(path)!;
  if (first) findings.push(...found.filter(({ severity }) => severity === 'error'));
  return journey?.definition;
}

async function journeyPath(file: string, { journey }: ScenarioFile): Promise<string | undefined> {
  if (journey) return resolve(dirname(file), journey.path);
  for (const name of journeyNames(file)) {
    const path = join(dirname(file), name);
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}

/** `checkout.scenario.yaml` and `checkout.refunds.scenario.yaml` are about `checkout`. */
function subjectsOf(file: string): string[] {
  const name = basename(file).replace(scenarioFile, '');
  return name.includes('.') ? [name, name.slice(0, name.indexOf('.'))] : [name];
}

function journeyNames(file: string): string[] {
  return subjectsOf(file).flatMap((it) => ['yaml', 'yml', 'json'].map((extension) => `${it}.journey.${extension}`));
}

function fault(file: string, code: string, message: string, hint?: string): FileFinding {
  return {
    file,
    code,
    severity: 'error',
    pointer: '',
    message,
    line: 1,
    column: 1,
    ...(hint !== undefined && { hint }),
  };
}

function whyNot({ message }: Error): string {
  return message.startsWith('ENOENT') ? 'The file does not exist.' : `The file cannot be read: ${message}.`;
}
