import { jsonBytes } from '../base/json/size.js';
import type { Json, JsonObject } from '../base/json/value.js';
import { type Problem, ProblemError } from '../base/problems/problem.js';
import { validate } from '../json-schema/validate.js';
import { outcomeFields, responseFields } from './definition/response-fields-and-projection.js';
import { sizeProblem } from './payload-limits.js';
import type { Run, UncertainCall } from './run.js';
import { withField } from './update-context.js';

export type Phase = 'SUCCEEDED' | 'FAILED';
export type TerminationKind = 'Success' | 'Fail' | 'Timeout' | 'Cancel' | 'RuntimeError';

export interface JourneyError {
  code: string;
  reason: string;
  [member: string]: Json;
}

/** The end of a graph: of the whole journey, a branch or a subjourney. */
export interface End {
  phase: Phase;
  terminationKind: TerminationKind;
  output: Json;
  error: JourneyError | null;
  /** The final context, which a join merges and a scheduled run passes on to the next. */
  context: JsonObject;
}

/** The outcome of a run, as it is stored and shown. */
export interface Outcome extends Omit<End, 'context'> {
  /** The business status: `output.status` if there is one. */
  status: string;
  /** The top-level state the run ended in. */
  terminatedAtState: string;
  outcomeId?: string;
  tags: string[];
  attributes: JsonObject;
  /** Fields that `spec.output.response` adds when the outcome is shown. */
  projection?: JsonObject;
  /** Unsafe calls for which it is unknown whether, or how often, they happened. */
  uncertain?: UncertainCall[];
  /** The outcome of its compensation, or the id of the run that compensates. */
  compensation?: Compensation;
  /** Cookies returned to the caller. */
  cookies?: OutcomeCookies;
}

/** The final state of a cookie jar, sealed, and the cookies to return; all of them unless `include` is set. */
export interface OutcomeCookies {
  domains: string[];
  changes: string[];
  include?: { names: string[]; namePatterns: string[] };
}

/** A compensation in an outcome: a synchronous one is part of the run and has ended, an asynchronous one is a separate run. */
export type Compensation = { mode: 'sync'; phase: Phase; error?: JourneyError } | { mode: 'async'; journeyId: string };

/** The tag by which runs are found whose compensation failed, and compensations that failed. It is not among the tags that are shown. */
export const compensationFailedTag = 'journeyman:compensation-failed';

export const internalError = 'urn:journeyforge:error:internal';

/** The code by which failures are grouped: for an internal error, its cause. */
export function failureCode({ code, cause }: JourneyError): string {
  return code === internalError && typeof cause === 'string' ? cause : code;
}

export function success(output: Json, context: JsonObject): End {
  return { phase: 'SUCCEEDED', terminationKind: 'Success', output, error: null, context };
}

export function failure(kind: Exclude<TerminationKind, 'Success'>, error: JourneyError, context: JsonObject): End {
  return { phase: 'FAILED', terminationKind: kind, output: null, error, context };
}

/** A failure that does not come from a `fail` state, such as a failed expression or a scheduled run that reaches a step. */
const internalCauses = /^(DW|JSONATA|PREDICATE)_|^(SCHED_PATH_INTERACTIVE|PLUGIN_CRASHED)$/;

/**
 * The end of a graph after a state failed with a problem. Problems that must not happen in a journey become an internal error with the
 * problem's code as its cause; every other problem keeps its code.
 */
export function runtimeFailure(problem: Problem, state: string, context: JsonObject): End {
  const internal = internalCauses.test(problem.code);
  const error: JourneyError = {
    code: internal ? internalError : problem.code,
    reason: problem.detail ?? problem.title,
    state,
  };
  if (internal) error.cause = problem.code;
  // Types defined by the language are kept; ours are derived from the code.
  if (!problem.type.startsWith('urn:journeyman:')) error.type = problem.type;
  for (const key of ['line', 'column', 'pointer', 'hint'] as const) {
    const value = problem[key];
    if (typeof value === 'string' || typeof value === 'number') error[key] = value;
  }
  return failure('RuntimeError', error, context);
}

/** The business status of an end: `output.status`, else the phase or the error's code. */
export function statusOf(end: End): string {
  const output = end.output;
  if (typeof output === 'object' && output !== null && !Array.isArray(output) && Object.hasOwn(output, 'status')) {
    const status = output.status;
    if (typeof status === 'string' && status !== '') return status;
    if (typeof status === 'number' || typeof status === 'boolean') return String(status);
  }
  return end.error?.code ?? end.phase;
}

/** The outcome of a branch or subjourney as the graph around it sees it. */
export function innerOutcome(end: End): Json {
  return { phase: end.phase, terminationKind: end.terminationKind, output: end.output, error: end.error };
}

/** The outcome of an ended run. An outcome that is too large to store is replaced by a failure that reports it. */
export async function outcomeOf(run: Run, end: End): Promise<Outcome> {
  const { context, ...rest } = end;
  const { tags, attributes, root, uncertain } = run.position;
  const outcomeId = await classify(run, end);
  if (end.phase === 'SUCCEEDED') checkOutput(run, end.output);
  const response = run.definition.output?.response;
  const cookies = end.phase === 'SUCCEEDED' ? returned(run) : undefined;
  const bare: Outcome = {
    ...rest,
    status: statusOf(end),
    terminatedAtState: root.at,
    tags,
    attributes,
    ...(outcomeId !== undefined && { outcomeId }),
    ...(cookies && { cookies }),
    ...(uncertain && { uncertain }),
  };
  const shown = response && { projection: responseFields(context, response.outputVar, outcomeFields) };
  return fitting(run, end, { ...bare, ...shown }, bare);
}

/** Cookies returned to the caller of a successful run. */
function returned({ definition, position }: Run): OutcomeCookies | undefined {
  const { domains, returnToClient } = definition.cookies ?? {};
  const changes = position.cookies?.changes ?? [];
  if (!domains || !returnToClient || returnToClient.mode === 'none' || changes.length === 0) return undefined;
  const { mode, names, namePatterns } = returnToClient;
  return { domains, changes, ...(mode === 'filtered' && { include: { names, namePatterns } }) };
}

function fitting(run: Run, end: End, outcome: Outcome, bare: Outcome): Outcome | Promise<Outcome> {
  const most = run.host.maxPayloadBytes;
  const excess = most === undefined ? undefined : sizeProblem('The outcome', bytesOf(outcome), most);
  if (most === undefined || !excess) return outcome;
  // The error matters more than the optional fields of the outcome.
  if (end.phase === 'FAILED' && bytesOf(bare) <= most) return bare;
  return outcomeOf(run, runtimeFailure(excess, run.position.root.at, end.context));
}

/** Notes an output that does not match its schema. It is not rejected: the work is done, and the caller is waiting for the outcome. */
function checkOutput({ definition, host }: Run, output: Json): void {
  const schema = definition.output?.schema;
  if (schema === undefined || !host.note) return;
  const [first, ...more] = validate(schema, output);
  if (!first) return;
  const rest = more.length === 0 ? '' : `, and ${more.length} more`;
  host.note(`The output does not match its schema: ${first.pointer || 'it'} ${first.message}${rest}.`);
}

function bytesOf(outcome: Outcome): number {
  return jsonBytes(outcome as unknown as Json);
}

/** Returns the id of the first named outcome that matches, in document order. Does not change the outcome. */
async function classify(run: Run, outcome: End): Promise<string | undefined> {
  const error: Json = outcome.error;
  const { context } = outcome;
  // Authors expect `context.error` in predicates; a field of that name in the context takes precedence.
  const shown = Object.hasOwn(context, 'error') ? context : withField(context, 'error', error);
  const frame = { ...run.position.root, context: shown };
  for (const { id, phase, predicate } of run.definition.outcomes) {
    if (phase !== undefined && phase !== outcome.phase) continue;
    if (!predicate) return id;
    try {
      if ((await run.evaluate(predicate, 'outcome', frame, { output: outcome.output, error })) === true) return id;
    } catch (failed) {
      if (!(failed instanceof ProblemError)) throw failed;
    }
  }
  return undefined;
}
