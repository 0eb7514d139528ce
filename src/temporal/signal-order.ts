import type { Client } from '@temporalio/client';
import type { SignalAmongTimers } from '../../workflows/input.js';

/** How many events are read at once; a run that was away has few new ones. */
const pageSize = 50;

/**
 * Whether no timer had fired yet when a signal came. Looks at what one workflow task brought: the events between the previous task and its
 * start.
 */
export async function cameFirst(
  client: Client,
  execution: { workflowId: string; runId: string },
  { signal, nth, startedId }: SignalAmongTimers,
): Promise<boolean> {
  // Newest first, so what counts is what stands behind the signal: every signal of that name resets what was seen after it.
  const events: ('timer' | 'signal')[] = [];
  let token: Uint8Array | null = null;
  do {
    const page: Page = await client.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: client.options.namespace,
      execution,
      maximumPageSize: pageSize,
      nextPageToken: token,
    });
    for (const event of page.history?.events ?? []) {
      if (Number(event.eventId) > startedId) continue;
      if (event.workflowTaskCompletedEventAttributes) return isFirst(events.reverse(), nth);
      if (event.timerFiredEventAttributes) events.push('timer');
      if (event.workflowExecutionSignaledEventAttributes?.signalName === signal) events.push('signal');
    }
    token = page.nextPageToken;
  } while (token.length > 0);
  return isFirst(events.reverse(), nth);
}

type Page = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistoryReverse']>>;

/** In the order of the history: the signal in question is the `nth` of its name. */
function isFirst(events: readonly ('timer' | 'signal')[], nth: number): boolean {
  let left = nth;
  for (const event of events) {
    if (event === 'timer') return false;
    if (left === 0) return true;
    left -= 1;
  }
  return true;
}
