import { didYouMean } from '../base/document/did-you-mean.js';
import { lineColumnAt } from '../base/document/locate-pointer.js';
import { parseSource } from '../base/document/parse-yaml.js';
import { isSuppressed } from '../base/document/warning-suppressions.js';
import { allStates } from '../language/states/graph-traversal.js';
import { serviceCallOf } from '../language/states/state-queries.js';
import type { FileFinding } from './find-files.js';
import { type LoadedJourney, type LoadedJourneys, readJourneys } from './read-journeys.js';
import { type DocumentOptions, folderOf, isWithin } from './read-pipelines.js';

type Named = Pick<LoadedJourneys, 'byName' | 'broken'>;

/**
 * Warns of tasks that start a journey which is neither among `journeys`, which were read from these paths, nor in the folder of their document. A
 * document with errors counts as present.
 */
export async function checkStartedJourneys(
  paths: readonly string[],
  journeys: Named,
  { specs, ...options }: DocumentOptions = {},
): Promise<FileFinding[]> {
  const folders = new Map<string, Promise<Named>>();
  const findings: FileFinding[] = [];
  for (const document of [...journeys.byName.values()].flat()) {
    const started = startedBy(document);
    if (started.length === 0) continue;
    const folder = folderOf(document.file, specs);
    const isRead = paths.some((path) => isWithin(folder, path));
    if (!isRead && !folders.has(folder)) folders.set(folder, readJourneys([folder], options));
    const known = [journeys, await folders.get(folder)].filter((it) => it !== undefined);
    for (const { journey, pointer } of started) {
      const finding = faultOf(journey, known);
      if (!finding) continue;
      const { line, column } = lineColumnAt(parseSource(document.text, document.file), pointer);
      const placed: FileFinding = { file: document.file, ...finding, pointer, line, column };
      if (!isSuppressed(document.text, placed)) findings.push(placed);
    }
  }
  return findings;
}

/** The journeys that a document starts by name, with the places of the names. */
function startedBy({ definition }: LoadedJourney): { journey: string; pointer: string }[] {
  return [...allStates(definition)].flatMap(({ state, pointer }) => {
    const journey = serviceCallOf(state)?.journey;
    return journey === undefined ? [] : [{ journey, pointer: `${pointer}/task/journey` }];
  });
}

function faultOf(journey: string, known: readonly Named[]): Omit<FileFinding, 'file' | 'pointer'> | undefined {
  if (known.some(({ broken }) => broken.has(journey))) return undefined;
  const found = known.map(({ byName }) => byName.get(journey)?.[0]).find((it) => it !== undefined);
  if (found?.definition.kind === 'Journey') return undefined;
  const names = known.flatMap(({ byName }) => [...byName.keys()]);
  const hint = found ? 'Name a journey: an Api has no runs.' : didYouMean(journey, [...new Set(names)].sort());
  return {
    code: 'WORKFLOW_JOURNEY',
    severity: 'warning',
    message: found ? `${journey} is an Api.` : `There is no journey "${journey}".`,
    ...(hint !== undefined && { hint }),
  };
}
