import { formatInstant } from '../base/time/instant.js';
import { nextAfter } from '../schedules/cadence/occurrences.js';
import { deploy, remove } from './apply-deployment.js';
import { oldestOf, recordSkippedTime, startNextRun } from './choose-next-run.js';
import { handlerOf } from './definition.js';
import { isPaused } from './describe-pause-reasons.js';
import { endRun } from './handle-outcome.js';
import type { Answer, Message, PipelineEffect, Resolution, Tick } from './messages-and-effects.js';
import { producerCadence } from './read-producer-schedule.js';
import { done, refused, type Step } from './reducer-step.js';
import { handleEvaluation } from './reserve-events-and-begin-run.js';
import type { PipelineState } from './state.js';
import { missedAfter, stateLimits } from './state-limits.js';
import { deliver, releaseSource, skipRecord } from './topics/deliver-source-records.js';
import { publishEvent } from './topics/publish-events.js';

/** Result of a step: effects for the host, and an answer to each message. */
export interface Decision {
  state: PipelineState;
  effects: PipelineEffect[];
  answers: Answer[];
}

/**
 * The reducer: the only place that changes a pipeline. Messages that arrived together are handled together, so that among simultaneous
 * triggers the right one runs. `state` is changed in place; a refused message changes nothing.
 */
export function decide(state: PipelineState, messages: readonly Message[], now: number): Decision {
  const step: Step = { state, now, effects: [] };
  const answers = messages.map((message) => take(step, message));
  startNextRun(step);
  return { state, effects: step.effects, answers: answers.map((it) => (typeof it === 'function' ? it() : it)) };
}

/** Longest note or request id, in characters; longer ones are cut. */
const longestNote = 500;

/** An answer, or a function that returns it after scheduling. */
type Taken = Answer | (() => Answer);

function take(step: Step, message: Message): Taken {
  const { state, now } = step;
  const { active } = state;
  switch (message.type) {
    case 'publish':
      return publishEvent(step, message);
    case 'deliver':
      return deliver(step, message);
    case 'tick':
      return tick(step, message);
    case 'trigger':
      return trigger(step, message.handler, message.requestId);
    case 'pause':
      if (state.pauses.some(({ reason }) => reason === 'user')) return done('unchanged');
      state.pauses.push({
        reason: 'user',
        at: now,
        ...(message.note !== undefined && { note: message.note.slice(0, longestNote) }),
      });
      return done('done');
    case 'resume':
      return resume(step);
    case 'resolve':
      return resolve(step, message.run, message.how);
    case 'deploy':
      return deploy(step, message);
    case 'remove':
      return remove(step, message.deployer);
    case 'evaluated':
      if (active?.key !== message.run || active.phase === 'running') return done('duplicate');
      handleEvaluation(step, active, message);
      return done('done');
    case 'ended':
      if (active?.key !== message.run || active.phase !== 'running') return done('duplicate');
      endRun(step, active, message.outcome);
      return done('done');
    case 'clock':
      return done('done');
  }
}

/** Handles the tick of a producer's Schedule. */
function tick({ state, now }: Step, { producer: name, slot }: Tick): Taken {
  if (!Object.hasOwn(state.producers, name))
    return refused('HANDLER_UNKNOWN', `${state.definition.name} has no producer '${name.slice(0, 64)}'.`);
  // Accepting it would make every tick until then a duplicate.
  if (slot > now + missedAfter)
    return refused('PIPELINE_MESSAGE_INVALID', `The time ${formatInstant(slot)} of ${name} has not come yet.`);
  const producer = state.producers[name]!;
  if (producer.slot !== undefined && slot <= producer.slot) return done('duplicate');
  countMissed(state, name, slot);
  producer.slot = slot;
  const late = now - slot > missedAfter;
  if (late && state.definition.producers[name]!.misfire === 'skip_missed') {
    recordSkippedTime(producer, slot, 'missed');
    return done('skipped');
  }
  // After an outage many ticks arrive at once; one run serves all of them.
  if (late && producer.startedAt !== undefined && producer.startedAt >= slot) {
    recordSkippedTime(producer, slot, 'coalesced');
    return done('skipped');
  }
  if (producer.due !== undefined) recordSkippedTime(producer, producer.due, 'coalesced');
  producer.due = slot;
  return () => {
    if (state.active?.handler === name && state.active.slot === slot) return done('started', state.active.key);
    return done(producer.due === slot ? 'queued' : 'skipped');
  };
}

/** The most missed times that are counted at once. */
const mostMissed = 1_000;

/** Counts the due times since the last tick that had none: Temporal drops them after an outage. */
function countMissed({ producers, definition, deployedAt }: PipelineState, name: string, slot: number): void {
  const producer = producers[name]!;
  if (producer.slot === undefined) return;
  const cadence = producerCadence(definition.producers[name]!.schedule);
  // Before the deployment the schedule may have been another.
  let at = nextAfter(cadence, Math.max(producer.slot, deployedAt));
  for (let count = 0; at !== undefined && at < slot && count < mostMissed; count++) {
    recordSkippedTime(producer, at, 'missed');
    at = nextAfter(cadence, at);
  }
}

/** Handles a manual trigger. */
function trigger({ state }: Step, name: string, request: string | undefined): Taken {
  if (!handlerOf(state.definition, name))
    return refused('HANDLER_UNKNOWN', `${state.definition.name} has no producer or consumer '${name.slice(0, 64)}'.`);
  if (state.suspended.length >= stateLimits.suspended)
    return refused('PIPELINE_UNRESOLVED', `${state.suspended.length} suspended runs have to be resolved first.`);
  const consumer = Object.hasOwn(state.consumers, name) ? state.consumers[name] : undefined;
  const handler = consumer ?? state.producers[name]!;
  if (request !== undefined && handler.request === request.slice(0, longestNote)) return done('duplicate');
  if (consumer && oldestOf(state, name) === undefined && state.active?.handler !== name) return done('nothing_pending');
  if (request !== undefined) handler.request = request.slice(0, longestNote);
  const before = state.active;
  handler.triggered = true;
  return () => {
    const { active } = state;
    if (active && active !== before && active.handler === name && active.trigger === 'manual')
      return done('started', active.key);
    return done(handler.triggered ? 'queued' : 'nothing_pending');
  };
}

function resume({ state, now }: Step): Answer {
  if (state.suspended.length > 0)
    return refused('PIPELINE_UNRESOLVED', 'A suspended run has to be resolved first.', {
      hint: `Resolve ${state.suspended.map(({ key }) => key).join(', ')} with retry, did_not_happen or skip.`,
    });
  if (!isPaused(state)) return done('unchanged');
  for (const { source } of state.pauses) if (source) releaseSource(state, source, now);
  state.pauses = [];
  return done('done');
}

/** Applies a decision about a suspended run, or about a record that a source cannot deliver. */
function resolve({ state, now }: Step, key: string, how: Resolution): Answer {
  const at = state.suspended.findIndex((run) => run.key === key);
  const held = state.pauses.find(({ source }) => source?.record?.id === key);
  if (at < 0 && held?.source) {
    state.pauses = state.pauses.filter((it) => it !== held);
    if (how === 'skip') skipRecord(state, held.source, now);
    return done('done', key);
  }
  if (at < 0)
    return refused(
      'RUN_NOT_SUSPENDED',
      `No suspended run of ${state.definition.name} is called '${key.slice(0, 200)}'.`,
    );
  const [run] = state.suspended.splice(at, 1) as [(typeof state.suspended)[number]];
  if (how === 'retry') state.retries.push(run);
  else if (how === 'skip') state.topics.settle(run.reservations, 'skipped', now);
  else state.topics.release(run.reservations);
  const record = state.runs.find((it) => it.key === key);
  if (record) record.resolution = how;
  return done('done', key);
}
