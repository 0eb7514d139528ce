import type { Place } from '../../base/document/placed-value.js';
import type { ObjectSchema } from '../../base/document/schema-builders.js';
import type { Expression, State, Task } from '../../engine/definition/definition.js';
import type { TemplatePart } from '../../engine/definition/parse-template.js';
import type { CompiledExpression } from '../../expressions/expression-engine-interface.js';
import type { CallbackMention } from './check-callback-urls.js';
import type { Compile, LoadOptions } from './load-options.js';
import { noteImplied, noteRedundant } from './note-short-and-long-forms.js';
import type { Policies } from './read-call-policies.js';

/** An expression of the document, with the places of its text and of its language (or of its text again). */
export interface WrittenExpression {
  expression: Expression;
  text: Place;
  lang: Place;
}

/** An expression of `spec.mappers`. */
export interface NamedMapper extends WrittenExpression {
  used: boolean;
}

/** Reads the states of one type. Returns undefined if a state is too incomplete to continue. */
export interface StateReader {
  /** JSON Schema 2020-12 of the whole state. */
  readonly schema: ObjectSchema;
  readonly isExtension: boolean;
  readonly impliedBy: readonly string[];
  read(state: Place, within: GraphReading, id: string): State | undefined;
}

/** Reads the tasks of one kind. */
export interface TaskReader {
  readonly kind: string;
  /** JSON Schema 2020-12 of the task block; fields that it does not name are unknown. */
  readonly schema: ObjectSchema;
  /** Other fields that the reader reports itself, with a specific message. */
  readonly refuses?: readonly string[];
  /** True for a kind that the journey language does not have; `--strict` then rejects it (`TYPE_EXTENSION`). */
  readonly isExtension: boolean;
  /** Fields by which a task without `kind` is known to be of this kind. */
  readonly impliedBy?: readonly string[];
  read(block: Place, within: GraphReading): Task | undefined;
}

/**
 * Returns the reader of the state or task at `place`: by its field `key`, else by the only reader that one of its fields implies. Under `--strict`
 * the name is required, and one that the journey language does not have is reported.
 */
export function namedReader<R extends { isExtension: boolean; impliedBy?: readonly string[] }>(
  place: Place,
  key: 'type' | 'kind',
  readers: ReadonlyMap<string, R>,
): R | undefined {
  const implying = [...readers].filter(([, { impliedBy = [] }]) => impliedBy.some((field) => place.has(field)));
  const implied = implying.length === 1 ? implying[0]?.[0] : undefined;
  const name = place.has(key) ? place.at(key).value : implied;
  const reader = typeof name === 'string' ? readers.get(name) : undefined;
  if (reader === undefined) return undefined;
  if (!place.has(key)) noteImplied(place, key, implied!);
  else if (name === implied) noteRedundant(place, key);
  if (reader.isExtension && !place.report.compat) {
    const [at, spot] = place.has(key) ? [place.at(key), 'value' as const] : [place, 'key' as const];
    at.error('TYPE_EXTENSION', `The language has no ${name}.`, undefined, spot);
  }
  return reader;
}

/** The state types and task kinds that documents may use, by name. */
export interface DocumentVocabulary {
  readonly states: ReadonlyMap<string, StateReader>;
  readonly tasks: ReadonlyMap<string, TaskReader>;
}

/** An expression or a text with placeholders, which reads the context. */
export interface Use {
  /** The place of its text; a named mapper has one place and many users. */
  place: Place;
  /** The place that uses it, within a state or elsewhere. */
  user: Place;
  /** True where a boolean is required. */
  predicate?: boolean;
  reads: CompiledExpression | { parts: readonly TemplatePart[] };
}

/** An API of `spec.apis`, with a server that replaces those of its document. */
export interface DeclaredApi {
  openApiRef: string;
  server?: string;
}

/** State shared by the readers of one document. */
export interface Reading {
  kind: 'Journey' | 'Api';
  options: LoadOptions;
  words: DocumentVocabulary;
  compile: Compile;
  /** The language of expressions that name none. */
  lang: string;
  root: Place;
  mappers: ReadonlyMap<string, NamedMapper>;
  configKeys: ReadonlySet<string>;
  /** Mentions of callback URLs, to be checked once all steps are known. */
  callbacks: CallbackMention[];
  /** Every use of the context, for the data-flow rules. */
  uses: Use[];
  topStates: ReadonlySet<string>;
  subjourneys: ReadonlySet<string>;
  apis: ReadonlyMap<string, DeclaredApi>;
  defaults: { timeoutMs?: number; headers: Record<string, string>; resiliencePolicyRef?: Place };
  policies: Policies;
}

/** A graph while it is being read, with the ids that its references may name. */
export interface GraphReading {
  reading: Reading;
  role: 'main' | 'branch' | 'subjourney' | 'compensation';
  /** Name of the graph in messages. */
  name: string;
  ids: ReadonlySet<string>;
  parent?: GraphReading;
  /** Bindings of this graph's expressions besides the common ones. */
  bindings: readonly string[];
  /** Set when a state or a reference could not be read: checking reachability would only report it again. */
  broken: boolean;
}
