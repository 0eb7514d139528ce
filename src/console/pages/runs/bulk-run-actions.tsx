import { apiUrl } from '../../api/client.js';
import type { BulkResult, RunItem } from '../../api/run-types.js';
import { useChange } from '../../api/use-read-and-change.js';
import { Link } from '../../router.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ActionButton } from '../../ui/dialog.tsx';
import { Card } from '../../ui/page.tsx';
import { messages } from '../../ui-texts.js';

/** The result of a change of several runs, with the change itself. */
export interface BulkOutcome {
  readonly action: 'cancel' | 'retry';
  readonly items: BulkResult['items'];
}

interface BulkActionsProps {
  readonly runs: readonly RunItem[];
  onDone(outcome: BulkOutcome): void;
}

/** Cancels or retries the selected runs; `isPage`: all runs of the page are selected. */
export function BulkActions({ runs, isPage, onDone }: BulkActionsProps & { readonly isPage: boolean }) {
  const running = runs.filter(({ phase }) => phase === 'RUNNING');
  const failed = runs.filter(({ phase }) => phase === 'FAILED');
  if (runs.length === 0) return null;
  return (
    <div className="card card-body">
      <div className="row">
        <span role="status">{messages.runs.selected(runs.length, isPage)}</span>
        <Bulk action="cancel" runs={running} onDone={onDone} />
        <Bulk action="retry" runs={failed} onDone={onDone} />
      </div>
    </div>
  );
}

function Bulk({ action, runs, onDone }: BulkActionsProps & { readonly action: BulkOutcome['action'] }) {
  const change = useChange<BulkResult>();
  const text = action === 'cancel' ? messages.runs.cancelText : messages.runs.retryText;
  return (
    <ActionButton
      label={messages.runs[action]}
      {...(action === 'cancel' && { tone: 'danger' as const })}
      disabled={runs.length === 0}
      confirm={{ title: messages.runs[action], text: text(runs.length) }}
      change={change}
      run={(_, done) =>
        change.mutate(
          {
            path: action === 'cancel' ? apiUrl`/journeys/bulk/cancel` : apiUrl`/journeys/bulk/retry`,
            body: { ids: runs.map(({ journeyId }) => journeyId) },
          },
          {
            onSuccess: ({ items }) => {
              done();
              onDone({ action, items });
            },
          },
        )
      }
    />
  );
}

interface BulkResultsProps {
  readonly outcome: BulkOutcome;
  close(): void;
}

/** The totals of a change, and the result for each run. */
export function BulkResults({ outcome: { action, items }, close }: BulkResultsProps) {
  const [done, notDone] = [messages.runs.done[action], messages.runs.notDone[action]];
  const refused = items.filter(({ problem }) => problem).length;
  const changed = items.filter((it) => it.changed).length;
  const totals = [
    [changed, done],
    [items.length - changed - refused, notDone],
    [refused, messages.runs.refused],
  ] as const;
  return (
    <Card
      title={messages.runs.results}
      actions={
        <button type="button" className="button small" onClick={close}>
          {messages.dialog.keep}
        </button>
      }
      flush
    >
      <p className="card-body" role="status">
        <strong>
          {totals
            .filter(([count]) => count > 0)
            .map((total) => total.join(' '))
            .join(', ')}
        </strong>
      </p>
      <ul className="list">
        {items.map(({ journeyId, changed, run, problem }) => (
          <li key={journeyId} className="row">
            <Link to={`/runs/${encodeURIComponent(journeyId)}`} className="mono">
              {journeyId}
            </Link>
            {problem ? (
              <>
                <Badge text={problem.code} tone="bad" />
                <span className="muted small">{problem.detail ?? problem.title}</span>
              </>
            ) : (
              <Badge text={changed ? done : notDone} tone={changed ? 'good' : 'idle'} />
            )}
            {run && (
              <span>
                {messages.runs.retriedAs} <Link to={`/runs/${encodeURIComponent(run.journeyId)}`}>{run.journeyId}</Link>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
