import type { Json, JsonObject } from '../json/value.js';

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

export type State =
  | TaskState
  | ChoiceState
  | TransformState
  | WaitState
  | TimerState
  | ParallelState
  | SubjourneyState
  | SucceedState
  | FailState;

export interface TaskState {
  type: 'task';
  task: Task;
  next: string;
}

export interface ChoiceState {
  type: 'choice';
  choices: { when: Expression; next: string }[];
  default?: string;
}

export interface TransformState {
  type: 'transform';
  mapper: Expression;
  target: Target;
  next: string;
}

/** Where a mapper's result goes. */
export type Target =
  | { kind: 'root' }
  | { kind: 'path'; path: string[] }
  | { kind: 'var'; name: string }
  | { kind: 'attributes' };

/** `wait` and `webhook` differ in who submits, not in what happens. */
export interface WaitState {
  type: 'wait' | 'webhook';
  schema: Json;
  response?: Projection;
  timeout?: { sec: number; next: string };
  next: string;
}

/** Fields of `context.<outputVar>` merged into a response. */
export interface Projection {
  outputVar: string;
  schema?: Json;
}

export interface TimerState {
  type: 'timer';
  duration?: TextSource;
  until?: TextSource;
  next: string;
  /** How many times faster than life a computed sleep passes; set only where a scenario is played on a real server. */
  speed?: number;
}

export interface ParallelState {
  type: 'parallel';
  branches: Branch[];
  join: {
    strategy: 'allOf' | 'anyOf' | 'firstCompleted';
    errorPolicy: 'collectAll' | 'failFast' | 'ignoreErrors';
    mapper?: Expression;
    resultVar?: string;
  };
  /** Absent: the run (or the branch or subjourney it stands in) ends here. */
  next?: string;
}

export interface Branch extends Graph {
  name: string;
}

export interface SubjourneyState {
  type: 'subjourney';
  ref: string;
  input?: Expression;
  resultVar?: string;
  resultKind: 'output' | 'outcome';
  onFailure: 'propagate' | 'capture';
  next: string;
}

export interface SucceedState {
  type: 'succeed';
  outputVar?: string;
}

export interface FailState {
  type: 'fail';
  errorCode: string;
  reason: string;
}

export interface Compensation extends Graph {
  mode: 'sync' | 'async';
  /** Successful outcomes that are compensated too; a rule without a predicate matches every one. */
  alsoFor: { when?: Expression }[];
}

export interface ConfigKey {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'object';
  required: boolean;
  description?: string;
}

export interface NamedOutcome {
  id: string;
  phase?: 'SUCCEEDED' | 'FAILED';
  predicate?: Expression;
}

/** Where an instance's tags and attributes come from, once, at start. */
export interface MetadataBindings {
  tags: MetadataSource[];
  attributes: (MetadataSource & { name: string })[];
}
export type MetadataSource =
  | { from: 'payload'; path: string[] }
  | { from: 'header'; header: string }
  | { from: 'baggage'; key: string };

/** What the HTTP transport copies in, for the start and for each step. */
export interface HttpBinding {
  route?: { path: string; method: 'POST' };
  start: InboundBinding;
  steps: Record<string, InboundBinding>;
  apiResponses?: { rules: ApiResponseRule[]; default?: { SUCCEEDED?: ApiStatus; FAILED?: ApiStatus } };
}
export interface InboundBinding {
  headersToContext: Record<string, string>;
  queryToContext: Record<string, string>;
  headersPassthrough: { from: string; to: string }[];
}
export type ApiStatus = { status: number } | { statusExpr: Expression };
export type ApiResponseRule = {
  phase?: 'SUCCEEDED' | 'FAILED';
  errorType?: string;
  predicate?: Expression;
} & ApiStatus;

/** The run's cookie jar and what of it returns to the client. */
export interface Cookies {
  /** Patterns of domains: exact, or with a leading dot for subdomains. Absent: there is no jar. */
  domains?: string[];
  returnToClient?: { mode: 'none' | 'allFromAllowedDomains' | 'filtered'; names: string[]; namePatterns: string[] };
}

/** Task kinds are a registry (`src/tasks`); each owns the shape behind its `kind`. */
export type Task = HttpCallTask | PluginTask;

export interface HttpCallTask {
  kind: 'httpCall:v1';
  mode: 'requestResponse' | 'notify';
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute after interpolation. An operation's path keeps its `{name}` slots, filled (percent-encoded) from `path`. */
  url: Template;
  /** `<api>.<operationId>` where the call came from an operationRef; for summaries and scenario backends. */
  operation?: string;
  path: Record<string, Template>;
  query: Record<string, Template>;
  headers: Record<string, Template>;
  body?: { mapper: Expression } | { text: Template } | { json: Json };
  accept: string;
  timeoutMs: number;
  resultVar?: string;
  errorMapping?: { mapper: Expression; target: Target };
  retry?: RetryPolicy;
  authPolicy?: JsonObject;
  useJar?: boolean;
  /** Forces how the call runs; by default the method decides (design: how a task runs). */
  run?: 'local' | 'activity';
}

export interface RetryPolicy {
  maxAttempts: number;
  retryOn: ('NETWORK_ERROR' | 'HTTP_5XX' | 'HTTP_429')[];
  backoff: {
    kind: 'fixed' | 'exponential';
    baseDelayMs: number;
    maxDelayMs: number;
    multiplier: number;
    jitter: 'none' | 'full';
  };
}

/** Any other kind: known to the schema and validator, executed by its folder in `src/tasks`. */
export interface PluginTask {
  kind: Exclude<string, 'httpCall:v1'>;
  [field: string]: Json;
}
