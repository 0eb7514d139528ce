import type { Expression, State, Task } from '../definition/definition.js';
import type { TemplatePart } from '../definition/template.js';
import type { Place } from '../document/place.js';
import type { ObjectSchema } from '../document/schema-parts.js';
import type { Compiled } from '../expressions/expression.js';
import type { CallbackMention } from './callbacks.js';
import type { Compile, LoadOptions } from './load-options.js';
import type { Policies } from './policies.js';

/** An expression of `spec.mappers`. */
export interface NamedMapper {
  expression: Expression;
  place: Place;
  used: boolean;
}

/** Reads the states of one type; gives undefined when it understands too little of a state to go on. */
export interface StateReader {
  /** JSON Schema 2020-12 of the whole state. */
  readonly schema: ObjectSchema;
  read(state: Place, within: GraphReading, id: string): State | undefined;
}

/** Reads the tasks of one kind. */
export interface TaskReader {
  readonly kind: string;
  /** JSON Schema 2020-12 of the task block; what it does not name is an unknown field. */
  readonly schema: ObjectSchema;
  /** Other fields that the reader refuses itself, to say why. */
  readonly refuses?: readonly string[];
  /** Its tasks look at the request that the run works on, which is kept for them. */
  readonly looksAtRequests?: true;
  read(block: Place, within: GraphReading): Task | undefined;
}

/** The state types and task kinds that documents may use, by name. */
export interface Words {
  readonly states: ReadonlyMap<string, StateReader>;
  readonly tasks: ReadonlyMap<string, TaskReader>;
}

/** Something that reads the context: an expression, or a text with placeholders. */
export interface Use {
  /** Where its text stands; a named mapper has one place and many users. */
  place: Place;
  /** Who uses it: a place inside a state, or elsewhere. */
  user: Place;
  reads: Compiled | { parts: readonly TemplatePart[] };
}

/** What the parts of one document may need to know about each other while they are being read. */
export interface Reading {
  kind: 'Journey' | 'Api';
  options: LoadOptions;
  words: Words;
  compile: Compile;
  root: Place;
  mappers: ReadonlyMap<string, NamedMapper>;
  configKeys: ReadonlySet<string>;
  /** What is said about callback URLs, to be checked once all steps are known. */
  callbacks: CallbackMention[];
  /** What reads the context, for the rules about how data flows. */
  uses: Use[];
  topStates: ReadonlySet<string>;
  subjourneys: ReadonlySet<string>;
  apis: ReadonlyMap<string, string>;
  defaults: { timeoutMs?: number; headers: Record<string, string>; resiliencePolicyRef?: Place };
  policies: Policies;
}

/** A graph while it is being read, with the ids that its references may name. */
export interface GraphReading {
  reading: Reading;
  role: 'main' | 'branch' | 'subjourney' | 'compensation';
  /** What the graph is called in messages. */
  name: string;
  ids: ReadonlySet<string>;
  parent?: GraphReading;
  /** The bindings of this graph's expressions beyond the usual ones. */
  bindings: readonly string[];
  /** Set when a state or a reference could not be read: checking reachability would only report it again. */
  broken: boolean;
}
