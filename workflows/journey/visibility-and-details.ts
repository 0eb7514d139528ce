import { upsertSearchAttributes } from '@temporalio/workflow';
import type { JsonObject } from '../../src/base/json/value.js';
import { compensationFailedTag, failureCode, type Outcome } from '../../src/engine/outcome.js';
import type { Run } from '../../src/engine/run.js';
import { currentState, statusOfRun } from '../../src/engine/run-status.js';
import { type AttributeValues, attributesOf, awaitsStep, pairs } from '../shared/run-search-attributes.js';

/**
 * Keeps a run's search attributes up to date. An upsert is a history event, so only changes are written, and only when the run parks.
 * Attributes that the journey sets are written before its next effect, or at its end.
 */
export class Visibility {
  private shown: AttributeValues;
  private written: JsonObject;

  constructor(
    private readonly run: Run,
    /** Whether the run has parked before, in this execution or an earlier one. */
    private parked: boolean,
  ) {
    this.shown = attributesOf(run.definition, run.position);
    // The previous execution may have set it or not.
    if (parked) this.shown.JourneyOutcome = '';
    this.written = run.position.attributes;
  }

  park(): void {
    this.parked = true;
    const waits = this.run.steps.all().length > 0;
    this.show({ JourneyState: currentState(this.run), JourneyOutcome: waits ? awaitsStep : undefined });
  }

  /** Writes attributes that the journey has set since. */
  showAttributes(): void {
    if (this.run.position.attributes !== this.written) this.show({});
  }

  /**
   * Writes the end of a run that has parked or failed: failures are listed and counted by their code. A run that succeeded without parking is
   * found by its execution status. Failed compensations have a tag.
   */
  end({ error, status, terminatedAtState }: Outcome, compensationFailed: boolean): void {
    if (!this.parked && !error && !compensationFailed) {
      this.showAttributes();
      return;
    }
    const { JourneyTags = [] } = attributesOf(this.run.definition, this.run.position);
    this.show({
      JourneyState: terminatedAtState,
      JourneyOutcome: error ? failureCode(error) : status,
      ...(compensationFailed && { JourneyTags: [compensationFailedTag, ...JourneyTags] }),
    });
  }

  private show(values: AttributeValues): void {
    this.written = this.run.position.attributes;
    const now = { ...attributesOf(this.run.definition, this.run.position), ...values };
    const changed = pairs(now, this.shown);
    this.shown = { ...this.shown, ...now };
    if (changed.length > 0) upsertSearchAttributes(changed);
  }
}

/** Number of states shown of the path, and of active ones. */
const shown = 30;

/** The run as Markdown, for the "current details" of Temporal's Web UI: its states, without values of the journey. */
export function runDetails(run: Run, notes: string[], outcome?: Outcome): string {
  const { name, version } = run.definition;
  const lines = [`### ${name} ${version}`, ''];
  if (outcome) lines.push(...describeOutcome(outcome));
  else lines.push(`**Current state** \`${currentState(run)}\``, '', ...describeActive(run));
  if (notes.length > 0) lines.push('', '**Notes**', '', ...notes.slice(-10).map((note) => `- ${note}`));
  lines.push('', '**Path**', '', ...describeTrail(run));
  return lines.join('\n');
}

function describeOutcome(outcome: Outcome): string[] {
  const lines = [`**${outcome.phase}** (${outcome.status}) at \`${outcome.terminatedAtState}\``];
  if (outcome.error) lines.push('', `\`${outcome.error.code}\`: ${outcome.error.reason}`);
  return lines;
}

function describeActive(run: Run): string[] {
  const { activeStates } = statusOfRun(run);
  const lines = activeStates.slice(0, shown).map(({ state, step, type, items, round, dueAt, within }) => {
    const far = items
      ? `, ${items.done} of ${items.total} done${items.failed > 0 ? `, ${items.failed} failed` : ''}`
      : '';
    const turn = round ? `, round ${round.number} of ${round.max}` : '';
    const due = dueAt ? `, until ${dueAt}` : '';
    return `- \`${step ?? state}\` (${type}${far}${turn}${due})${within ? ` in ${within}` : ''}`;
  });
  return activeStates.length > shown ? [...lines, `- and ${activeStates.length - shown} more`] : lines;
}

function describeTrail(run: Run): string[] {
  const { entries, dropped } = run.trail;
  const last = entries.slice(-shown);
  const hidden = dropped + entries.length - last.length;
  const lines = last.map(
    ({ state, frame, at }) => `1. \`${state}\`${frame ? ` (${frame})` : ''} ${new Date(at).toISOString()}`,
  );
  return hidden > 0 ? [`${hidden} earlier states`, '', ...lines] : lines;
}
