import { formatInstant } from '../base/time/instant.js';
import type { JourneyError } from '../engine/outcome.js';
import type { Pause, PipelineState, Reservation, SourceStop, SuspendedRun } from './state.js';

/** A reason why a pipeline is paused, as it is shown. */
export interface PauseView extends Omit<Pause, 'at' | 'reason' | 'source'> {
  reason: Pause['reason'] | 'suspended';
  at: string;
  /** The topic whose source stopped, and the id of the record that it cannot deliver. */
  source?: { topic: string; id?: string };
  /** The full explanation: start of the pause, event, call, known facts, and the next action. */
  text: string;
}

/** Whether the pipeline is paused: for a reason, or because of suspended runs. */
export function isPaused({ pauses, suspended }: Pick<PipelineState, 'pauses' | 'suspended'>): boolean {
  return pauses.length > 0 || suspended.length > 0;
}

/** The reasons why a pipeline is paused: suspended runs first, because they need a decision. */
export function pausesOf(
  state: Pick<PipelineState, 'pauses' | 'suspended' | 'runs'> & { definition: { name: string } },
): PauseView[] {
  const { name } = state.definition;
  const held = state.suspended.map(
    (run): PauseView => ({
      reason: 'suspended',
      at: formatInstant(run.endedAt),
      run: run.key,
      text: `Suspended since ${formatInstant(run.endedAt)}: ${suspendedText(name, run)}`,
    }),
  );
  const paused = state.pauses.map(({ source, ...pause }): PauseView => {
    const at = formatInstant(pause.at);
    return {
      ...pause,
      at,
      ...(source && { source: { topic: source.topic, ...(source.record && { id: source.record.id }) } }),
      text: `Paused since ${at}: ${source ? sourceText(name, source, pause.note) : pauseText(name, pause, state.runs)}`,
    };
  });
  return [...held, ...paused];
}

function suspendedText(pipeline: string, { key, handler, reservations, error, uncertain, succeeded }: SuspendedRun) {
  const subject = `${handler}${eventsText(reservations, 'holds')} (run ${key}).`;
  const todo = `Find out what happened, then run: journeyman pipeline resolve ${pipeline} ${key} retry|did_not_happen|skip`;
  return `${subject} ${knownText(error, uncertain, succeeded)} ${todo}`;
}

/** The known facts about the effects of a suspended run. */
function knownText(error: JourneyError, uncertain: SuspendedRun['uncertain'], succeeded: true | undefined): string {
  const end = errorText(error);
  if (succeeded) return `Its journey succeeded, but its output could not be applied: ${end}`;
  if (!uncertain) return `Its journey ended with ${end} The results of its calls are unknown.`;
  const { state, call, error: interruption } = uncertain;
  return `The call ${call} of the state ${state} was interrupted (${interruption.replace(/\.$/, '')}): it is unknown whether the service processed it. The journey then ended with ${end}`;
}

function pauseText(pipeline: string, { reason, note, run: key }: Pause, runs: PipelineState['runs']): string {
  const resume = `run: journeyman pipeline resume ${pipeline}`;
  if (reason === 'removed') return 'its document was removed. To continue, deploy it again: journeyman pipeline deploy';
  if (reason === 'user') return `${sentence(note ?? 'Paused by an operator')} To continue, ${resume}`;
  const run = runs.find((it) => it.key === key);
  const released = run && run.events > 0 ? ` Its ${run.events === 1 ? 'event is' : 'events are'} pending again.` : '';
  const subject = run ? `${run.handler} failed${eventsText(run.reservations, 'on', run.events)}` : 'a run failed';
  return `${subject} (run ${key}) with ${sentence(note ?? 'an error')}${released} Fix the cause, then ${resume}`;
}

function sourceText(pipeline: string, { topic, record, shrunk }: SourceStop, note = ''): string {
  const resume = `journeyman pipeline resume ${pipeline}`;
  if (record)
    return (
      `the record ${record.id} (partition ${record.partition}, offset ${record.offset}) cannot be an event of ${topic}. ${sentence(note)} ` +
      `To try it again, for example after a change of the document, run: ${resume} To skip it, run: journeyman pipeline resolve ${pipeline} ${record.id} skip`
    );
  const where = shrunk ? `To continue at the offset ${shrunk.end}` : 'To read the new topic from its beginning';
  return `the source of ${topic} no longer has the records that were taken from it. ${sentence(note)} ${where}, run: ${resume}`;
}

function eventsText(reservations: readonly Reservation[], verb: string, count = reservations.length): string {
  const [first] = reservations;
  if (!first) return '';
  const more = count > 1 ? ` and ${count - 1} more` : '';
  return ` ${verb} the event ${first[0]} ${first[1]}${more}`;
}

function errorText({ code, reason }: JourneyError): string {
  return reason === '' ? `${code}.` : `${code}: ${sentence(reason)}`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
