import { isDeepStrictEqual } from 'node:util';
import { readArguments } from '../../../../workflows/journey/build-workflow-input.js';
import type { JourneyInput } from '../../../../workflows/journey/workflow-contract.js';
import { isObject, type Json, type JsonObject } from '../../../base/json/value.js';
import { interpreterVersion } from '../../../engine/interpreter-version.js';
import type { RunTrail, TrailGap } from '../../../service/run-trail.js';
import type { EndOfExecution, RecordedEvent } from '../replay/decode-history-events.js';
import { type RecordedTask, ReplayDiffers, ReplayedExecution } from '../replay/replay-execution.js';
import { iso, TrailEntries } from './trail-entries.js';
import { VisitGuesser } from './visits-without-replay.js';

/** More events than an execution can have. */
const mostEvents = 1_000_000;
/** The longest time that the replay of a run may take. */
const replayMs = 30_000;

/** Errors of a run that ended too large. */
const sizeCodes: readonly string[] = ['CONTEXT_TOO_LARGE', 'PAYLOAD_TOO_LARGE'];

const commands: readonly RecordedEvent['kind'][] = [
  'effect',
  'local',
  'timerSet',
  'update',
  'command',
  'outcome',
  'continued',
  'end',
];

/** Builds the trail of a run from the events of its executions, oldest first. More events may follow at any time. */
export class TrailBuilder {
  entries = new TrailEntries();
  gap: TrailGap | undefined;
  phase: RunTrail['phase'] = 'RUNNING';
  input: JourneyInput | undefined;
  private readonly executions: {
    readonly runId: string;
    readonly events: RecordedEvent[];
    /** The last event whose effect is in the entries. */
    added: number;
  }[] = [];
  private execution: ReplayedExecution | undefined;
  private arrivals: RecordedEvent[] = [];
  private task: Extract<RecordedEvent, { kind: 'workflowTask' }> | undefined;
  /** Set once the replay was given up. */
  private guesser: VisitGuesser | undefined;
  private spentMs = 0;
  private bytesBefore = 0;

  constructor(private readonly workflowId: string) {}

  /** The last event that the trail contains, over all executions. */
  get cursor(): number {
    return Math.max(0, this.executions.length - 1) * mostEvents + (this.executions.at(-1)?.added ?? 0);
  }

  /** Whether the events of an execution up to this one have been added. */
  has(runId: string, event: number): boolean {
    return this.executions.some((it) => it.runId === runId && it.added >= event);
  }

  /** The size of the histories that the trail was built from. */
  get bytes(): number {
    return this.bytesBefore + (this.task?.bytes ?? 0);
  }

  hasBegun(runId: string): boolean {
    return this.executions.some((it) => it.runId === runId);
  }

  /** Adds the next events of an execution; whole batches, as the server returns them. */
  async add(runId: string, events: readonly RecordedEvent[]): Promise<void> {
    if (this.executions.at(-1)?.runId !== runId) {
      this.executions.push({ runId, events: [], added: 0 });
      this.bytesBefore = this.bytes;
      this.task = undefined;
    }
    const execution = this.executions.at(-1)!;
    for (const event of events) execution.events.push(event);
    this.entries.runId = runId;
    if (this.guesser) this.guess(events);
    else await this.replayed(events);
    const end = events.findLast((it) => it.kind === 'end');
    if (end?.kind === 'end') this.end(end);
    execution.added = execution.events.at(-1)?.id ?? 0;
  }

  private guess(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      this.entries.revision = this.revisionOf(event);
      this.guesser?.add(event);
    }
  }

  /** Replays events. Whatever goes wrong, the history itself is still worth showing. */
  private async replayed(events: readonly RecordedEvent[]): Promise<void> {
    const begun = performance.now() - this.spentMs;
    try {
      for (let i = 0; i < events.length && !this.guesser; i += 1) {
        i = await this.next(events, i);
        if (performance.now() - begun > replayMs)
          this.fallBack({ code: 'REPLAY_TOO_LONG', detail: 'The replay of its states takes too long.' });
      }
    } catch (error) {
      const detail = error instanceof ReplayDiffers ? error.message : `The replay failed: ${String(error)}`;
      this.fallBack({ code: 'REPLAY_DIFFERS', detail });
    }
    this.spentMs = performance.now() - begun;
  }

  /** Processes an event, and the commands that belong to it. Returns the index of the last one. */
  private async next(events: readonly RecordedEvent[], i: number): Promise<number> {
    const event = events[i]!;
    this.entries.revision = this.revisionOf(event);
    switch (event.kind) {
      case 'started':
        this.start(event);
        return i;
      case 'workflowTask':
        this.task = event;
        return i;
      case 'taskLost':
        if (event.seed) this.execution?.reseed(event.seed);
        if (event.message !== undefined)
          this.entries.add({ kind: 'blocked', at: iso(event.at), message: event.message });
        return i;
      case 'taskDone': {
        let last = i;
        while (commands.includes(events[last + 1]?.kind ?? 'other')) last += 1;
        await this.replayTask(events.slice(i + 1, last + 1));
        return last;
      }
      default:
        this.arrive(event);
        return i;
    }
  }

  private arrive(event: RecordedEvent): void {
    if (event.kind === 'attempt') this.execution?.attempted(event.of, event.attempt);
    if (event.kind === 'cancel')
      this.entries.add({ kind: 'cancel', at: iso(event.at), ...(event.by !== '' && { by: event.by }) });
    this.arrivals.push(event);
  }

  private start(event: Extract<RecordedEvent, { kind: 'started' }>): void {
    const input = readArguments(event.args);
    if (!input) throw new ReplayDiffers('It was started without a journey.');
    const before = this.input?.definition.version;
    this.input = input;
    if (this.executions.length === 1) this.entries.add({ kind: 'started', at: iso(event.at) });
    const to = input.definition.version;
    if (before !== undefined && before !== to)
      this.entries.add({ kind: 'migrated', at: iso(event.at), from: before, to });
    if (input.interpreter > interpreterVersion) {
      const detail = `The run uses version ${input.interpreter} of the interpreter, this process ${interpreterVersion}.`;
      this.fallBack({ code: 'INTERPRETER_DIFFERS', detail });
      return;
    }
    const { binding, context } = event.memo as { binding?: { startStateId: string }; context?: JsonObject };
    const isScheduled = input.info.scheduled === true && input.carried === undefined && binding !== undefined;
    const scheduled = isScheduled && { startStateId: binding.startStateId, context: context ?? {} };
    this.checkPosition(input.carried);
    const facts = { workflowId: this.workflowId, startTime: event.at, ...(scheduled && { scheduled }) };
    this.arrivals = [];
    this.execution = new ReplayedExecution(input, facts, event.seed, this.entries);
  }

  private async replayTask(done: readonly RecordedEvent[]): Promise<void> {
    const { task, execution, arrivals } = this;
    if (!task || !execution) return;
    this.arrivals = [];
    const recorded: RecordedTask = {
      at: task.at,
      historyLength: task.id,
      historySize: task.bytes,
      continueAsNewSuggested: task.suggested,
      arrivals,
      commands: done,
    };
    await execution.replay(recorded);
    for (const command of done) this.checkEnd(command, done);
  }

  /** Compares the end of an execution with that of the replay. */
  private checkEnd(event: RecordedEvent, done: readonly RecordedEvent[]): void {
    const { execution } = this;
    if (!execution || (event.kind !== 'continued' && event.kind !== 'end')) return;
    if (event.kind === 'end' && ['terminated', 'timedOut'].includes(event.how)) return;
    if (!execution.hasEnded)
      throw new ReplayDiffers(`The execution ended (event ${event.id}), and the replay does not.`);
    const memo = done.findLast((it) => it.kind === 'outcome');
    const recorded =
      event.kind === 'end' ? (event.outcome ?? (memo?.kind === 'outcome' ? memo.outcome : undefined)) : undefined;
    const { outcome } = execution;
    if (!outcome || !isObject(recorded as Json)) return;
    const there = recorded as JsonObject;
    // A run may fail at its end because of the size of what it leaves.
    if (isObject(there.error) && sizeCodes.includes(String(there.error.code))) return;
    const isSame =
      outcome.phase === there.phase &&
      outcome.terminatedAtState === there.terminatedAtState &&
      isDeepStrictEqual(plain(outcome.output), plain(there.output));
    if (!isSame)
      throw new ReplayDiffers(`The replay ends as ${outcome.phase} at ${outcome.terminatedAtState}, unlike the run.`);
  }

  /** Compares the contexts with which the run continued as new with those of the replay. */
  private checkPosition(carried: JourneyInput['carried']): void {
    const position = this.execution?.continuedAt;
    if (!position || !carried || carried.compensation) return;
    if (!isDeepStrictEqual(plain(position.root.context), plain(carried.position.root.context)))
      throw new ReplayDiffers('The run continued as new with another context than the replay.');
  }

  private end(event: EndOfExecution & { readonly at: number; readonly id: number }): void {
    const { entries } = this;
    entries.revision = this.revisionOf(event);
    entries.close(event.at);
    this.phase = event.how === 'completed' ? 'SUCCEEDED' : 'FAILED';
    const outcome = (event.outcome ?? this.recordedOutcome()) as Json | undefined;
    entries.add({ kind: 'ended', at: iso(event.at), phase: this.phase, ...describedEnd(event, outcome) });
  }

  /** The outcome that a cancelled run wrote to its memo. */
  private recordedOutcome(): unknown {
    const found = this.executions.at(-1)?.events.findLast((it) => it.kind === 'outcome');
    return found?.kind === 'outcome' ? found.outcome : undefined;
  }

  /** Builds the trail again, from the history alone. All of it counts as changed. */
  private fallBack(gap: TrailGap): void {
    this.gap = gap;
    this.execution = undefined;
    this.entries = new TrailEntries();
    this.entries.revision = this.revisionOf(this.executions.at(-1)!.events.at(-1)!);
    this.guesser = new VisitGuesser(this.entries);
    for (const { events } of this.executions) for (const event of events) this.guesser.add(event);
  }

  private revisionOf({ id }: { readonly id: number }): number {
    return (this.executions.length - 1) * mostEvents + id;
  }
}

/** A value as it looks in the history. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function describedEnd({ how, code, message }: EndOfExecution, outcome: Json | undefined) {
  if (!isObject(outcome)) {
    const status = {
      completed: 'SUCCEEDED',
      failed: 'FAILED',
      cancelled: 'CANCELLED',
      terminated: 'TERMINATED',
      timedOut: 'TIMED_OUT',
    };
    return { status: status[how], ...(code && { code }), ...(message && { reason: message }) };
  }
  const { status, terminatedAtState, error, output } = outcome;
  return {
    status: String(status),
    ...(typeof terminatedAtState === 'string' && { state: terminatedAtState }),
    ...(isObject(error) && { code: String(error.cause ?? error.code), reason: String(error.reason) }),
    ...(output !== undefined && output !== null && { output }),
  };
}
