import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  log,
  setCurrentDetails,
  upsertMemo,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { withinDuration } from '../src/definition/duration-limits.js';
import { defaultCalls } from '../src/engine/allowance.js';
import { compensationJourney, dueCompensation } from '../src/engine/compensation.js';
import type { Host } from '../src/engine/host.js';
import type { Outcome } from '../src/engine/outcome.js';
import { excessOf } from '../src/engine/payload.js';
import { Run, type RunResult, startPosition } from '../src/engine/run.js';
import { runSpan } from '../src/engine/trace.js';
import { cutsShort, isBounded, keepsWithin, turnsByBranch } from '../src/engine/version.js';
import { jsonBytes, payloadBytes } from '../src/json/size.js';
import type { Json } from '../src/json/value.js';
import { vocabulary } from '../src/language/vocabulary.js';
import { toldSpan } from '../src/states/told-code.js';
import { CompensationOnTemporal } from './compensation.js';
import { describeRun } from './details.js';
import { countEnd, countStart } from './ends.js';
import { Inbox } from './inbox.js';
import { type JourneyInput, type JourneyWorkflow, journeyArguments } from './input.js';
import { keepMoments } from './moments.js';
import { Moves } from './move.js';
import { Room } from './room.js';
import { admission, finish, ResetGuard, readScheduled, skipped, withinLimit } from './scheduled.js';
import { TemporalScope } from './temporal-scope.js';
import { spanEnded } from './tracing.js';
import { Visibility } from './visibility.js';

const longestMessage = 4_000;
/** How many items a map may have where no fresh execution can go on: what they do stays in one history. */
const itemsInOneHistory = 1_000;
/** How much of a memo an outcome may take; a schedule's context may stand there too. */
const memoBytes = 256_000;

/** The one workflow that runs every journey: it gives the pure engine a host on Temporal, and nothing else. */
export async function journey(input: JourneyInput): Promise<Outcome> {
  if (!isWhole(input)) throw ApplicationFailure.nonRetryable(lost, 'SCHEDULE_BROKEN');
  const definition = input.bindings
    ? compensationJourney(input.definition)
    : withinDuration(input.definition, input.limits.duration);
  const workflow = workflowInfo();
  const startedAt = input.info.startedAt ?? workflow.startTime.getTime();
  const root = CancellationScope.current();
  const scheduled = readScheduled(input);
  const admitted = scheduled ? await CancellationScope.nonCancellable(() => admission(scheduled, input)) : true;
  if (scheduled && admitted !== true) return skipped(scheduled, input, admitted === 'coalesced');
  if (!input.carried || input.carried.again) countStart(definition);
  const guard = scheduled && new ResetGuard(scheduled, input);

  const moved = input.carried?.moved;
  const notes = moved === undefined ? [] : [`It moved here from version ${moved}.`];
  const room = isBounded(input.interpreter) ? new Room() : undefined;
  const origin = () => originOf(input);
  const host: Host = {
    now: () => Date.now(),
    uuid: () => uuid4(),
    random: () => Math.random(),
    limits: input.limits.expression,
    maxStates: input.limits.steps,
    interpreter: input.interpreter,
    ...(input.limits.metadata && { metadata: input.limits.metadata }),
    ...(input.timezone !== undefined && { timezone: input.timezone }),
    scope: definition.lifecycle.cancellable
      ? new TemporalScope(root, room, undefined, guard?.passed, origin)
      : shielded(root, room, guard?.passed, origin),
    parked: () => {
      visibility.park();
      setCurrentDetails(describeRun(run, notes));
    },
    progressed: () => setCurrentDetails(describeRun(run, notes)),
    note: (text) => notes.push(text),
    keptSubmission: (stepId: string, schema: Json) => inbox.takeKept(stepId, schema),
    wantsContinue: () => (historyIsLong(input) || room?.isWorn === true) && inbox.idle && !root.consideredCancelled,
    ...(spanEnded && { spanEnded: (span) => spanEnded?.(toldSpan(definition, span)) }),
    ...(room && {
      pause: (ahead: number, units: number) => room.pause(ahead, units),
      turnsByBranch: turnsByBranch(input.interpreter),
      maxPayloadBytes: payloadBytes,
      calls: input.limits.calls ?? defaultCalls,
    }),
    ...(room &&
      keepsWithin(input.interpreter) && { mustContinue: () => room.isPressing, itemsAtOnce: () => room.callsAtOnce }),
  };
  const { tags, attributes } = input;
  const context = scheduled?.context ?? input.context;
  const position = input.carried?.position ?? {
    ...startPosition(
      definition,
      context,
      startedAt,
      { tags, attributes },
      scheduled?.record.startStateId,
      input.request,
    ),
    ...(input.bindings && { bindings: input.bindings }),
  };
  const info = { ...input.info, startedAt, ...(scheduled && { id: workflow.workflowId }) };
  const run: Run = new Run(definition, info, position, host, vocabulary);
  if (input.carried) run.updatedAt = input.carried.updatedAt;
  const visibility = new Visibility(run, input.carried !== undefined);
  const inbox: Inbox = new Inbox(run, notes, input, room);
  keepMoments(run);
  const handed = scheduled && { record: scheduled.record, nominal: scheduled.nominal };
  const handedOn = (): JourneyInput => ({
    ...input,
    info: run.info,
    context: {},
    carried: {
      position: run.position,
      updatedAt: run.updatedAt,
      ...inbox.carried(),
      ...(handed && { scheduled: handed }),
      ...(moved !== undefined && { moved }),
    },
  });
  const moves = new Moves(run, input, inbox, handedOn);
  if (!definition.lifecycle.cancellable) noteIgnoredCancel(run, notes);

  const executed = await (guard ? Promise.race([run.execute(), guard.refused]) : run.execute());
  if (scheduled && (executed === 'refused' || (await guard?.refuses()))) return skipped(scheduled, input);
  if (executed === 'refused') throw new Error('only scheduled runs are refused');
  let result: RunResult = executed;
  if ('continueAt' in result) {
    const other = moves.goOn();
    if (other) return await other;
    const next = handedOn();
    const bytes = room ? jsonBytes(next as unknown as Json) : 0;
    const excess = excessOf('What a fresh execution goes on with', bytes, payloadBytes);
    if (!excess) {
      const space = room?.take(bytes);
      if (!space) return continueAsNew<JourneyWorkflow>(...journeyArguments(next));
      await space;
      // Something may have come while there was no room.
      return continueAsNew<JourneyWorkflow>(...journeyArguments(handedOn()));
    }
    result = await run.refused(excess, cutsShort(input.interpreter));
  }
  let outcome = scheduled ? withinLimit(result.outcome, result.context, input) : result.outcome;
  countEnd(definition, outcome, startedAt, scheduled !== undefined);
  host.spanEnded?.(runSpan(run, outcome));
  if (outcome.error?.cause === 'SCHED_PATH_INTERACTIVE') {
    const { code: _, ...where } = outcome.error;
    log.error('A scheduled run met a state that waits for input, and failed', where);
    notes.push(`A scheduled run cannot wait: it failed at \`${outcome.error.state}\`, and so will the next ones.`);
  }
  const due = await dueCompensation(run, outcome, result.context, info.id);
  const compensation = due && new CompensationOnTemporal(due, run, input, room);
  if (compensation?.inside) {
    notes.push(`It ended as ${outcome.phase} (${outcome.status}) and is being compensated.`);
    setCurrentDetails(describeRun(run, notes));
    outcome = { ...outcome, compensation: await compensation.runInside(hostOfCompensation(host, root, room, origin)) };
  } else if (compensation) outcome = { ...outcome, compensation: compensation.announced() };
  const bytes = inbox.end(outcome);
  const space = room?.take(bytes);
  if (space) await space;
  setCurrentDetails(describeRun(run, notes, outcome));
  if (compensation && !compensation.inside) await CancellationScope.nonCancellable(() => compensation.start());
  if (scheduled) await CancellationScope.nonCancellable(() => finish(scheduled, outcome, result.context, startedAt));
  visibility.end(outcome);
  if (outcome.terminationKind === 'Cancel') upsertMemo({ outcome: memorable(outcome, bytes) });
  if (!allHandlersFinished()) await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  return close(outcome);
}

/** What a scheduled run says that has lost what it needs. */
export const lost = 'The run was started without a journey: something rewrote the action of its schedule.';

/** A run that Temporal's own tools start may lack the context that a schedule hands on. */
function isWhole(input: JourneyInput): boolean {
  return !input.info.scheduled || input.carried !== undefined || workflowInfo().memo?.binding !== undefined;
}

/** What the schedules that a run makes have in common with it. */
function originOf({ carried: _, request: __, ...input }: JourneyInput): Json {
  return { input: { ...input, context: {} }, memo: workflowInfo().memo?.journey } as unknown as Json;
}

/** A scope that no cancel request reaches. */
function shielded(
  root: CancellationScope,
  room: Room | undefined,
  passed: (() => Promise<unknown> | undefined) | undefined,
  origin: () => Json,
): TemporalScope {
  const scope = new CancellationScope({ cancellable: false, parent: root });
  return new TemporalScope(scope, room, undefined, passed, origin).fork();
}

/** No cancel request reaches a compensation, and it has no steps; what it does stays in the history of its run. */
function hostOfCompensation(host: Host, root: CancellationScope, room: Room | undefined, origin: () => Json): Host {
  return {
    ...host,
    scope: shielded(root, room, undefined, origin),
    parked: () => undefined,
    progressed: () => undefined,
    wantsContinue: () => false,
    maxItems: itemsInOneHistory,
  };
}

function historyIsLong({ limits }: JourneyInput): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength >= limits.historyEvents;
}

/** A run's memo holds little: what an outcome shows besides itself is left out where it is large. */
function memorable(outcome: Outcome, bytes: number): Outcome {
  const { projection, ...bare } = outcome;
  return projection && bytes <= memoBytes ? outcome : bare;
}

/** The close that Temporal shows in the right colour, with the outcome where a reader can find it. */
function close(outcome: Outcome): Outcome {
  if (outcome.phase === 'SUCCEEDED') return outcome;
  const { code, reason } = outcome.error ?? { code: 'FAILED', reason: '' };
  if (outcome.terminationKind === 'Cancel') throw new CancelledFailure(reason);
  // The whole reason stands in the outcome; the message is for people, and counts towards the failure's size.
  const message = reason.length > longestMessage ? `${reason.slice(0, longestMessage)}…` : reason;
  const failure = ApplicationFailure.create({ type: code, message, nonRetryable: true, details: [outcome] });
  // Where in the interpreter a journey's own failure was thrown tells nobody anything.
  failure.stack = `${code}: ${message}`;
  throw failure;
}

function noteIgnoredCancel(run: Run, notes: string[]): void {
  CancellationScope.current().cancelRequested.catch(() => {
    notes.push('A cancel request was ignored: this journey is not cancellable.');
    setCurrentDetails(describeRun(run, notes));
  });
}
