import { useState } from 'react';
import { apiUrl, withQuery } from '../../api/client.js';
import type { ItemPage, PhaseCounts, RunItem } from '../../api/run-types.js';
import { useIsOperator, useRead } from '../../api/use-read-and-change.js';
import { Link, setQuery, useAddress } from '../../router.tsx';
import { Badge } from '../../ui/badge.tsx';
import { isFiltered } from '../../ui/filter-field.tsx';
import { Empty, ReadResult } from '../../ui/loading-empty-and-failure.tsx';
import { NextPage, PageFrame } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { localMinute, spanText } from '../../ui/time-texts.js';
import { messages } from '../../ui-texts.js';
import { BulkActions, type BulkOutcome, BulkResults } from './bulk-run-actions.tsx';
import { retriesAmong } from './retries-among.js';
import { allPhases, RunFilters } from './run-filters.tsx';

/** Filters of the page by their parameter in its address, with their parameter of the HTTP API. */
const filters = {
  journey: 'journeyName',
  key: 'key',
  phase: 'phase',
  state: 'currentState',
  error: 'errorCode',
  tag: 'tag',
  subject: 'subjectId',
} as const;

/** Runs by filters that the page's address holds, with counts, and changes of several at once. */
export function RunsPage() {
  const { query } = useAddress();
  const asked = apiFilters(query);
  const list = useRead<ItemPage<RunItem>>(
    withQuery(apiUrl`/journeys`, { ...asked, pageSize: 50, pageToken: query.get('page') ?? undefined }),
    { keep: true },
  );
  const counts = useRead<PhaseCounts>(
    withQuery(apiUrl`/journeys/counts`, { ...asked, phase: undefined, errorCode: undefined }),
    {
      keep: true,
      refresh: 15_000,
    },
  );
  return (
    <PageFrame title={messages.runs.title}>
      {counts.data && <Counts counts={counts.data} />}
      <RunFilters />
      <ReadResult query={list}>{(page) => <RunTable key={JSON.stringify(asked)} page={page} />}</ReadResult>
    </PageFrame>
  );
}

function apiFilters(query: URLSearchParams): Record<string, string | undefined> {
  const equal = Object.entries(filters).map(([name, api]) => [api, query.get(name) ?? undefined]);
  const instant = (name: string) => {
    const minute = localMinute(query.get(name) ?? '');
    return minute === '' ? undefined : new Date(minute).toISOString();
  };
  return { ...Object.fromEntries(equal), startedFrom: instant('from'), startedBefore: instant('before') };
}

function Counts({ counts }: { readonly counts: PhaseCounts }) {
  const { query } = useAddress();
  const { phases, failures, of } = counts;
  const phase = query.get('phase') ?? '';
  return (
    <section className="card" aria-label={messages.runs.counts}>
      <div className="card-body">
        <div className="chips">
          {(['', ...allPhases] as const).map((it) => (
            <button
              key={it}
              type="button"
              className="chip"
              aria-pressed={phase === it}
              onClick={() => setQuery({ phase: it, error: undefined, page: undefined })}
            >
              {it === '' ? messages.runs.all : <Badge text={it} />}
              <strong>{it === '' ? counts.total : (phases[it] ?? 0)}</strong>
            </button>
          ))}
          {failures.length > 0 && <span className="muted small">{messages.runs.failures}</span>}
          {failures.map(({ code, count }) => (
            <button
              key={code}
              type="button"
              className="chip"
              aria-pressed={query.get('error') === code}
              onClick={() =>
                setQuery({ phase: 'FAILED', error: query.get('error') === code ? undefined : code, page: undefined })
              }
            >
              {code} <strong>{count}</strong>
            </button>
          ))}
        </div>
        {of !== null && <p className="small muted">{messages.runs.approximate(of)}</p>}
      </div>
    </section>
  );
}

function RunTable({ page }: { readonly page: ItemPage<RunItem> }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [result, setResult] = useState<BulkOutcome>();
  const { items, nextPageToken } = page;
  const selected = items.filter(({ journeyId }) => chosen.has(journeyId));
  const all = selected.length === items.length;
  const isOperator = useIsOperator() !== false;
  const { query } = useAddress();
  const retries = retriesAmong(items);
  return (
    <>
      <BulkActions
        runs={selected}
        isPage={all}
        onDone={(it) => {
          setResult(it);
          setChosen(new Set());
        }}
      />
      {result && <BulkResults outcome={result} close={() => setResult(undefined)} />}
      <div className="card scroll">
        {items.length === 0 ? (
          <Empty>{isFiltered(query) ? messages.runs.noMatch : messages.runs.empty}</Empty>
        ) : (
          <table>
            <thead>
              <tr>
                <th className="tight" hidden={!isOperator}>
                  <input
                    type="checkbox"
                    aria-label={messages.runs.selectAll(items.length)}
                    title={messages.runs.selectAll(items.length)}
                    checked={all}
                    onChange={() => setChosen(new Set(all ? [] : items.map(({ journeyId }) => journeyId)))}
                  />
                </th>
                <th>{messages.fields.run}</th>
                <th>{messages.fields.phase}</th>
                <th>{messages.fields.state}</th>
                <th>{messages.fields.subject}</th>
                <th className="wide-only">{messages.fields.started}</th>
                <th className="number wide-only">{messages.fields.duration}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((run) => (
                <RunRow
                  key={run.journeyId}
                  run={run}
                  retry={retries.get(run.journeyId)}
                  selectable={isOperator}
                  chosen={chosen.has(run.journeyId)}
                  choose={(isChosen) => {
                    const next = new Set(chosen);
                    if (isChosen) next.add(run.journeyId);
                    else next.delete(run.journeyId);
                    setChosen(next);
                  }}
                />
              ))}
            </tbody>
          </table>
        )}
      </div>
      <NextPage token={nextPageToken} />
    </>
  );
}

interface RunRowProps {
  readonly run: RunItem;
  /** The id of its latest retry, if that is on the same page. */
  readonly retry: string | undefined;
  /** Only operators change several runs at once. */
  readonly selectable: boolean;
  readonly chosen: boolean;
  choose(chosen: boolean): void;
}

function RunRow({ run, retry, selectable, chosen, choose }: RunRowProps) {
  const { journeyId, journeyName, journeyVersion, phase, currentState, code, startedAt, endedAt, attributes } = run;
  const hasKey = journeyId.startsWith(`${journeyName}/`);
  const name = hasKey ? journeyId.slice(journeyName.length + 1) : journeyId;
  return (
    <tr>
      <td className="tight" hidden={!selectable}>
        <input
          type="checkbox"
          aria-label={messages.runs.select(journeyId)}
          checked={chosen}
          onChange={({ target }) => choose(target.checked)}
        />
      </td>
      <td>
        <Link to={`/runs/${encodeURIComponent(journeyId)}`}>
          <strong>{journeyName}</strong>
        </Link>{' '}
        <span className="muted small">{journeyVersion}</span>
        <br />
        <span className={hasKey ? 'mono muted' : 'mono muted wide-only'}>{name}</span>
        {attributes?.retryOf !== undefined && <Related text={messages.run.retryOf} journeyId={attributes.retryOf} />}
        {retry !== undefined && <Related text={messages.run.retriedAs} journeyId={retry} />}
      </td>
      <td className="tight">
        <Badge text={phase} />
        {code !== undefined && code !== null && (
          <>
            <br />
            <span className="mono small muted">{code}</span>
          </>
        )}
      </td>
      <td>{currentState}</td>
      <td>{attributes?.subjectId}</td>
      <td className="tight wide-only">{startedAt === undefined ? '' : <Ago at={startedAt} />}</td>
      <td className="number tight wide-only">
        {startedAt !== undefined && endedAt !== undefined && endedAt !== null
          ? spanText(Date.parse(endedAt) - Date.parse(startedAt))
          : ''}
      </td>
    </tr>
  );
}

function Related({ text, journeyId }: { readonly text: string; readonly journeyId: string }) {
  return (
    <p className="small muted">
      {text}{' '}
      <Link to={`/runs/${encodeURIComponent(journeyId)}`} className="mono">
        {journeyId}
      </Link>
    </p>
  );
}
