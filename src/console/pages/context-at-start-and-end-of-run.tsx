import { apiUrl, withQuery } from '../api/client.js';
import type { ContextOfVisit, TrailPage } from '../api/run-types.js';
import { useRead } from '../api/use-read-and-change.js';
import { JsonChanges } from '../ui/json-changes-table.tsx';
import { Failure, Loading } from '../ui/loading-empty-and-failure.tsx';
import { messages } from '../ui-texts.js';

/** The differences between the context with which a run began and the one with which it ended. */
export function RunContextChanges({ journeyId }: { readonly journeyId: string }) {
  const trail = useRead<TrailPage>(withQuery(apiUrl`/journeys/${journeyId}/trail`, { pageSize: 1000 }), {
    refresh: false,
  });
  const visits = trail.data?.entries.filter((it) => it.kind === 'visit' && it.within === undefined) ?? [];
  const contextOf = (n: number | undefined) => apiUrl`/journeys/${journeyId}/trail/${String(n ?? 0)}/context`;
  const [first, last] = [visits[0]?.n, visits.at(-1)?.n];
  const started = useRead<ContextOfVisit>(contextOf(first), { when: first !== undefined, refresh: false });
  const ended = useRead<ContextOfVisit>(contextOf(last), { when: last !== undefined, refresh: false });
  const error = trail.error ?? started.error ?? ended.error;
  if (error) return <Failure error={error} />;
  if (trail.data && first === undefined) return <p className="muted">{messages.run.unchanged}</p>;
  if (!started.data || !ended.data) return <Loading />;
  const after = ended.data.after ?? ended.data.before;
  return <JsonChanges before={started.data.before} after={after} nothing={messages.schedules.sameContext} />;
}
