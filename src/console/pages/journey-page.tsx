import { lazy, Suspense, useMemo, useState } from 'react';
import type { Diagram } from '../../graph/diagram.js';
import { apiUrl, withQuery } from '../api/client.js';
import type { DefinitionChanges, DefinitionDetails, DefinitionStats, EdgeCounts } from '../api/definition-types.js';
import type { RunItem } from '../api/run-types.js';
import { useChange, useRead } from '../api/use-read-and-change.js';
import { LazyForm } from '../forms/lazy-form.tsx';
import { Link, navigate, setQuery, useAddress } from '../router.tsx';
import { Badge, Tag } from '../ui/badge.tsx';
import { DurationChart, OutcomeChart } from '../ui/charts.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { Empty, Failure, Loading, ReadResult } from '../ui/loading-empty-and-failure.tsx';
import { Card, PageFrame } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { spanText } from '../ui/time-texts.js';
import { messages } from '../ui-texts.js';

const DiagramView = lazy(async () => ({ default: (await import('../graph/diagram-view.tsx')).DiagramView }));

/** A journey: its graph, how to start it, how it went lately, and what changed between versions. */
export function JourneyPage({ name = '' }: { readonly name?: string }) {
  const { query } = useAddress();
  const version = query.get('version') ?? undefined;
  const definition = useRead<DefinitionDetails>(withQuery(apiUrl`/definitions/${name}`, { version }), {
    refresh: false,
  });
  return <ReadResult query={definition}>{(it) => <Journey definition={it} />}</ReadResult>;
}

function Journey({ definition }: { readonly definition: DefinitionDetails }) {
  const { name, version, versions, kind, description, tags, diagram, source } = definition;
  return (
    <PageFrame
      title={name}
      crumbs={<Link to="/journeys">{messages.shell.pages.journeys}</Link>}
      badge={<Badge text={kind} />}
      actions={
        <>
          <label className="row small">
            {messages.fields.version}
            <select className="input" value={version} onChange={({ target }) => setQuery({ version: target.value })}>
              {versions.map((it) => (
                <option key={it}>{it}</option>
              ))}
            </select>
          </label>
          <Link className="button" to={`/runs?journey=${encodeURIComponent(name)}`}>
            {messages.runs.title}
          </Link>
        </>
      }
    >
      {description !== undefined && <p className="muted">{description}</p>}
      {tags.length > 0 && (
        <p className="tags">
          {tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </p>
      )}
      <div className="columns two">
        <div>
          <section className="card">
            <Tabs
              label={name}
              tabs={{
                [messages.run.graph]: diagram ? (
                  <ErrorBoundary>
                    <Suspense fallback={<Loading />}>
                      <CountedGraph name={name} version={version} diagram={diagram} />
                    </Suspense>
                  </ErrorBoundary>
                ) : (
                  <Empty>{messages.run.noGraph}</Empty>
                ),
                [messages.journeys.source]: source && <Source source={source} />,
                [messages.journeys.changes]:
                  diagram && versions.length > 1 ? <Changes name={name} versions={versions} /> : undefined,
              }}
            />
          </section>
        </div>
        <div>
          {kind === 'Journey' && <Start definition={definition} />}
          <Recent name={name} />
        </div>
      </div>
    </PageFrame>
  );
}

/** The graph; on request with the number of times that each edge was taken. */
function CountedGraph({ name, version, diagram }: Pick<DefinitionDetails, 'name' | 'version'> & { diagram: Diagram }) {
  const [counts, setCounts] = useState(false);
  const counted = useRead<EdgeCounts>(withQuery(apiUrl`/definitions/${name}/edges`, { version }), {
    when: counts,
    refresh: false,
  });
  const notes = useMemo(
    () => new Map(Object.entries(counted.data?.edges ?? {}).map(([key, count]) => [key, `${count}×`])),
    [counted.data],
  );
  return (
    <>
      <DiagramView diagram={diagram} notes={counts ? notes : undefined} />
      <div className="edge-counts row small">
        <label className="row">
          <input type="checkbox" checked={counts} onChange={({ target }) => setCounts(target.checked)} />
          {messages.journeys.countEdges(counted.data?.last ?? 200)}
        </label>
        {counts && counted.isFetching && <span className="muted">{messages.states.loading} …</span>}
        {counts && counted.data && (
          <span className="muted">{messages.journeys.counted(counted.data.counted, counted.data.runs)}</span>
        )}
      </div>
      {counts && counted.error && <Failure error={counted.error} />}
    </>
  );
}

function Source({ source: { file, text } }: { readonly source: { readonly file: string; readonly text: string } }) {
  return (
    <div className="card-body">
      <p className="muted small">{file}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard. */}
      <pre className="json" tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}

function Changes({ name, versions }: { readonly name: string; readonly versions: readonly string[] }) {
  const { query } = useAddress();
  const to = query.get('version') ?? versions[0];
  const from = query.get('from') ?? versions[versions.indexOf(to ?? '') + 1];
  const changes = useRead<DefinitionChanges>(withQuery(apiUrl`/definitions/${name}/changes`, { from, to }), {
    when: from !== undefined,
    refresh: false,
  });
  return (
    <div className="card-body">
      <label className="row small">
        {messages.journeys.comparedWith}
        <select className="input" value={from ?? ''} onChange={({ target }) => setQuery({ from: target.value })}>
          {versions
            .filter((it) => it !== to)
            .map((it) => (
              <option key={it}>{it}</option>
            ))}
        </select>
      </label>
      {from === undefined ? (
        <p className="muted">{messages.journeys.firstVersion}</p>
      ) : (
        <ReadResult query={changes}>
          {(it) => (
            <ul className="list">
              {it.changes.length === 0 && <li className="muted">{messages.journeys.noChanges}</li>}
              {it.changes.map((change) => (
                <li key={`${change.pointer} ${change.message}`}>
                  <Badge text={change.concerns} tone={change.breaking ? 'bad' : 'idle'} /> {change.message}{' '}
                  <code className="muted small">{change.pointer}</code>
                </li>
              ))}
            </ul>
          )}
        </ReadResult>
      )}
    </div>
  );
}

function Start({ definition: { name, inputSchema } }: { readonly definition: DefinitionDetails }) {
  const change = useChange<RunItem>();
  return (
    <Card title={messages.journeys.start}>
      <LazyForm
        label={messages.journeys.start}
        schema={inputSchema}
        initial={{}}
        submit={messages.journeys.startRun}
        change={change}
        onSubmit={(body) =>
          change.mutate(
            { path: apiUrl`/journeys/${name}/start`, body: body ?? {} },
            { onSuccess: ({ journeyId }) => navigate(`/runs/${encodeURIComponent(journeyId)}`) },
          )
        }
      />
    </Card>
  );
}

function Recent({ name }: { readonly name: string }) {
  const stats = useRead<DefinitionStats>(apiUrl`/definitions/${name}/stats`, { refresh: 30_000 });
  return (
    <Card title={messages.journeys.recent(200)}>
      <ReadResult query={stats}>
        {({ runs, phases, failures, durationMs, items }) =>
          runs === 0 ? (
            <p className="muted">{messages.journeys.noRuns}</p>
          ) : (
            <>
              <OutcomeChart phases={phases} />
              {failures.length > 0 && (
                <p className="tags">
                  {failures.map(({ code, count }) => (
                    <Link
                      key={code}
                      className="badge bad"
                      to={`/runs?journey=${encodeURIComponent(name)}&phase=FAILED&error=${encodeURIComponent(code)}`}
                    >
                      {code} {count}
                    </Link>
                  ))}
                </p>
              )}
              <DurationChart items={items} />
              {durationMs && (
                <p className="small muted">
                  {messages.journeys.durations(
                    spanText(durationMs.median),
                    spanText(durationMs.p90),
                    spanText(durationMs.max),
                  )}
                </p>
              )}
            </>
          )
        }
      </ReadResult>
    </Card>
  );
}
