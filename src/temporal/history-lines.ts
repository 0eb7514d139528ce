import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { names, type StepSubmission } from '../../workflows/input.js';
import { isObject, type Json } from '../json/value.js';
import type { HistoryKind, HistoryLine } from '../service/run-history.js';
import { decodeArrayFromPayloads, decodeOptionalFailureToOptionalError, tsToMs } from './sdk.js';

type Event = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads | null | undefined;
type Failure = temporal.api.failure.v1.IFailure | null | undefined;

/** Timers that are the interpreter's own affair. */
const ownTimers: readonly string[] = ['answer the caller', 'lets other runs go on'];
/** How the SDK records a call that ran within a workflow task. */
const localMarker = 'core_local_activity';

/** A line; without a time, at that of its event. */
type Told = Omit<HistoryLine, 'at'> & { readonly at?: string };

/** What the SDK notes of a call within a workflow task. */
interface LocalFacts {
  readonly activity_type?: string;
  readonly complete_time?: { readonly seconds?: number; readonly nanos?: number } | string | null;
}

/** What a timeline needs to know of an event that others refer to. */
interface Asked {
  readonly label: string;
  readonly at: number;
}

/** Turns the events of one execution into lines, one after another: an answer is told with the name of what was asked. */
export class HistoryLines {
  private readonly asked = new Map<number, Asked>();
  /** When the current workflow task began: the run's clock stands there, and what it took in is written down only when the task ends. */
  private taskAt = 0;

  constructor(private readonly client: Client) {}

  /** The line of one event; undefined for what only Temporal is interested in. */
  async of(event: Event): Promise<HistoryLine | undefined> {
    const at = tsToMs(event.eventTime);
    const id = Number(event.eventId);
    const told = await this.tell(event, id, at);
    if (event.workflowTaskStartedEventAttributes) this.taskAt = at;
    return told && { at: iso(at), event: id, ...told };
  }

  private async tell(event: Event, id: number, at: number): Promise<Told | undefined> {
    const e = event;
    if (e.workflowExecutionStartedEventAttributes) {
      const { continuedExecutionRunId, workflowType } = e.workflowExecutionStartedEventAttributes;
      return continuedExecutionRunId ? undefined : { kind: 'started', text: workflowType?.name ?? '' };
    }
    if (e.activityTaskScheduledEventAttributes) {
      const label = await this.label(event, e.activityTaskScheduledEventAttributes.activityType?.name);
      this.asked.set(id, { label, at });
      return line('called', label);
    }
    const started = e.activityTaskStartedEventAttributes;
    if (started) {
      if ((started.attempt ?? 1) < 2) return undefined;
      const why = await this.message(started.lastFailure);
      return line('retried', this.labelOf(started.scheduledEventId), `attempt ${started.attempt}: ${why}`);
    }
    const done = e.activityTaskCompletedEventAttributes;
    if (done) return await this.answered(this.asked.get(Number(done.scheduledEventId)), at, done.result);
    const lost = e.activityTaskFailedEventAttributes ?? e.activityTaskTimedOutEventAttributes;
    if (lost) return line('failed', this.labelOf(lost.scheduledEventId), await this.message(lost.failure));
    const marker = e.markerRecordedEventAttributes;
    if (marker) return marker.markerName === localMarker ? await this.local(event, marker, at) : undefined;
    return (await this.timer(event, id, at)) ?? (await this.incoming(event)) ?? (await this.ending(event));
  }

  private async timer(event: Event, id: number, at: number) {
    if (event.timerStartedEventAttributes) {
      const label = await this.label(event, 'timer');
      if (ownTimers.includes(label)) return undefined;
      this.asked.set(id, { label, at });
      const ms = tsToMs(event.timerStartedEventAttributes.startToFireTimeout);
      return line('waits', label, `until ${iso(at + ms)}`);
    }
    const fired = this.asked.get(Number(event.timerFiredEventAttributes?.startedEventId));
    return fired && line('due', fired.label);
  }

  private async incoming(event: Event): Promise<Told | undefined> {
    const request = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
    if (request?.name === names.submitStep) {
      const [submission] = (await this.decoded(request.args)) as [StepSubmission | undefined];
      const { stepId = '', payload = null } = submission ?? {};
      return { at: iso(this.taskAt), kind: 'submitted', state: stepId, text: '', data: payload };
    }
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal) {
      const [data] = await this.decoded(signal.input);
      return { kind: 'signalled', text: signal.signalName ?? '', data: (data ?? null) as Json };
    }
    if (event.workflowExecutionCancelRequestedEventAttributes) return { kind: 'cancel', text: 'was asked to end' };
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
    return child ? { kind: 'child', text: child.workflowId ?? '' } : undefined;
  }

  private async ending(event: Event): Promise<Told | undefined> {
    const broken = event.workflowTaskFailedEventAttributes;
    if (broken) {
      const cause = proto.temporal.api.enums.v1.WorkflowTaskFailedCause[broken.cause ?? 0] ?? '';
      const name = cause.replace('WORKFLOW_TASK_FAILED_CAUSE_', '');
      return { kind: 'stuck', text: `${name}: ${await this.message(broken.failure)}` };
    }
    if (event.workflowTaskTimedOutEventAttributes)
      return { kind: 'stuck', text: 'No worker finished its task in time' };
    if (event.workflowExecutionContinuedAsNewEventAttributes)
      return { kind: 'continued', text: 'with a fresh history' };
    const completed = event.workflowExecutionCompletedEventAttributes;
    if (completed) {
      const [outcome] = await this.decoded(completed.result);
      return { kind: 'ended', ...endOf(outcome, 'SUCCEEDED') };
    }
    const failed = event.workflowExecutionFailedEventAttributes;
    if (failed) {
      const [outcome] = await this.decoded(failed.failure?.applicationFailureInfo?.details);
      const code = failed.failure?.applicationFailureInfo?.type ?? '';
      return { kind: 'ended', ...endOf(outcome, `FAILED ${code}: ${await this.message(failed.failure)}`) };
    }
    if (event.workflowExecutionCanceledEventAttributes) return { kind: 'ended', text: 'CANCELLED' };
    if (event.workflowExecutionTerminatedEventAttributes) {
      const { reason } = event.workflowExecutionTerminatedEventAttributes;
      return { kind: 'ended', text: `TERMINATED${reason ? `: ${reason}` : ''}` };
    }
    return event.workflowExecutionTimedOutEventAttributes ? { kind: 'ended', text: 'TIMED OUT' } : undefined;
  }

  /** A call within a workflow task: its marker holds the answer, and the moment of it. */
  private async local(
    event: Event,
    { details, failure }: temporal.api.history.v1.IMarkerRecordedEventAttributes,
    at: number,
  ): Promise<Told | undefined> {
    const [facts] = (await this.decoded(details?.data)) as [LocalFacts | undefined];
    const label = await this.label(event, facts?.activity_type);
    const ended = instantOf(facts?.complete_time);
    const told = failure
      ? line('failed', label, await this.message(failure))
      : await this.answered({ label, at }, at, details?.result);
    return { at: iso(ended ?? this.taskAt), ...told };
  }

  private async answered(asked: Asked | undefined, at: number, result: Payloads) {
    const [answer] = await this.decoded(result);
    const status = isObject(answer as Json) ? (answer as { status?: Json }).status : undefined;
    const took = asked && at > asked.at ? `after ${at - asked.at} ms` : '';
    const words = [typeof status === 'number' ? `status ${status}` : '', took].filter((it) => it !== '').join(', ');
    return { ...line('answered', asked?.label ?? '', words), ...(answer !== undefined && { data: answer as Json }) };
  }

  private labelOf(scheduled: { toString(): string } | null | undefined): string {
    return this.asked.get(Number(scheduled))?.label ?? '';
  }

  /** What an operator reads of an event: a state's id, and what it calls. */
  private async label({ userMetadata }: Event, otherwise: string | null | undefined): Promise<string> {
    const { summary } = userMetadata ?? {};
    const [text] = summary ? await this.decoded({ payloads: [summary] }) : [];
    return typeof text === 'string' ? text : (otherwise ?? '');
  }

  private async decoded(payloads: Payloads): Promise<unknown[]> {
    return (await decodeArrayFromPayloads(this.client.options.loadedDataConverter, payloads?.payloads)) ?? [];
  }

  private async message(failure: Failure): Promise<string> {
    const error = await decodeOptionalFailureToOptionalError(this.client.options.loadedDataConverter, failure);
    const cause = error?.cause as Error | undefined;
    return cause?.message ?? error?.message ?? '';
  }
}

/** A label is a state's id, and after a dot what it asks for. */
function line(kind: HistoryKind, label: string, more = ''): Omit<HistoryLine, 'at'> {
  const [state = '', ...about] = label.split(' · ');
  return { kind, state, text: [about.join(' · '), more].filter((it) => it !== '').join(', ') };
}

function endOf(outcome: unknown, otherwise: string): Pick<HistoryLine, 'text' | 'state' | 'data'> {
  if (!isObject(outcome as Json)) return { text: otherwise };
  const { phase, status, terminatedAtState, error, output } = outcome as Record<string, Json>;
  const why = isObject(error) ? `: ${String(error.cause ?? error.code)}, ${String(error.reason)}` : '';
  return {
    text: `${String(phase)}${status === phase || why ? '' : ` (${String(status)})`}${why}`,
    ...(typeof terminatedAtState === 'string' && { state: terminatedAtState }),
    ...(output !== undefined && output !== null && { data: output }),
  };
}

function instantOf(time: LocalFacts['complete_time']): number | undefined {
  if (typeof time === 'string') return Date.parse(time);
  return time ? Number(time.seconds ?? 0) * 1000 + Math.floor(Number(time.nanos ?? 0) / 1e6) : undefined;
}

export function iso(instant: number): string {
  return new Date(instant).toISOString();
}
