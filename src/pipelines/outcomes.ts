import type { JourneyError, Outcome } from '../engine/outcome.js';
import { jsonBytes } from '../json/size.js';
import { type Json, own } from '../json/value.js';
import { type Problem, ProblemError, refuse } from '../problems/problem.js';
import { handlerOf } from './definition.js';
import type { HandlerOutcome } from './message.js';
import { checkPublished, type Published, publishAll } from './publish.js';
import { room } from './room.js';
import type { ActiveRun, EndedRun, Handler, PipelineState, RunStatus } from './state.js';
import type { Step } from './step.js';

/** How many reservations and how much text of an error an ended run shows. */
const shownReservations = 10;
const longestReason = 1_000;

/** How a journey ended, as a pipeline needs to know it. */
export function handlerOutcome({ terminationKind, output, error, uncertain }: Outcome): HandlerOutcome {
  if (terminationKind === 'Success') return { kind: 'success', output };
  const kinds = { Fail: 'fail', Timeout: 'timeout', Cancel: 'cancel', RuntimeError: 'error' } as const;
  return {
    kind: kinds[terminationKind],
    error: error ?? { code: 'FAILED', reason: '' },
    ...(uncertain && { uncertain }),
  };
}

/**
 * The end of the active run's journey. Success is committed, if what it gave can be taken. A failure that its author meant is failed, and
 * its events wait again. Of anything else nobody knows what it did in the world: the run is suspended and keeps its events until a
 * person decides.
 */
export function ended(step: Step, run: ActiveRun, outcome: HandlerOutcome): void {
  if (outcome.kind === 'success') commit(step, run, outcome.output);
  else if (outcome.kind === 'fail' && !outcome.uncertain) fail(step, run, short(outcome.error));
  else suspend(step, run, short(outcome.error));
}

/** Ends a run that could not begin. */
export function failRun(step: Step, run: ActiveRun, problem: Problem): void {
  fail(step, run, asError(problem));
}

function asError({ code, detail, title, hint }: Problem): JourneyError {
  return short({ code, reason: detail ?? title, ...(hint !== undefined && { hint }) });
}

function suspend(step: Step, run: ActiveRun, error: JourneyError): void {
  const { phase: _, seen: __, input: ___, ...held } = run;
  step.state.suspended.push({ ...held, endedAt: step.now, error });
  end(step, run, 'suspended', { error });
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
    // What it did in the world has happened; running it again by itself would do it twice.
    suspend(step, run, asError(error.problem));
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

/** `output.publish`: a list of `{topic, id?, payload}`. Without an id an event is named after its run. */
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
      return refuse('PUBLISH_INVALID', `${at} is no event.`, { hint: publishHint });
    if (!publishes.includes(topic))
      refuse('PUBLISH_UNDECLARED', `${at}: ${run.handler} does not say that it publishes to '${topic.slice(0, 64)}'.`, {
        hint: `Name the topic in publishes of ${run.handler}.`,
      });
    return { topic, id, payload };
  });
}

const publishHint = 'Give objects with topic, payload and, if the event has one, id.';

function checkCarried(state: PipelineState, handler: string, carried: Json | undefined): void {
  if (carried === undefined) return;
  let bytes = jsonBytes(carried);
  for (const all of [state.producers, state.consumers])
    for (const name in all) if (name !== handler) bytes += jsonBytes(all[name]!.state);
  if (bytes > room.carried)
    refuse('HANDLER_STATE_TOO_LARGE', `What the handlers carry has ${bytes} bytes; at most ${room.carried}.`);
}

function stateOf({ producers, consumers }: PipelineState, handler: string): Handler {
  return Object.hasOwn(consumers, handler) ? consumers[handler]! : producers[handler]!;
}

function end(
  { state, now }: Step,
  { phase: _, seen: __, data: ___, reservations, input, ...head }: ActiveRun,
  status: RunStatus,
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
    ...(output !== undefined && jsonBytes(output) <= room.shown && { output }),
    ...rest,
  };
  const bytes = jsonBytes(record as unknown as Json);
  state.runs.push({ ...record, bytes });
  state.runBytes += bytes;
  while (state.runs.length > state.definition.policy.runs || (state.runBytes > room.runs && state.runs.length > 1))
    state.runBytes -= state.runs.shift()!.bytes;
  state.counts[status] += 1;
  stateOf(state, head.handler).last = { run: head.key, at: now, status };
  delete state.active;
}

/** An error as it is kept: a reason of bounded length, and other members only where they are few. */
function short(error: JourneyError): JourneyError {
  const { code } = error;
  const reason = error.reason.slice(0, longestReason);
  return jsonBytes(error) <= 2 * longestReason ? { ...error, code, reason } : { code, reason };
}
