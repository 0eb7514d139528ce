import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.js';
import type { ApiStatus, Definition } from '../definition/definition.js';
import { withinDuration } from '../definition/duration-limits.js';
import { compensate, type DueCompensation, dueCompensation } from '../engine/compensation.js';
import type { Frame } from '../engine/frame.js';
import type { Host } from '../engine/host.js';
import { type End, runtimeFailure } from '../engine/outcome.js';
import { Run, startPosition } from '../engine/run.js';
import { type EndedSpan, runSpan } from '../engine/trace.js';
import type { Vocabulary } from '../engine/vocabulary.js';
import { percentEncoded } from '../json/percent.js';
import type { Json, JsonObject } from '../json/value.js';
import { vocabulary } from '../language/vocabulary.js';
import { ProblemError, problemJson, refuse } from '../problems/problem.js';
import type { ApiAnswer, ApiRequest, Apis } from '../service/apis.js';
import { passedOn } from '../service/inbound.js';
import type { SetCookies } from '../service/runs.js';
import type { Tracer } from '../service/tracing.js';
import { toldSpan } from '../states/told-code.js';
import type { Effects } from '../tasks/effects.js';
import { inProcessHost } from './host.js';
import { here, performing } from './perform.js';

export interface ApisOptions {
  readonly words?: Vocabulary;
  /** Takes what an operator should know. */
  readonly onTrouble?: (text: string) => void;
  /** What of a run's cookie jar returns to the caller. */
  readonly setCookies?: SetCookies;
  /** Records the span of each run. */
  readonly tracer?: Tracer | undefined;
}

/** Serves `kind: Api` in this process: no id, no history, the same interpreter. */
export class InProcessApis implements Apis {
  private readonly compensations = new Set<Promise<void>>();

  constructor(
    private readonly config: Config,
    /** The effects that Apis can use; without a server there are fewer than in a worker. */
    private readonly effects: Effects,
    private readonly more: ApisOptions = {},
  ) {}

  async call(document: Definition, request: ApiRequest): Promise<ApiAnswer> {
    const { config } = this;
    const definition = withinDuration(document, config.limits.duration);
    const headers = passedOn(definition.http.start, request);
    const perform = performing(this.effects, { request, headers });
    const { tracer } = this.more;
    const spanEnded = tracer && ((span: EndedSpan) => tracer.ended(toldSpan(definition, span)));
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
    const position = startPosition(definition, request.body, info.startedAt, undefined, undefined, here);
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

  /** Waits for compensations whose callers have been answered. */
  async settled(): Promise<void> {
    await Promise.all(this.compensations);
  }

  /** Nobody is told how it ended but the log. */
  private compensate(run: Run, due: DueCompensation, host: Host): Promise<void> {
    const { name, version } = run.definition;
    const work = compensate(due, run, host)
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
 * The HTTP answer of an ended Api: its output, or its error as a problem, with the status that `apiResponses` gives. A rule that
 * cannot be evaluated is a fault of the Api, not of its caller: an internal error, as it would be for a predicate of a `choice`.
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

/** The problem's own type, where it has one; else its code, as the language has it: a URI as it is, anything else as a reference. */
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
  // HTTP would take a 1xx for the promise of an answer, and the caller would wait for it.
  if (typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599) return status;
  return refuse('APIRESP_STATUS', 'The status of an answer is an integer between 200 and 599.');
}
