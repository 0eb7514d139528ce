import type { Place } from '../../../base/document/placed-value.js';
import { describeType, integer } from '../../../base/document/read-fields.js';
import { part, shape, textOf, wholeOf } from '../../../base/document/schema-builders.js';
import { type Json, own } from '../../../base/json/value.js';
import { addDuration, likelyDuration, parseDuration } from '../../../base/time/duration.js';
import { scaleDuration, type TimeScale } from '../../../base/time/time-scale.js';
import type { Expression, Task } from '../../../engine/definition/definition.js';
import { type Frame, type Progress, progressOf, setRequest } from '../../../engine/frame.js';
import { Interrupted, type Scope } from '../../../engine/host.js';
import type { Run } from '../../../engine/run.js';
import { withField } from '../../../engine/update-context.js';
import { isObjectShape, objectShape, type Shape, unionShape, withShape } from '../../../expressions/value-shape.js';
import type { GraphReading } from '../../read/document-reading-state.js';
import { forbidInApi } from '../../read/forbid-in-api.js';
import { predicate, siteIn } from '../../read/read-expressions-and-mappers.js';
import { behaviourOf } from '../../tasks/registry.js';
import { isTrue } from '../check-predicate-result.js';
import type { StateFlow } from '../context-reads-and-writes.js';

/** Repeats a task until a predicate over its result holds. */
export interface Poll {
  until: Expression;
  /** An ISO-8601 duration: the pause between two rounds. */
  every: string;
  /** The most rounds. */
  max: number;
}

const mostRounds = 10_000;
const shortestMs = 1_000;

/** JSON Schema of `poll`. */
export const pollSchema = {
  ...shape(
    'Repeats the task until a predicate over its result holds. An extension, refused by --strict.',
    {
      until: part('predicate', 'Ends the poll; it sees result, the result of the latest round, and the context.'),
      every: textOf('The pause between two rounds: an ISO-8601 duration, at least PT1S.'),
      max: {
        ...wholeOf('The most rounds. After the last one, the result is ok: false with the error type POLL_EXHAUSTED.'),
        maximum: mostRounds,
      },
    },
    ['until', 'every', 'max'],
  ),
};

/** Reads the `poll` of a task. */
export function readPoll(place: Place, task: Task | undefined, within: GraphReading): Poll | undefined {
  if (place.value === undefined) return undefined;
  if (!place.report.compat) place.error('POLL_EXTENSION', 'The language has no poll.', undefined, 'key');
  forbidInApi(place, within, 'TIMER_IN_API', 'sleep between the rounds of a poll');
  if (!place.object) {
    place.error('POLL_SHAPE', `poll must be an object with until, every and max, not ${describeType(place.value)}.`);
    return undefined;
  }
  place.only(Object.keys(pollSchema.properties));
  if (task && (task.resultVar === undefined || !behaviourOf(task).effect))
    place.error('POLL_TASK', 'A poll needs a task with resultVar that asks a service.', undefined, 'key');
  const until = predicate(place.at('until'), siteIn(within, 'predicate', ['result']));
  const every = readEvery(place.at('every'));
  const max = integer(place.at('max'), 'POLL_MAX', 'max');
  if (max !== undefined && max > mostRounds)
    place.at('max').error('POLL_MAX', `max is at most ${mostRounds}, not ${max}.`);
  return until && every !== undefined && max !== undefined ? { until, every, max } : undefined;
}

function readEvery(place: Place): string | undefined {
  const { value } = place;
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  if (duration && addDuration(0, duration) >= shortestMs) return value as string;
  const meant = typeof value === 'string' && !duration ? likelyDuration(value) : undefined;
  const why = duration ? 'is shorter than a second' : 'is not a valid duration';
  place.error(
    'POLL_EVERY',
    value === undefined ? 'every is missing.' : `every ${why}: ${describeType(value)}.`,
    meant && `Write ${meant}, in ISO-8601 format.`,
  );
  return undefined;
}

/** Progress of a poll: the number of its latest round, and the time of the next one during the pause. */
interface PollProgress extends Progress {
  kind: 'poll';
  round: { number: number; max: number };
}

/** Runs `once` until the predicate holds or `max` rounds are done. Pauses by a durable timer; the run can continue as new there. */
export async function repeat(
  { until, every, max }: Poll,
  resultVar: string,
  frame: Frame,
  scope: Scope,
  run: Run,
  once: (round: number) => void | Promise<void>,
): Promise<void> {
  for (;;) {
    const before = progressOf<PollProgress>(frame, 'poll');
    if (before?.dueAt !== undefined) await pause(before.dueAt, frame, scope, run);
    const number = (before?.round.number ?? 0) + 1;
    frame.progress = { kind: 'poll', round: { number, max } };
    await once(number);
    const result = own(frame.context, resultVar) ?? null;
    if (isTrue(await run.evaluate(until, 'predicate', frame, { result }))) return;
    if (number >= max) {
      frame.context = withField(frame.context, resultVar, exhausted(number, result));
      return;
    }
    const dueAt = addDuration(run.host.now(), parseDuration(every)!);
    frame.progress = { kind: 'poll', round: { number, max }, dueAt };
  }
}

async function pause(dueAt: number, frame: Frame, scope: Scope, run: Run): Promise<void> {
  if (scope.interruption) throw new Interrupted(scope.interruption);
  setRequest(frame, undefined);
  if (dueAt > run.host.now()) {
    run.asks(frame);
    const sleeping = scope.sleepUntil(dueAt, `${frame.at} poll`);
    run.parking.park(frame);
    await sleeping;
    run.parking.resume(frame);
  }
  const held = run.parking.checkpoint(frame);
  if (held) await Promise.race([held, scope.interrupted]);
}

/** The result of a poll whose predicate never held. */
function exhausted(rounds: number, last: Json): Json {
  const message = `until did not hold in ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
  return { ok: false, error: { type: 'POLL_EXHAUSTED', message }, last };
}

/** The context after a poll, from the context after one round. */
export function polledShape({ resultVar }: Task, context: Shape, flow: StateFlow): Shape {
  const result = (isObjectShape(context) && context.fields.get(resultVar!)) || 'anything';
  flow.result('poll/until', context, { result });
  const error = objectShape([
    ['type', 'text'],
    ['message', 'text'],
  ]);
  const end = objectShape([
    ['ok', 'boolean'],
    ['error', error],
    ['last', result],
  ]);
  return withShape(context, [resultVar!], unionShape(result, end));
}

/** A poll with its pause shortened. */
export function scalePoll(poll: Poll, scale: TimeScale): Poll {
  return { ...poll, every: scaleDuration(poll.every, scale) };
}
