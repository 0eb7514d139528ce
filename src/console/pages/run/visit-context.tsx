import { apiUrl } from '../../api/client.js';
import type { ContextOfVisit, VisitItem } from '../../api/run-types.js';
import { useRead } from '../../api/use-read-and-change.js';
import { JsonChanges } from '../../ui/json-changes-table.tsx';
import { jsonChanges } from '../../ui/json-diff.js';
import { JsonText } from '../../ui/json-text.tsx';
import { Empty, ReadResult } from '../../ui/loading-empty-and-failure.tsx';
import { Card } from '../../ui/page.tsx';
import { messages } from '../../ui-texts.js';
import { ResetToVisit } from './retry-and-reset-run.tsx';

/** Changes that a visit made to the context of its run, and the whole context on request. */
export function VisitContextCard({
  journeyId,
  visit,
  hasEnded,
}: {
  readonly journeyId: string;
  readonly visit: VisitItem | undefined;
  readonly hasEnded: boolean;
}) {
  return (
    <Card
      title={visit ? `${messages.run.context}: ${visit.state}` : messages.run.context}
      actions={hasEnded && visit?.visit !== undefined && <ResetToVisit journeyId={journeyId} visit={visit} />}
    >
      {visit ? <Changes key={visit.n} journeyId={journeyId} visit={visit} /> : <Empty>{messages.run.noContext}</Empty>}
    </Card>
  );
}

function Changes({ journeyId, visit }: { readonly journeyId: string; readonly visit: VisitItem }) {
  // The context of a visit that has ended never changes.
  const context = useRead<ContextOfVisit>(apiUrl`/journeys/${journeyId}/trail/${String(visit.n)}/context`, {
    refresh: visit.leftAt === undefined ? 15_000 : false,
  });
  return (
    <ReadResult query={context}>
      {({ before, after }) => (
        <>
          {after && <JsonChanges before={before} after={after} nothing={messages.run.unchanged} />}
          <details open={after === undefined || jsonChanges(before, after).length === 0}>
            <summary>{messages.run.whole}</summary>
            <JsonText value={after ?? before} label={messages.run.whole} />
          </details>
        </>
      )}
    </ReadResult>
  );
}
