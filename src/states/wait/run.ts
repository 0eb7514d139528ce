import { withField, withFields, withoutField } from '../../engine/context.js';
import { type Frame, progressOf, worksOn } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import type { Run } from '../../engine/run.js';
import type { OpenStep } from '../../engine/steps.js';
import type { Step } from '../../engine/vocabulary.js';
import type { Json } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { latestInstant } from '../../time/duration.js';
import type { WaitState } from './read.js';

/** Waits for one submission (`wait`, `webhook`), at most as long as its timeout says. */
export async function execute(state: WaitState, frame: Frame, scope: Scope, run: Run): Promise<Step> {
  if (run.info.scheduled) refuse('SCHED_PATH_INTERACTIVE', 'A scheduled run cannot wait for external input.');
  const before = progressOf(frame, 'wait');
  if (!before) {
    frame.context = withoutField(frame.context, 'payload');
    worksOn(frame, undefined);
  }
  // A run that moved here from another version keeps the time it has, if there is one in this version.
  const dueAt = state.timeout && (before?.dueAt ?? expiryOf(state.timeout.sec, run));
  frame.progress = { kind: 'wait', ...(dueAt !== undefined && { dueAt }) };
  const kept = run.host.keptSubmission?.(frame.at, state.schema);
  if (kept !== undefined) return ingest(kept, state, frame);

  const { step, submitted } = openStep(state, frame, dueAt, run);
  const alarm = scope.fork();
  try {
    const ways = [submitted, scope.interrupted];
    if (state.timeout && dueAt !== undefined) ways.push(expiry(alarm, dueAt, state.timeout.next, step, run));
    run.movement.park(frame);
    return await Promise.race(ways);
  } finally {
    run.steps.close(step);
    alarm.interrupt('superseded');
  }
}

function expiryOf(seconds: number, run: Run): number {
  return Math.min(run.host.now() + seconds * 1000, latestInstant);
}

function ingest(payload: Json, state: WaitState, frame: Frame): Step {
  frame.context = withField(frame.context, 'payload', payload);
  return { next: state.next };
}

function openStep(state: WaitState, frame: Frame, dueAt: number | undefined, run: Run) {
  let take!: OpenStep['take'];
  const submitted = new Promise<Step>((resolve) => {
    take = (payload, { fields = {}, traceparent, request } = {}) => {
      run.steps.close(step);
      run.movement.resume(frame);
      worksOn(frame, request);
      run.requested(traceparent);
      frame.context = withFields(frame.context, fields);
      resolve(ingest(payload, state, frame));
    };
  });
  const step: OpenStep = { id: frame.at, state, frame, dueAt, take };
  run.steps.open(step);
  return { step, submitted };
}

/** The way out when nobody submits in time. A submission that came first has closed the step already. */
async function expiry(alarm: Scope, dueAt: number, next: string, step: OpenStep, run: Run): Promise<Step> {
  await alarm.sleepUntil(dueAt, `${step.id} timeout`);
  if (run.steps.get(step.id) !== step) return new Promise<never>(() => undefined);
  run.steps.close(step);
  run.movement.resume(step.frame);
  return { next };
}
