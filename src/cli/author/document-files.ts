import { existsSync } from 'node:fs';
import { didYouMean } from '../../base/document/did-you-mean.js';
import { refuse } from '../../base/problems/problem.js';
import type { LoadOptions } from '../../language/load-journey.js';
import { readJourneys } from '../../library/read-journeys.js';
import { readPipelines } from '../../library/read-pipelines.js';
import { printFindings } from './print-findings.js';

/**
 * Resolves the arguments of a command: files and folders as they are, and a name as the file of that journey in the configured folder, in its highest
 * version. `pipelines` admits the names of pipelines too.
 */
export async function documentFiles(
  wanted: readonly string[],
  { specs }: { readonly specs: string },
  options: LoadOptions,
  { pipelines = false } = {},
): Promise<string[]> {
  if (wanted.every((it) => existsSync(it))) return [...wanted];
  const journeys = await readJourneys([specs], options);
  const others = pipelines ? await readPipelines([specs], journeys, { ...options, specs }) : undefined;
  const named = [...[...journeys.byName.values()].map(([newest]) => newest!), ...(others?.pipelines ?? [])];
  return wanted.flatMap((it) => {
    if (existsSync(it)) return it;
    const found = named.filter(({ definition }) => definition.name === it);
    if (found.length > 0) return found.map(({ file }) => file);
    printFindings({ findings: [...journeys.findings, ...(others?.findings ?? [])] });
    const hint = didYouMean(
      it,
      named.map(({ definition }) => definition.name),
    );
    return refuse('JOURNEY_UNKNOWN', `There is no valid journey "${it}" in ${specs}, and no such file.`, {
      ...(hint !== undefined && { hint }),
    });
  });
}
