import type { Definition } from '../definition/definition.js';

/** A journey or an Api as the gateway serves it. */
export interface CatalogueEntry {
  readonly definition: Definition;
  /** Content hash of the definition. */
  readonly hash: string;
}

/** The documents that can be started now: of each name, the highest version. It may change while the gateway runs. */
export interface JourneyCatalogue {
  /** The `kind: Journey` of this name. */
  find(name: string): CatalogueEntry | undefined;
  /** Names of all journeys, for suggestions. */
  names(): readonly string[];
  /** Every `kind: Api`. */
  apis(): readonly CatalogueEntry[];
}
