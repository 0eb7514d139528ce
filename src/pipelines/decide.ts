import { formatInstant } from '../time/duration.js';
import { handlerOf } from './definition.js';
import { deploy, remove } from './deploy.js';
import type { Answer, Effect, Message, Tick } from './message.js';
import { ended } from './outcomes.js';
import { publish } from './publish.js';
import { resolve } from './resolve.js';
import { missedAfter, room } from './room.js';
import { evaluated } from './runs.js';
import { isPaused, oldestOf, schedule, skip } from './scheduling.js';
import type { PipelineState } from './state.js';
import { done, refused, type Step } from './step.js';

/** What a step comes to: what the host is to do, and an answer to each message. */
export interface Decision {
  state: PipelineState;
  effects: Effect[];
  answers: Answer[];
}

/**
 * The reducer: the one place in which anything about a pipeline changes. Messages that arrived together are taken together, so that among
 * simultaneous triggers the right one runs. `state` is changed in place; a message that is refused changes nothing.
 */
export function decide(state: PipelineState, messages: readonly Message[], now: number): Decision {
  const step: Step = { state, now, effects: [] };
  const answers = messages.map((message) => take(step, message));
  schedule(step);
  return { state, effects: step.effects, answers: answers.map((it) => (typeof it === 'function' ? it() : it)) };
}

/** The most that is kept of a note or a request id. */
const longestNote = 500;

/** An answer, or what gives it once it is known what runs. */
type Taken = Answer | (() => Answer);

function take(step: Step, message: Message): Taken {
  const { state, now } = step;
  const { active } = state;
  switch (message.type) {
    case 'publish':
      return publish(step, message);
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
      return resume(state);
    case 'resolve':
      return resolve(step, message.run, message.how);
    case 'deploy':
      return deploy(step, message);
    case 'remove':
      return remove(step, message.deployer);
    case 'evaluated':
      if (active?.key !== message.run || active.phase === 'running') return done('duplicate');
      evaluated(step, active, message);
      return done('done');
    case 'ended':
      if (active?.key !== message.run || active.phase !== 'running') return done('duplicate');
      ended(step, active, message.outcome);
      return done('done');
    case 'clock':
      return done('done');
  }
}

/** A producer's time has come. */
function tick({ state, now }: Step, { producer: name, slot }: Tick): Taken {
  if (!Object.hasOwn(state.producers, name))
    return refused('HANDLER_UNKNOWN', `${state.definition.name} has no producer '${name.slice(0, 64)}'.`);
  // Taken, it would make every tick until then a repetition.
  if (slot > now + missedAfter)
    return refused('PIPELINE_MESSAGE_INVALID', `The time ${formatInstant(slot)} of ${name} has not come yet.`);
  const producer = state.producers[name]!;
  if (producer.slot !== undefined && slot <= producer.slot) return done('duplicate');
  producer.slot = slot;
  const late = now - slot > missedAfter;
  if (late && state.definition.producers[name]!.misfire === 'skip_missed') {
    skip(producer, slot, 'missed');
    return done('skipped');
  }
  // After an outage many times come at once; a run that began after this one stands for it.
  if (late && producer.startedAt !== undefined && producer.startedAt >= slot) {
    skip(producer, slot, 'coalesced');
    return done('skipped');
  }
  if (producer.due !== undefined) skip(producer, producer.due, 'coalesced');
  producer.due = slot;
  return () => {
    if (state.active?.handler === name && state.active.slot === slot) return done('started', state.active.key);
    return done(producer.due === slot ? 'queued' : 'skipped');
  };
}

/** A person wants a run. */
function trigger({ state }: Step, name: string, request: string | undefined): Taken {
  if (!handlerOf(state.definition, name))
    return refused('HANDLER_UNKNOWN', `${state.definition.name} has no producer or consumer '${name.slice(0, 64)}'.`);
  if (state.suspended.length >= room.suspended)
    return refused(
      'PIPELINE_UNRESOLVED',
      `${state.suspended.length} suspended runs wait for somebody to resolve them.`,
    );
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

function resume(state: PipelineState): Answer {
  if (state.suspended.length > 0)
    return refused('PIPELINE_UNRESOLVED', 'A suspended run waits for somebody to resolve it.', {
      hint: `Resolve ${state.suspended.map(({ key }) => key).join(', ')} with retry, did_not_happen or skip.`,
    });
  if (!isPaused(state)) return done('unchanged');
  state.pauses = [];
  return done('done');
}
