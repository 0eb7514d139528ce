import { apiUrl, withQuery } from '../api/client.js';
import type { ContextOfVisit, OpenStepItem, TrailPage } from '../api/run-types.js';
import { useRead } from '../api/use-read-and-change.js';
import { JsonText } from '../ui/json-text.tsx';
import { messages } from '../ui-texts.js';

/** The context of the state that an open step waits in; nothing for readers who may not see contexts. */
export function StepContext({ step: { journeyId, state, within } }: { readonly step: OpenStepItem }) {
  const trail = useRead<TrailPage>(withQuery(apiUrl`/journeys/${journeyId}/trail`, { pageSize: 1000 }), {
    refresh: false,
  });
  const visit = trail.data?.entries.findLast(
    (it) => it.kind === 'visit' && it.state === state && it.within === within && it.outcome === 'running',
  );
  const context = useRead<ContextOfVisit>(apiUrl`/journeys/${journeyId}/trail/${String(visit?.n ?? 0)}/context`, {
    when: visit !== undefined,
    refresh: false,
  });
  if (!context.data) return null;
  return (
    <details open>
      <summary>{messages.run.context}</summary>
      <JsonText value={context.data.before} label={messages.run.context} />
    </details>
  );
}
