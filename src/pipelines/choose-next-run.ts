import { applyNext } from './apply-deployment.js';
import { isPaused } from './describe-pause-reasons.js';
import type { Step } from './reducer-step.js';
import { beginConsumer, beginProducer, beginRetry } from './reserve-events-and-begin-run.js';
import type { Consumer, PipelineState, Producer, SkipReason } from './state.js';
import { isFull } from './topics/publish-events.js';

/**
 * Starts the next run, if there is one: retries first, then consumers, the one with the oldest pending event first, then producers.
 * Producers that are due while a run is active are skipped, unless the policy queues them.
 */
export function startNextRun(step: Step): void {
  const { state } = step;
  if (!state.active && state.next) applyNext(step);
  // A run that cannot start makes way for the next.
  while (!state.active && startNext(step));
  if (isPaused(state)) skipDue(state, 'paused');
  // While a consumer prepares, it is open whether a run starts.
  else if (state.definition.policy.producerBusy === 'skip' && state.active?.phase !== 'preparing')
    skipDue(state, 'busy');
}

/** The next end of a sleep: then something happens without a message. */
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

/** Records a producer's time without a run. */
export function recordSkippedTime(producer: Producer, slot: number, reason: SkipReason): void {
  producer.skipped = { reason, slot, count: (producer.skipped?.count ?? 0) + 1 };
}

/** Starts one run. Returns whether there was one. */
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
      recordSkippedTime(producer, producer.due!, 'topic_full');
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
    recordSkippedTime(producer, producer.due, reason);
    delete producer.due;
  }
}
