import { apiUrl, withQuery } from '../../api/client.js';
import type { ActiveStateItem, ItemPage, RunEventItem, RunItem, StepItem, TrailItem } from '../../api/run-types.js';
import { useRead } from '../../api/use-read-and-change.js';
import { SubmitForm } from '../../forms/step-form.tsx';
import { Link } from '../../router.tsx';
import { Badge, Tag } from '../../ui/badge.tsx';
import { JsonText } from '../../ui/json-text.tsx';
import { ReadResult } from '../../ui/loading-empty-and-failure.tsx';
import { Card } from '../../ui/page.tsx';
import { Countdown } from '../../ui/time.tsx';
import { instantText, spanText } from '../../ui/time-texts.js';
import { messages } from '../../ui-texts.js';

/** How a run ended: its error and where, or its output. */
export function RunOutcome({ run }: { readonly run: RunItem }) {
  const result = useRead<RunItem>(apiUrl`/journeys/${run.journeyId}/result`, { refresh: false });
  const tone = run.phase === 'FAILED' ? 'bad' : 'good';
  const status = result.data?.error?.cause ?? result.data?.status ?? run.phase;
  return (
    <Card title={messages.run.result} urgent actions={<Badge text={status} tone={tone} />}>
      <ReadResult query={result}>
        {(outcome) => <Outcome outcome={outcome} state={run.currentState ?? ''} />}
      </ReadResult>
      {run.phase === 'FAILED' && <Retries of={run.journeyId} />}
    </Card>
  );
}

function Outcome({ outcome, state }: { readonly outcome: RunItem; readonly state: string }) {
  const { error, output, uncertain = [] } = outcome;
  return (
    <>
      {error && (
        <div className="notice bad">
          <strong>{state === '' ? error.code : messages.run.failedIn(state)}</strong>
          <span>{error.reason}</span>
          <span className="small">
            <code>{error.cause ?? error.code}</code>{' '}
            {error.line !== undefined && messages.run.place(error.line, error.column ?? 1)}
          </span>
        </div>
      )}
      {uncertain.length > 0 && (
        <div className="notice warn">
          <strong>{messages.run.uncertain}</strong>
          {uncertain.map((it) => (
            <span key={`${it.within} ${it.state}`}>
              {it.state} {it.reason}
            </span>
          ))}
        </div>
      )}
      {output !== undefined && output !== null && <JsonText value={output} label={messages.run.output} />}
    </>
  );
}

interface WaitingStatesProps {
  readonly run: RunItem;
  readonly steps: readonly StepItem[] | undefined;
}

/** The states that a run is in: open steps with their forms, timers counted down, progress of items. */
export function WaitingStates({ run, steps = [] }: WaitingStatesProps) {
  const { activeStates = [], _links: links = {} } = run;
  if (run.phase !== 'RUNNING' || activeStates.length === 0) return null;
  return (
    <Card title={messages.run.waiting} flush urgent>
      <ul className="list">
        {activeStates.map((active) => {
          const step = steps.find(({ id }) => id === active.state);
          const href = links[active.state]?.href;
          return (
            <li key={`${active.within}/${active.state}`}>
              <div className="row">
                <strong>{active.state}</strong>
                <Badge text={active.type} tone={active.type === 'working' ? 'busy' : 'idle'} />
                <span className="end small">{active.dueAt !== undefined && <Countdown at={active.dueAt} />}</span>
              </div>
              {active.within !== undefined && <p className="mono small muted">{active.within}</p>}
              <Progress active={active} />
              {step && href !== undefined && (
                <SubmitForm
                  step={active.state}
                  href={apiUrl`/journeys/${run.journeyId}/steps/${active.state}`}
                  schema={step.schema}
                  signed={step.signed ?? false}
                />
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function Progress({ active: { items, round, state } }: { readonly active: ActiveStateItem }) {
  const [value, max] = items ? [items.done, items.total] : round ? [round.number, round.max] : [];
  if (value === undefined || max === undefined) return null;
  return (
    <p className="row small">
      <progress value={value} max={max} aria-label={state} />
      {value} / {max}
      {items && items.failed > 0 && <Badge text={`${items.failed} failed`} tone="bad" />}
    </p>
  );
}

/** Identity, version, times, tags and attributes of a run. */
export function RunFacts({ run, entries }: { readonly run: RunItem; readonly entries: readonly TrailItem[] }) {
  const at = (kind: RunEventItem['kind']) => entries.find((it): it is RunEventItem => it.kind === kind)?.at;
  const startedAt = at('started') ?? run.startedAt;
  const endedAt = at('ended') ?? run.endedAt ?? undefined;
  const { retryOf, subjectId, ...attributes } = run.attributes ?? {};
  const rows: readonly (readonly [string, string | undefined])[] = [
    [messages.fields.id, run.journeyId],
    [messages.fields.version, run.journeyVersion],
    [messages.fields.started, startedAt && instantText(startedAt)],
    [messages.fields.ended, endedAt && instantText(endedAt)],
    [messages.fields.duration, startedAt && endedAt && spanText(Date.parse(endedAt) - Date.parse(startedAt))],
    [messages.fields.subject, subjectId],
    ...Object.entries(attributes),
  ];
  return (
    <Card title={messages.run.facts}>
      <dl className="facts">
        <dt>{messages.fields.journey}</dt>
        <dd>
          <Link to={`/journeys/${encodeURIComponent(run.journeyName)}`}>{run.journeyName}</Link>
        </dd>
        {rows.map(([name, value]) =>
          value === undefined || value === '' ? null : (
            <div key={name} className="fact">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
        {retryOf !== undefined && (
          <>
            <dt>{messages.run.retryOf}</dt>
            <dd>
              <Link to={`/runs/${encodeURIComponent(retryOf)}`}>{retryOf}</Link>
            </dd>
          </>
        )}
      </dl>
      {run.tags && run.tags.length > 0 && (
        <p className="tags">
          {run.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </p>
      )}
    </Card>
  );
}

/** The runs that repeat a failed one, so that nobody retries it once more by mistake. */
function Retries({ of }: { readonly of: string }) {
  const retries = useRead<ItemPage<RunItem>>(withQuery(apiUrl`/journeys`, { 'attributes.retryOf': of, pageSize: 5 }));
  const items = retries.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <div className="notice">
      <strong>{messages.run.retriedAs}</strong>
      {items.map(({ journeyId, phase }) => (
        <span key={journeyId}>
          <Link to={`/runs/${encodeURIComponent(journeyId)}`}>{journeyId}</Link> <Badge text={phase} />
        </span>
      ))}
    </div>
  );
}
