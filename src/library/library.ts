import type { Config } from '../config/config.js';
import { readCatalogue } from './api-documents.js';
import { type FileFinding, type LoadedJourney, readJourneys } from './journeys.js';

/** The journeys a process serves: of each name, the highest version. */
export interface JourneyLibrary {
  /** The `kind: Journey` of this name. */
  find(name: string): LoadedJourney | undefined;
  /** Names of all journeys. */
  names(): readonly string[];
  /** Every `kind: Api`. */
  apis(): readonly LoadedJourney[];
  /** What was wrong with the files; a journey with errors is not in the library. */
  readonly findings: readonly FileFinding[];
}

/** Reads the configured specs folder and OpenAPI catalogue. */
export async function readLibrary({
  specs,
  catalogue: folders,
  limits,
}: Pick<Config, 'specs' | 'catalogue'> & Partial<Pick<Config, 'limits'>>): Promise<JourneyLibrary> {
  const { catalogue, findings: apiFindings } = await readCatalogue(folders);
  const { byName, findings } = await readJourneys([specs], {
    catalogue,
    ...(limits && { minScheduleIntervalSec: limits.scheduleIntervalSec }),
  });
  const newest = [...byName.keys()].sort().map((name) => byName.get(name)![0]!);
  const journeys = newest.filter(({ definition }) => definition.kind === 'Journey');
  const apis = newest.filter(({ definition }) => definition.kind === 'Api');
  return {
    find: (name) => journeys.find(({ definition }) => definition.name === name),
    names: () => journeys.map(({ definition }) => definition.name),
    apis: () => apis,
    findings: [...apiFindings, ...findings],
  };
}
