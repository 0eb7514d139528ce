import { applyNext } from './deploy.js';
import { isFull } from './publish.js';
import { beginConsumer, beginProducer, beginRetry } from './runs.js';
import type { Consumer, PipelineState, Producer, SkipReason } from './state.js';
import type { Step } from './step.js';

/**
 * Starts the next run, if there is one to start: what a person wants to try again, then consumers, the one with the oldest pending event
 * first, then producers. Producers whose time came while something else runs are skipped, unless the policy lets them wait.
 */
export function schedule(step: Step): void {
  const { state } = step;
  if (!state.active && state.next) applyNext(step);
  // What cannot begin leaves room for the next.
  while (!state.active && startNext(step));
  if (isPaused(state)) skipDue(state, 'paused');
  // Until a consumer has chosen, nobody knows whether anything runs.
  else if (state.definition.policy.producerBusy === 'skip' && state.active?.phase !== 'preparing')
    skipDue(state, 'busy');
}

/** No scheduled run begins while a reason for a pause stands, or a run waits for a person. */
export function isPaused({ pauses, suspended }: PipelineState): boolean {
  return pauses.length > 0 || suspended.length > 0;
}

/** The instant at which something happens although nobody says anything: the end of a sleep. */
export function nextWake(state: PipelineState): number | undefined {
  if (state.active || isPaused(state)) return undefined;
  let next: number | undefined;
  for (const [name, { sleep }] of Object.entries(state.consumers))
    if (sleep && (next === undefined || sleep.until < next) && oldestOf(state, name) !== undefined) next = sleep.until;
  return next;
}

/** The place of the oldest pending event that a consumer has subscribed to. */
export function oldestOf({ definition, topics }: PipelineState, consumer: string): number | undefined {
  let oldest: number | undefined;
  for (const topic of definition.consumers[consumer]!.topics) {
    const seq = topics.pending(topic) > 0 ? topics.oldest(topic)?.seq : undefined;
    if (seq !== undefined && (oldest === undefined || seq < oldest)) oldest = seq;
  }
  return oldest;
}

/** Whether a consumer is in backoff sleep. */
export function isAsleep({ sleep }: Consumer, now: number): boolean {
  return sleep !== undefined && sleep.until > now;
}

/** Notes that a producer's time passes without a run. */
export function skip(producer: Producer, slot: number, reason: SkipReason): void {
  producer.skipped = { reason, slot, count: (producer.skipped?.count ?? 0) + 1 };
}

/** Whether there was anything to start. */
function startNext(step: Step): boolean {
  const { state, now } = step;
  const retry = state.retries.shift();
  if (retry) {
    beginRetry(step, retry);
    return true;
  }
  const paused = isPaused(state);
  let first: { name: string; oldest: number } | undefined;
  for (const name in state.consumers) {
    const consumer = state.consumers[name]!;
    if (!consumer.triggered && (paused || isAsleep(consumer, now))) continue;
    const oldest = oldestOf(state, name);
    if (oldest === undefined) delete consumer.triggered;
    else if (!first || oldest < first.oldest) first = { name, oldest };
  }
  if (first) {
    beginConsumer(step, first.name);
    return true;
  }
  for (const name in state.producers) {
    const producer = state.producers[name]!;
    if (!producer.triggered && (paused || producer.due === undefined)) continue;
    if (!producer.triggered && state.definition.producers[name]!.publishes.some((topic) => isFull(state, topic))) {
      skip(producer, producer.due!, 'topic_full');
      delete producer.due;
      continue;
    }
    beginProducer(step, name);
    return true;
  }
  return false;
}

function skipDue({ producers }: PipelineState, reason: SkipReason): void {
  for (const name in producers) {
    const producer = producers[name]!;
    if (producer.due === undefined) continue;
    skip(producer, producer.due, reason);
    delete producer.due;
  }
}
