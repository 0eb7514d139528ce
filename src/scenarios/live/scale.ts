import type { Definition, State, TextSource } from '../../definition/definition.js';
import { hasPlaceholder } from '../../definition/template.js';
import { mapStates } from '../../states/graphs.js';
import type { HttpCallTask } from '../../tasks/http-call/read.js';
import { addDuration, formatInstant, parseDuration, parseInstant } from '../../time/duration.js';

/** How virtual time maps to real time: `factor` virtual milliseconds pass in one real one. */
export interface TimeScale {
  factor: number;
  /** The scenario's start instant. */
  virtualStart: number;
  /** The instant at which the run really starts. */
  realStart: number;
}

/** Real milliseconds for a virtual span. */
export function realMs(virtualMs: number, { factor }: TimeScale): number {
  return virtualMs / factor;
}

/** Where a scenario lets a call time out, calls give up after this time at the latest. */
const longestCallMs = 1_500;

/**
 * The same journey with its times shortened: timers, timeouts of waits, the deadline, delays between retries.
 * With `hasty`, calls give up soon, for scenarios in which one gets no answer.
 */
export function scaled(definition: Definition, scale: TimeScale, hasty: boolean): Definition {
  if (scale.factor === 1 && !hasty) return definition;
  const { execution } = definition;
  const change = (it: State) => state(it, scale, hasty);
  return {
    ...mapStates(definition, change),
    subjourneys: Object.fromEntries(
      Object.entries(definition.subjourneys).map(([id, it]) => [id, mapStates(it, change)]),
    ),
    ...(definition.compensation && { compensation: mapStates(definition.compensation, change) }),
    ...(execution && { execution: { ...execution, maxDurationSec: execution.maxDurationSec / scale.factor } }),
  };
}

function state(it: State, scale: TimeScale, hasty: boolean): State {
  switch (it.type) {
    case 'timer':
      return {
        ...it,
        ...(it.duration && { duration: duration(it.duration, scale) }),
        ...(it.until && { until: until(it.until, scale) }),
        ...(isComputed(it.duration ?? it.until) && { speed: scale.factor }),
      };
    case 'wait':
    case 'webhook':
      return it.timeout ? { ...it, timeout: { ...it.timeout, sec: it.timeout.sec / scale.factor } } : it;
    case 'task':
      return it.task.kind === 'httpCall:v1' ? { ...it, task: call(it.task as HttpCallTask, scale, hasty) } : it;
    default:
      return it;
  }
}

function isComputed(source: TextSource | undefined): boolean {
  return source !== undefined && ('mapper' in source || hasPlaceholder(source.text));
}

function duration(source: TextSource, { factor, virtualStart }: TimeScale): TextSource {
  const parsed = 'text' in source ? parseDuration(source.text) : undefined;
  if (!parsed) return source;
  return { text: `PT${((addDuration(virtualStart, parsed) - virtualStart) / factor / 1000).toFixed(3)}S` };
}

function until(source: TextSource, { factor, virtualStart, realStart }: TimeScale): TextSource {
  const instant = 'text' in source ? parseInstant(source.text) : undefined;
  return instant === undefined ? source : { text: formatInstant(realStart + (instant - virtualStart) / factor) };
}

function call(task: HttpCallTask, { factor }: TimeScale, hasty: boolean): HttpCallTask {
  const { retry } = task;
  const backoff = retry && {
    ...retry.backoff,
    baseDelayMs: retry.backoff.baseDelayMs / factor,
    maxDelayMs: retry.backoff.maxDelayMs / factor,
  };
  return {
    ...task,
    ...(hasty && { timeoutMs: Math.min(task.timeoutMs, longestCallMs) }),
    ...(retry && backoff && { retry: { ...retry, backoff } }),
  };
}
