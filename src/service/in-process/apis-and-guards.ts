import { randomUUID } from 'node:crypto';
import { percentEncoded } from '../../base/json/percent-encode.js';
import type { Json, JsonObject } from '../../base/json/value.js';
import { ProblemError, problemJson, refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { defaultCalls } from '../../engine/budgets.js';
import { compensate, type DueCompensation, dueCompensation } from '../../engine/compensation.js';
import type { ApiStatus, Definition } from '../../engine/definition/definition.js';
import { withinDuration } from '../../engine/definition/duration-limits.js';
import { evaluateReadGuard, type GuardedRun } from '../../engine/evaluate-read-guard.js';
import type { Frame, RequestRef } from '../../engine/frame.js';
import type { Effect, Host } from '../../engine/host.js';
import { type LocalEnvironment, LocalScope, type StopSignal } from '../../engine/local-cancellation-scope.js';
import { type End, runtimeFailure } from '../../engine/outcome.js';
import { Run, startPosition } from '../../engine/run.js';
import type { Vocabulary } from '../../engine/runner-interfaces.js';
import { type EndedSpan, runSpan } from '../../engine/trace-context-and-run-spans.js';
import type { Limits } from '../../expressions/expression-engine-interface.js';
import { vocabulary } from '../../language/state-types-and-task-kinds.js';
import { publicSpan } from '../../language/states/error-code-for-telemetry.js';
import { type EffectCall, type Effects, effectOf } from '../../language/tasks/effect-interface.js';
import type { ReadGuards } from '../access.js';
import type { ApiAnswer, ApiRequest, Apis } from '../apis-interface.js';
import { forwardedHeaders, type InboundRequest } from '../inbound-request.js';
import type { SetCookies } from '../runs-interface.js';
import type { Tracer } from '../tracer-interface.js';

export interface ApisOptions {
  readonly words?: Vocabulary;
  /** Called with messages for the operator. */
  readonly onTrouble?: (text: string) => void;
  /** Selects the cookies that are returned to the caller. */
  readonly setCookies?: SetCookies;
  /** Records the span of each run. */
  readonly tracer?: Tracer | undefined;
}

/** Runs `kind: Api` in this process with the same interpreter, without id or history. */
export class InProcessApis implements Apis {
  private readonly compensations = new Set<Promise<void>>();

  constructor(
    private readonly config: Config,
    /** The effects that Apis can use; fewer than in a worker. */
    private readonly effects: Effects,
    private readonly more: ApisOptions = {},
  ) {}

  async call(document: Definition, request: ApiRequest): Promise<ApiAnswer> {
    const { config } = this;
    const definition = withinDuration(document, config.limits.duration);
    const headers = forwardedHeaders(definition.http.start, request);
    const perform = effectPerformer(this.effects, { request, headers });
    const { tracer } = this.more;
    const spanEnded = tracer && ((span: EndedSpan) => tracer.ended(publicSpan(definition, span)));
    const newHost = () => inProcessHost(perform, config.limits.expression, config.platform.timezone, spanEnded);
    const host = newHost();
    const info = {
      id: randomUUID(),
      startedAt: Date.now(),
      environment: config.platform.environment,
      config: request.config,
      ...(request.headers.traceparent !== undefined && { traceparent: request.headers.traceparent }),
      ...(request.trace && { trace: request.trace }),
    };
    const position = startPosition(definition, request.body, info.startedAt, undefined, undefined, requestAtHand);
    const run = new Run(definition, info, position, host, this.more.words ?? vocabulary);
    request.signal.addEventListener('abort', () => host.scope.interrupt('cancel'));
    const result = await run.execute();
    if ('continueAt' in result) throw new Error('an Api never continues as new');
    const { outcome, context } = result;
    spanEnded?.(runSpan(run, outcome));
    const due = await dueCompensation(run, outcome, context, null);
    const compensation = due && (() => this.compensate(run, due, newHost()));
    if (due?.mode === 'sync') await compensation?.();
    const told = await answerOf(run, { ...outcome, context }, request.requestId);
    const cookies = (await this.more.setCookies?.(outcome)) ?? [];
    const answer = cookies.length === 0 ? told : { ...told, headers: { ...told.headers, 'set-cookie': cookies } };
    return compensation && due?.mode === 'async' ? { ...answer, after: () => void compensation() } : answer;
  }

  /** Waits for asynchronous compensations. */
  async settled(): Promise<void> {
    await Promise.all(this.compensations);
  }

  /** Runs a compensation; its failure is only logged. */
  private compensate(run: Run, due: DueCompensation, host: Host): Promise<void> {
    const { name, version } = run.definition;
    const work = compensate(due, run, host, this.config.limits.duration)
      .then(({ error }) => {
        if (error)
          this.more.onTrouble?.(`The compensation of ${name} ${version} failed: ${error.code}: ${error.reason}`);
      })
      .catch((error) => this.more.onTrouble?.(`The compensation of ${name} ${version} was lost: ${String(error)}`))
      .finally(() => this.compensations.delete(work));
    this.compensations.add(work);
    return work;
  }
}

/**
 * The HTTP response of an ended Api: its output, or its error as a problem, with the status of `apiResponses`. A rule that cannot be evaluated
 * is an internal error, as for a predicate of a `choice`.
 */
async function answerOf(run: Run, end: End, instance: string): Promise<ApiAnswer> {
  const error = end.phase === 'FAILED' ? apiProblem(end, instance) : null;
  let status: number | undefined;
  try {
    status = await statusFor(run, end, error);
  } catch (failed) {
    if (!(failed instanceof ProblemError)) throw failed;
    const fault = runtimeFailure(failed.problem, run.position.root.at, end.context);
    return await errorAnswer(run, end, apiProblem(fault, instance));
  }
  if (error !== null) return await errorAnswer(run, end, { ...error, status: status ?? error.status! });
  return { status: status ?? 200, headers: {}, body: end.output };
}

/** An error in the Api's own envelope, if it has one. */
async function errorAnswer(run: Run, { context }: End, error: JsonObject): Promise<ApiAnswer> {
  const status = Number(error.status);
  const plain = { status, headers: { 'content-type': 'application/problem+json' }, body: error };
  const envelope = run.definition.errors?.envelope;
  if (!envelope) return plain;
  const frame: Frame = { ...run.position.root, context };
  try {
    const body = await run.evaluate(envelope, 'error', frame, { payload: error, error });
    return { status, headers: { 'content-type': 'application/json' }, body };
  } catch (failed) {
    if (failed instanceof ProblemError) return plain;
    throw failed;
  }
}

function apiProblem(end: End, instance: string): JsonObject {
  const { code, reason, ...members } = end.error ?? { code: 'FAILED', reason: '' };
  const status = end.terminationKind === 'Timeout' ? 504 : 500;
  return problemJson({
    ...members,
    type: typeOf(members.type, code),
    title: reason,
    status,
    code,
    instance,
  }) as JsonObject;
}

const uriText = "(?:[\\w.~:/?@!$&'()*+,;=-]|%[0-9a-f]{2})*";
const absoluteUri = new RegExp(`^[a-z][a-z0-9+.-]*:${uriText}(?:#${uriText})?$`, 'i');

/** The problem's own type if it has one, else its code: a URI unchanged, anything else as a relative reference. */
function typeOf(given: Json | undefined, code: string): string {
  if (typeof given === 'string') return given;
  return absoluteUri.test(code) ? code : code.replace(/[^\w.~/!$&'()*+,;=-]/gu, percentEncoded);
}

async function statusFor(run: Run, end: End, error: JsonObject | null): Promise<number | undefined> {
  const responses = run.definition.http.apiResponses;
  if (!responses) return undefined;
  const frame: Frame = { ...run.position.root, context: end.context };
  const bindings = { payload: error === null ? end.output : { error }, error, output: end.output };
  for (const rule of responses.rules) {
    if (rule.phase !== undefined && rule.phase !== end.phase) continue;
    if (rule.errorType !== undefined && rule.errorType !== error?.code && rule.errorType !== error?.type) continue;
    if (rule.predicate && (await run.evaluate(rule.predicate, 'predicate', frame, bindings)) !== true) continue;
    return await statusValue(rule, run, frame, bindings);
  }
  const fallback = responses.default?.[end.phase];
  return fallback && (await statusValue(fallback, run, frame, bindings));
}

async function statusValue(rule: ApiStatus, run: Run, frame: Frame, bindings: Record<string, Json>): Promise<number> {
  const status = 'status' in rule ? rule.status : await run.evaluate(rule.statusExpr, 'statusExpr', frame, bindings);
  // A 1xx status would make the caller wait for the final response.
  if (typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599) return status;
  return refuse('APIRESP_STATUS', 'The status must be an integer between 200 and 599.');
}

/** Evaluates the read guards of runs in this process, where the reader's request is. */
export class InProcessGuards implements ReadGuards {
  constructor(
    private readonly config: Config,
    private readonly effects: Effects,
    /** Called with messages for the operator; callers see a failing guard as an unknown run. */
    private readonly onTrouble: (text: string) => void = () => undefined,
    private readonly words: Vocabulary = vocabulary,
  ) {}

  async admit(run: GuardedRun, request: InboundRequest): Promise<void> {
    const { limits, platform } = this.config;
    const host = inProcessHost(effectPerformer(this.effects, { request }), limits.expression, platform.timezone);
    const { allowed, fault } = await evaluateReadGuard(run, requestAtHand, host, this.words);
    const { name, version } = run.definition;
    if (fault !== undefined)
      this.onTrouble(`The read guard of ${name} ${version} failed and denies access to everyone: ${fault}`);
    if (!allowed) refuse('RUN_UNKNOWN');
  }
}

/** Reference to the request of a run in this process, which needs no id. */
const requestAtHand: RequestRef = { queue: '', id: '', passes: true };

/** Performs effects in this process, with the current request for those that use it. */
function effectPerformer(
  effects: Effects,
  { request, headers }: Pick<EffectCall, 'request' | 'headers'>,
): PerformEffect {
  return async ({ name, input, budgetMs, request: ref }, signal) => {
    const brought = ref && { ...(request && { request }), ...(headers && { headers }) };
    return await effectOf(effects, name)(input, { signal, budgetMs, ...brought });
  };
}

/** Maximum of a Node timer; longer waits are split. */
const longestTimerMs = 2 ** 31 - 1;

/** Performs an effect in this process. */
type PerformEffect = (effect: Effect, signal: AbortSignal) => Promise<Json>;

/** The host of a `kind: Api`: this process and its clock, without durability. */
function inProcessHost(
  perform: PerformEffect,
  limits: Limits,
  timezone?: string,
  spanEnded?: Host['spanEnded'],
): Host & { scope: LocalScope } {
  const world: LocalEnvironment = {
    sleepUntil,
    perform: (effect, stop) => {
      const abort = new AbortController();
      stop(() => abort.abort());
      return perform(effect, abort.signal);
    },
  };
  return {
    now: () => Date.now(),
    uuid: () => randomUUID(),
    random: () => Math.random(),
    limits,
    calls: defaultCalls,
    ...(spanEnded && { spanEnded }),
    ...(timezone !== undefined && { timezone }),
    scope: new LocalScope(world),
    // The gateway's thread also serves its other callers.
    yield: () => new Promise((resolve) => setTimeout(resolve, 1)),
  };
}

function sleepUntil(instant: number, _: string, stop: StopSignal): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const left = instant - Date.now();
      timer = left > longestTimerMs ? setTimeout(wait, longestTimerMs) : setTimeout(resolve, Math.max(left, 0));
    };
    wait();
    stop(() => clearTimeout(timer));
  });
}
