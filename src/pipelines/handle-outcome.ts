import { jsonBytes } from '../base/json/size.js';
import { type Json, own } from '../base/json/value.js';
import { type Problem, ProblemError, refuse } from '../base/problems/problem.js';
import type { JourneyError, Outcome } from '../engine/outcome.js';
import { handlerOf } from './definition.js';
import type { HandlerOutcome } from './messages-and-effects.js';
import type { Step } from './reducer-step.js';
import type { ActiveRun, EndedRun, Handler, HandlerRunStatus, PipelineState, SuspendedRun } from './state.js';
import { stateLimits } from './state-limits.js';
import { checkPublished, type Published, publishAll } from './topics/publish-events.js';

/** Limits of an ended run: number of reservations, and characters of an error. */
const shownReservations = 10;
const longestReason = 1_000;

/** The outcome of a journey as a pipeline handles it. */
export function handlerOutcome({ terminationKind, output, error, uncertain }: Outcome): HandlerOutcome {
  if (terminationKind === 'Success') return { kind: 'success', output };
  const last = uncertain?.at(-1);
  const kinds = { Fail: 'fail', Timeout: 'timeout', Cancel: 'cancel', RuntimeError: 'error' } as const;
  return {
    kind: kinds[terminationKind],
    error: error ?? { code: 'FAILED', reason: '' },
    ...(last && { uncertain: { state: last.state, call: last.call, error: last.error } }),
  };
}

/**
 * Ends the active run with the outcome of its journey. Success is committed, if its output is valid. A failure that the author wrote fails
 * the run, and its events become pending again. After anything else the effects are unknown: the run is suspended and keeps its events
 * until an operator decides.
 */
export function endRun(step: Step, run: ActiveRun, outcome: HandlerOutcome): void {
  if (outcome.kind === 'success') commit(step, run, outcome.output);
  else if (outcome.kind === 'fail' && !outcome.uncertain) fail(step, run, short(outcome.error));
  else suspend(step, run, { error: short(outcome.error), ...(outcome.uncertain && { uncertain: outcome.uncertain }) });
}

/** Fails a run that could not start. */
export function failRun(step: Step, run: ActiveRun, problem: Problem): void {
  fail(step, run, asError(problem));
}

function asError({ code, detail, title, hint }: Problem): JourneyError {
  return short({ code, reason: detail ?? title, ...(hint !== undefined && { hint }) });
}

function suspend(step: Step, run: ActiveRun, known: Pick<SuspendedRun, 'error' | 'uncertain' | 'succeeded'>): void {
  const { phase: _, seen: __, input: ___, ...held } = run;
  step.state.suspended.push({ ...held, endedAt: step.now, ...known });
  end(step, run, 'suspended', { error: known.error });
}

function fail(step: Step, run: ActiveRun, error: JourneyError): void {
  const { state, now } = step;
  state.topics.release(run.reservations);
  state.pauses = state.pauses.filter(({ reason }) => reason !== 'failed');
  state.pauses.push({
    reason: 'failed',
    at: now,
    note: `${error.code}: ${error.reason}`.slice(0, longestReason),
    run: run.key,
  });
  end(step, run, 'failed', { error });
}

function commit(step: Step, run: ActiveRun, output: Json): void {
  const { state, now } = step;
  const carried = own(output, 'state');
  let events: Published[];
  try {
    events = readPublish(state, run, output);
    checkPublished(state, events, run.reservations);
    checkCarried(state, run.handler, carried);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    // Its effects have happened; running it again would repeat them.
    suspend(step, run, { error: asError(error.problem), succeeded: true });
    return;
  }
  state.topics.settle(run.reservations, 'consumed', now);
  publishAll(step, events, run.key.slice(-14));
  if (carried !== undefined) stateOf(state, run.handler).state = carried;
  end(step, run, 'committed', {
    ...(events.length > 0 && { published: events.length }),
    ...(output !== null && { output }),
  });
}

/** Reads `output.publish`: a list of `{topic, id?, payload}`. The default id is derived from the run. */
function readPublish({ definition }: PipelineState, run: ActiveRun, output: Json): Published[] {
  const given = own(output, 'publish') ?? [];
  if (!Array.isArray(given)) refuse('PUBLISH_INVALID', 'output.publish is not a list.', { hint: publishHint });
  const { publishes } = handlerOf(definition, run.handler)!;
  return given.map((item, i) => {
    const topic = own(item, 'topic');
    const id = own(item, 'id') ?? `${run.key}.${i + 1}`;
    const payload = own(item, 'payload');
    const at = `output.publish[${i}]`;
    if (typeof topic !== 'string' || typeof id !== 'string' || payload === undefined)
      return refuse('PUBLISH_INVALID', `${at} is not an event.`, { hint: publishHint });
    if (!publishes.includes(topic))
      refuse(
        'PUBLISH_UNDECLARED',
        `${at}: ${run.handler} does not declare that it publishes to '${topic.slice(0, 64)}'.`,
        {
          hint: `Name the topic in publishes of ${run.handler}.`,
        },
      );
    return { topic, id, payload };
  });
}

const publishHint = 'Give objects with topic, payload and, if the event has one, id.';

function checkCarried(state: PipelineState, handler: string, carried: Json | undefined): void {
  if (carried === undefined) return;
  let bytes = jsonBytes(carried);
  for (const all of [state.producers, state.consumers])
    for (const name in all) if (name !== handler) bytes += jsonBytes(all[name]!.state);
  if (bytes > stateLimits.carried)
    refuse(
      'HANDLER_STATE_TOO_LARGE',
      `The states of the handlers have ${bytes} bytes; at most ${stateLimits.carried} are allowed.`,
    );
}

function stateOf({ producers, consumers }: PipelineState, handler: string): Handler {
  return Object.hasOwn(consumers, handler) ? consumers[handler]! : producers[handler]!;
}

function end(
  { state, now }: Step,
  { phase: _, seen: __, data: ___, reservations, input, ...head }: ActiveRun,
  status: HandlerRunStatus,
  more: Pick<EndedRun, 'output' | 'published' | 'error'>,
): void {
  const { output, ...rest } = more;
  const record = {
    ...head,
    endedAt: now,
    status,
    events: reservations.length,
    reservations: reservations.slice(0, shownReservations),
    ...(input !== undefined && { input }),
    ...(output !== undefined && jsonBytes(output) <= stateLimits.shown && { output }),
    ...rest,
  };
  const bytes = jsonBytes(record as unknown as Json);
  state.runs.push({ ...record, bytes });
  state.runBytes += bytes;
  while (
    state.runs.length > state.definition.policy.runs ||
    (state.runBytes > stateLimits.runs && state.runs.length > 1)
  )
    state.runBytes -= state.runs.shift()!.bytes;
  state.counts[status] += 1;
  stateOf(state, head.handler).last = { run: head.key, at: now, status };
  delete state.active;
}

/** An error as it is stored: a reason of bounded length, and other members only if they are small. */
function short(error: JourneyError): JourneyError {
  const { code } = error;
  const reason = error.reason.slice(0, longestReason);
  return jsonBytes(error) <= 2 * longestReason ? { ...error, code, reason } : { code, reason };
}
