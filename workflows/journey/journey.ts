import { allHandlersFinished, CancellationScope, condition } from '@temporalio/workflow';
import type { Outcome } from '../../src/engine/outcome.js';
import { close, conclude, publishOutcome } from './conclude-run.js';
import { Execution } from './execution.js';
import { readStart } from './read-start.js';
import { countStart } from './run-metrics.js';
import { admit, endSkippedRun } from './scheduled-run.js';
import type { JourneyInput } from './workflow-contract.js';

/** The workflow that runs every journey: it connects the pure engine to a host on Temporal. */
export async function journey(input: JourneyInput): Promise<Outcome> {
  const start = readStart(input);
  const refusal = await admit(start);
  if (refusal) return endSkippedRun(start, refusal);
  if (isFirstExecution(input)) countStart(start.definition);
  const execution = new Execution(start);
  const result = await execution.execute();
  if (result === 'refused') return endSkippedRun(start, 'SKIPPED');
  const ended = 'continueAt' in result ? await execution.continueAsNew() : result;
  execution.inbox.close();
  const conclusion = await conclude(execution, ended);
  await publishOutcome(execution, conclusion);
  if (!allHandlersFinished()) await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  return close(conclusion.outcome);
}

/** Whether this is the first execution of its run: a rerun carries a position from another run. */
function isFirstExecution({ carried }: JourneyInput): boolean {
  return !carried || carried.rerun === true;
}
