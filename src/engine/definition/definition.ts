import type { Json } from '../../base/json/value.js';
import type { State } from '../../language/states/registry.js';

export type { State };

/**
 * A journey as the engine runs it: normalised, self-contained, immutable. Compatibility spellings, `mapperRef`, `operationRef`
 * and `spec.defaults` are already resolved, so there is one form of everything. It is plain JSON and travels in a run's input.
 */
export interface Definition extends Graph {
  kind: 'Journey' | 'Api';
  name: string;
  version: string;
  description?: string;
  tags: string[];
  subjourneys: Record<string, Subjourney>;
  /** The business key of its runs; absent if they have generated ids. */
  key?: RunKey;
  input?: { schema: Json };
  output?: { schema?: Json; response?: Projection };
  execution?: { maxDurationSec: number; onTimeout: { errorCode: string; reason: string } };
  compensation?: Compensation;
  lifecycle: { cancellable: boolean; startMode: 'sync' | 'async' };
  links: boolean;
  platformConfig: Record<string, ConfigKey>;
  metadata: MetadataBindings;
  outcomes: NamedOutcome[];
  http: HttpBinding;
  errors?: { envelope?: Expression };
  /** True if it has tasks that read the current request, or passes its headers on. */
  looksAtRequests?: true;
  access?: { read: { guardRef: string } };
  cookies?: Cookies;
}

/** A map of states with an entry: the journey itself, a branch, a subjourney, a compensation. Ids are local to it. */
export interface Graph {
  start: string;
  states: Record<string, State>;
}

/** A local graph called by `subjourney` states. Its schemas are a contract for readers and tools; nothing enforces them. */
export interface Subjourney extends Graph {
  input?: { schema: Json };
  output?: { schema: Json };
}

/** An expression and its language. A type, not an interface, so that it counts as plain JSON. */
export type Expression = { lang: string; expr: string };

/** A literal that may contain `${…}`, or an expression. */
export type Template = string;
export type TextSource = { text: Template } | { mapper: Expression };

/** The target of a mapper's result. */
export type Target =
  | { kind: 'root' }
  | { kind: 'path'; path: string[] }
  | { kind: 'var'; name: string }
  | { kind: 'attributes' };

/** Fields of `context.<outputVar>` that are merged into a response; without a variable, only their description. */
export interface Projection {
  outputVar?: string;
  schema?: Json;
}

export interface Compensation extends Graph {
  mode: 'sync' | 'async';
  /** Successful outcomes that are compensated too; a rule without a predicate matches every one. */
  alsoFor: { when?: Expression }[];
}

export interface ConfigKey {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'object';
  required: boolean;
  /** The value where the configuration has none. */
  default?: Json;
  description?: string;
}

export interface NamedOutcome {
  id: string;
  phase?: 'SUCCEEDED' | 'FAILED';
  predicate?: Expression;
}

/** The business key of a journey's runs, and the answer to a start whose key is taken. */
export interface RunKey {
  /** Computes the key from the input. */
  mapper: Expression;
  /** A start with the key of a running run returns that run, or is refused. */
  onExisting: 'attach' | 'reject';
  /** The key of an ended run is not used again. */
  once: boolean;
}

/** How a request to the fixed URL of a step finds its run. The expressions see `payload` and `request`. */
export interface Correlation {
  /** Computes the business key of the run. */
  key: Expression;
  /** Computes the id of the delivery, by which a repeated one is recognised. */
  dedupe?: Expression;
  /** Computes the input of the run that is started if none has the key. */
  input?: Expression;
}

/** Sources of a run's tags and attributes, read once at its start. */
export interface MetadataBindings {
  tags: MetadataSource[];
  attributes: (MetadataSource & { name: string })[];
}
export type MetadataSource =
  | { from: 'payload'; path: string[] }
  | { from: 'header'; header: string }
  | { from: 'baggage'; key: string };

/** Request data that HTTP copies into the context, for the start and for each step. */
export interface HttpBinding {
  route?: { path: string; method: 'POST' | 'GET' };
  start: InboundBinding;
  steps: Record<string, InboundBinding>;
  apiResponses?: { rules: ApiResponseRule[]; default?: { SUCCEEDED?: ApiStatus; FAILED?: ApiStatus } };
}
export interface InboundBinding {
  headersToContext: Record<string, string>;
  queryToContext: Record<string, string>;
  /** For an Api: parameters of its route's path, and the context fields they are written to. */
  pathToContext?: Record<string, string>;
  headersPassthrough: { from: string; to: string }[];
}
export type ApiStatus = { status: number } | { statusExpr: Expression };
export type ApiResponseRule = {
  phase?: 'SUCCEEDED' | 'FAILED';
  errorType?: string;
  predicate?: Expression;
} & ApiStatus;

/** The run's cookie jar, and which of its cookies are returned to the client. */
export interface Cookies {
  /** Patterns of domains: exact, or with a leading dot for subdomains. Absent: there is no jar. */
  domains?: string[];
  returnToClient?: { mode: 'none' | 'allFromAllowedDomains' | 'filtered'; names: string[]; namePatterns: string[] };
}

/** A task as its kind's reader normalised it; the fields beside `kind` are the kind's own (`src/language/tasks/<kind>/read.ts`). */
export interface Task {
  kind: string;
  /** The context variable that takes the result, for kinds that have one. */
  resultVar?: string;
  /** An unsafe call that may have taken effect is not made again. */
  onUncertain?: 'fail';
}
