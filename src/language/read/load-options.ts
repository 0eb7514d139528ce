import type { Forms } from '../../base/document/placed-value.js';
import type { Expression } from '../../engine/definition/definition.js';
import type { AllowedTasks } from '../../engine/definition/external-activity-types.js';
import type { MetadataLimits } from '../../engine/definition/metadata-limits.js';
import type { CompiledExpression, Site } from '../../expressions/expression-engine-interface.js';
import type { ApiCatalogue } from './api-catalogue.js';
import type { DocumentVocabulary } from './document-reading-state.js';

/** Compiles one expression. Throws a ProblemError with a position within the expression. */
export type Compile = (expression: Expression, site: Site) => CompiledExpression;

/** Facts about a configured profile that affect whether a journey is valid. */
export interface ProfileFacts {
  /** The profile does not specify the location of the credential, so its tasks must. */
  lacksSource: boolean;
}

export interface LoadOptions {
  /** OpenAPI documents for `operationRef`. Without one, every operationRef is an error. */
  catalogue?: ApiCatalogue;
  /** Whether compatibility spellings are accepted with a warning (default) or refused. */
  compat?: boolean;
  /** The configured profiles per task kind, by name. If set, an unknown profile is an error. */
  profiles?: Readonly<Record<string, Readonly<Record<string, ProfileFacts>>>>;
  /** Types on task queues of others that the configuration allows. If set, any other is an error. */
  tasks?: AllowedTasks;
  /** Shortest interval of a schedule, in seconds. */
  minScheduleIntervalSec?: number;
  /** Sleep of a pipeline's consumer that reserved nothing, in seconds; five minutes when left out. */
  backoffSec?: number;
  /** Bounds of tags and attributes; those of the language when left out. */
  metadata?: MetadataLimits;
  /** The state types and task kinds that may be used; those of the language when left out. */
  words?: DocumentVocabulary;
  /** Collects the parts of the document that can be written in another form. */
  forms?: Forms;
  /** Replaces the registered expression languages; for tests. */
  compile?: Compile;
}
