import type { TextSource } from '../../definition/definition.js';
import { type Frame, progressOf, worksOn } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import type { Run } from '../../engine/run.js';
import type { Step } from '../../engine/vocabulary.js';
import { refuse } from '../../problems/problem.js';
import { addDuration, latestInstant, parseDuration, parseInstant } from '../../time/duration.js';
import type { TimerState } from './read.js';

/** Waits for a duration or until an instant, without touching the context. One already due does not wait at all. */
export async function execute(state: TimerState, frame: Frame, scope: Scope, run: Run): Promise<Step> {
  worksOn(frame, undefined);
  const dueAt = progressOf(frame, 'timer')?.dueAt ?? (await dueTime(state, frame, run));
  if (dueAt > run.host.now()) {
    if (!frame.progress) run.asks(frame);
    frame.progress = { kind: 'timer', dueAt };
    const sleeping = scope.sleepUntil(dueAt, frame.at);
    run.movement.park(frame);
    await sleeping;
    run.movement.resume(frame);
  }
  return { next: state.next };
}

async function dueTime(state: TimerState, frame: Frame, run: Run): Promise<number> {
  if (state.until) {
    const instant = parseInstant(await text(state.until, frame, run));
    if (instant !== undefined && instant <= latestInstant) return sooner(instant, state, run);
    return refuse('TIMER_UNTIL', '`until` must be an RFC 3339 timestamp such as 2030-01-31T09:00:00Z.');
  }
  const duration = parseDuration(state.duration ? await text(state.duration, frame, run) : '');
  if (!duration) return refuse('TIMER_DURATION', '`duration` must be an ISO-8601 duration such as PT5M or P1D.');
  const dueAt = addDuration(run.host.now(), duration);
  if (dueAt <= latestInstant) return sooner(dueAt, state, run);
  return refuse('TIMER_DURATION', 'The timer would be due after the year 9999.');
}

function sooner(dueAt: number, { speed }: TimerState, run: Run): number {
  const now = run.host.now();
  return speed === undefined ? dueAt : now + Math.ceil((dueAt - now) / speed);
}

async function text(source: TextSource, frame: Frame, run: Run): Promise<string> {
  const value =
    'text' in source ? run.interpolate(source.text, frame) : await run.evaluate(source.mapper, 'mapper', frame);
  return typeof value === 'string' ? value : '';
}
