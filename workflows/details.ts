import type { Outcome } from '../src/engine/outcome.js';
import type { Run } from '../src/engine/run.js';
import { currentState, statusOfRun } from '../src/engine/status.js';

/** How many states of the path to show, and how many active ones. */
const shown = 30;

/** The run as Markdown, for the "current details" of Temporal's Web UI: no values of the journey, only where it is and was. */
export function describeRun(run: Run, notes: string[], outcome?: Outcome): string {
  const { name, version } = run.definition;
  const lines = [`### ${name} ${version}`, ''];
  if (outcome) lines.push(...describeOutcome(outcome));
  else lines.push(`**Now at** \`${currentState(run)}\``, '', ...describeActive(run));
  if (notes.length > 0) lines.push('', '**Notes**', '', ...notes.slice(-10).map((note) => `- ${note}`));
  lines.push('', '**Way so far**', '', ...describeTrail(run));
  return lines.join('\n');
}

function describeOutcome(outcome: Outcome): string[] {
  const lines = [`**${outcome.phase}** (${outcome.status}) at \`${outcome.terminatedAtState}\``];
  if (outcome.error) lines.push('', `\`${outcome.error.code}\`: ${outcome.error.reason}`);
  return lines;
}

function describeActive(run: Run): string[] {
  const { activeStates } = statusOfRun(run);
  const lines = activeStates.slice(0, shown).map(({ state, type, items, dueAt, within }) => {
    const far = items
      ? `, ${items.done} of ${items.total} done${items.failed > 0 ? `, ${items.failed} failed` : ''}`
      : '';
    const due = dueAt ? `, until ${dueAt}` : '';
    return `- \`${state}\` (${type}${far}${due})${within ? ` in ${within}` : ''}`;
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
