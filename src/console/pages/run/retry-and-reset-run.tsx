import { useState } from 'react';
import type { Json } from '../../../base/json/value.js';
import { apiUrl } from '../../api/client.js';
import type { ContextOfVisit, RunItem, TrailItem, VisitItem } from '../../api/run-types.js';
import { useChange, useRead } from '../../api/use-read-and-change.js';
import { JsonField } from '../../forms/json-field.tsx';
import { navigate } from '../../router.tsx';
import { ActionButton, Dialog } from '../../ui/dialog.tsx';
import { JsonText } from '../../ui/json-text.tsx';
import { Failure } from '../../ui/loading-empty-and-failure.tsx';
import { messages } from '../../ui-texts.js';
import { retriedVisit } from './default-and-retried-visit.js';

interface RetryProps {
  readonly journeyId: string;
  readonly entries: readonly TrailItem[];
}

/** Retries a failed run from the failed state, with an edited context if the operator wishes. */
export function Retry({ journeyId, entries }: RetryProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button primary" onClick={() => setOpen(true)}>
        {messages.run.retry}
      </button>
      {open && <RetryDialog journeyId={journeyId} entries={entries} close={() => setOpen(false)} />}
    </>
  );
}

function RetryDialog({ journeyId, entries, close }: RetryProps & { close(): void }) {
  const change = useChange<{ journeyId: string }>();
  const [definition, setDefinition] = useState<'same' | 'current'>('same');
  const [edits, setEdits] = useState(false);
  const [context, setContext] = useState<Json>();
  const [valid, setValid] = useState(true);
  const result = useRead<RunItem>(apiUrl`/journeys/${journeyId}/result`, { refresh: false });
  const from = result.data && retriedVisit(entries, result.data.error);
  const before = useRead<ContextOfVisit>(apiUrl`/journeys/${journeyId}/trail/${String(from?.n ?? 0)}/context`, {
    when: from !== undefined,
    refresh: false,
  });
  const call = from?.calls?.at(-1);
  const retry = () =>
    change.mutate(
      {
        path: apiUrl`/journeys/${journeyId}/retry`,
        body: { definition, ...(edits && context !== undefined && { context }) },
      },
      { onSuccess: (run) => navigate(`/runs/${encodeURIComponent(run.journeyId)}`) },
    );
  return (
    <Dialog title={messages.run.retryTitle} close={close}>
      <p className="muted">{messages.run.retryText}</p>
      {from && (
        <p>
          {messages.run.retriesFrom} <strong>{from.state}</strong>{' '}
          {call && (
            <span className="muted">
              · {messages.run.call} <code>{call.about ?? call.kind}</code>
            </span>
          )}
        </p>
      )}
      <label className="field">
        <span>{messages.run.definition}</span>
        <select value={definition} onChange={({ target }) => setDefinition(target.value as typeof definition)}>
          <option value="same">{messages.run.same}</option>
          <option value="current">{messages.run.current}</option>
        </select>
      </label>
      {from && (
        <label className="row">
          <input type="checkbox" checked={edits} onChange={({ target }) => setEdits(target.checked)} />
          {messages.run.editContext}
        </label>
      )}
      {before.error && <Failure error={before.error} />}
      {from && before.data && !edits && (
        <details open>
          <summary>{messages.run.contextBefore(from.state)}</summary>
          <JsonText value={before.data.before} label={messages.run.contextBefore(from.state)} />
        </details>
      )}
      {edits && before.data && (
        <JsonField
          label={messages.run.editedContext}
          value={before.data.before}
          onValue={(value, isValid) => {
            setValid(isValid);
            setContext(value);
          }}
        />
      )}
      {change.error && <Failure error={change.error} />}
      <div className="actions">
        <button type="button" className="button" onClick={close}>
          {messages.dialog.keep}
        </button>
        <button type="button" className="button primary" disabled={change.isPending || !valid} onClick={retry}>
          {messages.run.retry}
        </button>
      </div>
    </Dialog>
  );
}

interface ResetProps {
  readonly journeyId: string;
  readonly visit: VisitItem;
}

/** Starts a new run from a visit of a run that has ended. */
export function ResetToVisit({ journeyId, visit }: ResetProps) {
  const change = useChange<{ journeyId: string }>();
  return (
    <ActionButton
      label={messages.run.reset}
      small
      confirm={{ title: messages.run.resetTitle(visit.state), text: messages.run.resetText }}
      change={change}
      run={() =>
        change.mutate(
          { path: apiUrl`/journeys/${journeyId}/reset`, body: { visit: visit.visit } },
          { onSuccess: (run) => navigate(`/runs/${encodeURIComponent(run.journeyId)}`) },
        )
      }
    />
  );
}
