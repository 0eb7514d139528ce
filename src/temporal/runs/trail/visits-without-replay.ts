import { names, ownTimers, type StepSubmission } from '../../../../workflows/journey/workflow-contract.js';
import type { RecordedEvent } from '../replay/decode-history-events.js';
import type { OpenCall, OpenTimer } from '../replay/observe-replayed-states.js';
import { ownActivities } from '../replay/replay-execution.js';
import { iso, type TrailEntries } from './trail-entries.js';

/** Endings of the labels of a state's timers. */
const timerEnding = / (timeout|poll|retry)$/;

/** Labels of timers that belong to no state. */
const own: readonly string[] = Object.values(ownTimers);
/** Activities of a scheduled run itself. */
const ownEffects: readonly string[] = Object.values(ownActivities);

/**
 * Adds what a history tells without a replay: the states that called, waited or got a submission. States that left no event are missing, and
 * so are the places of states in branches.
 */
export class VisitGuesser {
  private readonly calls = new Map<number, OpenCall>();
  private readonly timers = new Map<number, OpenTimer>();
  private started = false;

  constructor(private readonly entries: TrailEntries) {}

  add(event: RecordedEvent): void {
    const { entries } = this;
    const at = iso(event.at);
    switch (event.kind) {
      case 'started':
        this.calls.clear();
        this.timers.clear();
        if (!this.started) entries.add({ kind: 'started', at });
        this.started = true;
        return;
      case 'effect':
        if (!ownEffects.includes(event.name)) this.calls.set(event.id, this.call(event, event.at));
        return;
      case 'local':
        this.call(event, event.at).ended(
          event.endedAt ?? event.at,
          event.failure ? { failure: event.failure } : { answer: event.result },
        );
        return;
      case 'attempt':
        this.calls.get(event.of)?.attempted(event.attempt);
        return;
      case 'answered':
        this.calls.get(event.of)?.ended(event.at, { answer: event.result });
        return;
      case 'failed':
        this.calls.get(event.of)?.ended(event.at, { failure: event.failure });
        return;
      case 'cancel':
        entries.add({ kind: 'cancel', at });
        return;
      case 'signal':
        entries.unclaimed(event.at, event);
        return;
      case 'taskLost':
        if (event.message !== undefined) entries.add({ kind: 'blocked', at, message: event.message });
        return;
      default:
        this.wait(event);
    }
  }

  private wait(event: RecordedEvent): void {
    const { entries } = this;
    if (event.kind === 'timerSet') {
      if (own.includes(event.label)) return;
      const id = entries.guessed(stateOf(event.label.replace(timerEnding, '')), event.at);
      this.timers.set(event.id, entries.waits(id, event.at, event.at + event.ms));
    } else if (event.kind === 'fired') this.timers.get(event.of)?.fired(event.at);
    else if (event.kind === 'update' && event.name === names.submitStep) {
      const { stepId, payload } = event.args[0] as StepSubmission;
      entries.submitted(entries.guessed(stepId, event.at), event.at, payload);
    }
  }

  private call(event: Extract<RecordedEvent, { kind: 'effect' | 'local' }>, at: number): OpenCall {
    const [, ...about] = event.label.split(' · ');
    const id = this.entries.guessed(stateOf(event.label), at);
    return this.entries.call(id, {
      kind: event.name,
      at,
      about: about.join(' · '),
      ...(event.kind === 'effect' && { request: event.input }),
    });
  }
}

function stateOf(label: string): string {
  return label.split(' · ')[0] ?? '';
}
