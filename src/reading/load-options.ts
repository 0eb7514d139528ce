import type { Expression } from '../definition/definition.js';
import type { MetadataLimits } from '../definition/metadata-limits.js';
import type { Compiled, Site } from '../expressions/expression.js';
import type { ApiCatalogue } from './api-catalogue.js';
import type { Words } from './reading.js';

/** Compiles one expression, or throws a ProblemError with a place inside it. */
export type Compile = (expression: Expression, site: Site) => Compiled;

/** What a journey must know of a configured profile. */
export interface ProfileFacts {
  /** It does not say where the credential is, so its tasks must. */
  lacksSource: boolean;
}

export interface LoadOptions {
  /** OpenAPI documents for `operationRef`. Without one, every operationRef is an error. */
  catalogue?: ApiCatalogue;
  /** Accept the compatibility spellings with a warning (default), or refuse them. */
  compat?: boolean;
  /** The configured profiles per task kind, by name; where given, an unknown profile is an error. */
  profiles?: Readonly<Record<string, Readonly<Record<string, ProfileFacts>>>>;
  /** Shortest interval of a schedule, in seconds. */
  minScheduleIntervalSec?: number;
  /** Bounds of tags and attributes; those of the language when left out. */
  metadata?: MetadataLimits;
  /** The state types and task kinds that may be used; those of the language when left out. */
  words?: Words;
  /** Replaces the registered expression languages; for tests. */
  compile?: Compile;
}
