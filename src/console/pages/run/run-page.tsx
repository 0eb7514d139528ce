import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { apiUrl, withQuery } from '../../api/client.js';
import { useSettings } from '../../api/gateway-settings.js';
import type { RunDefinition, RunItem, VisitItem } from '../../api/run-types.js';
import { useChange, useRead } from '../../api/use-read-and-change.js';
import { Link } from '../../router.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ActionButton } from '../../ui/dialog.tsx';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Empty, Failure, Loading, ReadResult } from '../../ui/loading-empty-and-failure.tsx';
import { Card, PageFrame } from '../../ui/page.tsx';
import { messages } from '../../ui-texts.js';
import { runTitle } from '../run-subject.js';
import { visitOfInterest } from './default-and-retried-visit.js';
import { Retry } from './retry-and-reset-run.tsx';
import { RunFacts, RunOutcome, WaitingStates } from './run-outcome-waits-and-facts.tsx';
import { RunTimeline } from './timeline.tsx';
import { type TrailState, useTrail } from './use-trail.js';
import { VisitContextCard } from './visit-context.tsx';

const RunGraph = lazy(async () => ({ default: (await import('../../graph/run-graph.tsx')).RunGraph }));

/** A run: its graph lit up, what it waits for, its history and its context. */
export function RunPage({ id = '' }: { readonly id?: string }) {
  const path = apiUrl`/journeys/${id}`;
  const trail = useTrail(id);
  const status = useRead<RunItem>(path, { refresh: false });
  const client = useQueryClient();
  const cursor = trail.latest?.cursor;
  // The status changes only when the trail does, so the run is asked once for each change.
  useEffect(() => {
    if (cursor !== undefined) void client.invalidateQueries({ queryKey: [path] });
  }, [cursor, client, path]);
  return <ReadResult query={status}>{(run) => <Run run={run} trail={trail} />}</ReadResult>;
}

function Run({ run, trail }: { readonly run: RunItem; readonly trail: TrailState }) {
  const { journeyId, journeyName, phase } = run;
  const definition = useRead<RunDefinition>(apiUrl`/journeys/${journeyId}/definition`, { refresh: false });
  const isOperator = definition.data !== undefined;
  // Clients may not see the definition of a run, but the steps of its journey.
  const served = useRead<RunDefinition>(
    withQuery(apiUrl`/definitions/${journeyName}`, { version: run.journeyVersion }),
    { when: definition.error?.problem.status === 403, refresh: false },
  );
  const [selected, setSelected] = useState<VisitItem>();
  // Entries of a running visit are replaced as the run moves on.
  const visit =
    trail.entries.find((it): it is VisitItem => it.kind === 'visit' && it.n === selected?.n) ??
    visitOfInterest(trail.entries);
  const { latest } = trail;
  return (
    <PageFrame
      title={runTitle(run)}
      crumbs={
        <>
          <Link to="/runs">{messages.runs.title}</Link> /{' '}
          <Link to={`/runs?journey=${encodeURIComponent(journeyName)}`}>{journeyName}</Link>
        </>
      }
      badge={<Badge text={phase} />}
      actions={<Actions run={run} trail={trail} isOperator={isOperator} />}
    >
      {latest?.complete === false && (
        <p className="notice warn">
          {messages.run.incomplete} {latest.reason?.detail ?? latest.reason?.code}
        </p>
      )}
      <div className="columns two">
        <div>
          <Card title={messages.run.graph} flush>
            {definition.data?.diagram && (latest || trail.error) ? (
              <ErrorBoundary>
                <Suspense fallback={<Loading />}>
                  <RunGraph
                    diagram={definition.data.diagram}
                    entries={trail.entries}
                    selected={visit}
                    onSelect={setSelected}
                  />
                </Suspense>
              </ErrorBoundary>
            ) : definition.error ? (
              <Empty>{definition.error.problem.status === 403 ? messages.run.noGraph : definition.error.message}</Empty>
            ) : (
              <Loading />
            )}
          </Card>
          <Card title={messages.run.timeline}>
            {trail.error ? (
              <Failure error={trail.error} />
            ) : latest ? (
              <RunTimeline entries={trail.entries} selected={visit} onSelect={setSelected} />
            ) : (
              <Loading />
            )}
          </Card>
        </div>
        <div>
          {run.phase !== 'RUNNING' && <RunOutcome run={run} />}
          <WaitingStates run={run} steps={(definition.data ?? served.data)?.steps} />
          {isOperator && <VisitContextCard journeyId={journeyId} visit={visit} hasEnded={phase !== 'RUNNING'} />}
          <RunFacts run={run} entries={trail.entries} />
        </div>
      </div>
    </PageFrame>
  );
}

interface ActionsProps {
  readonly run: RunItem;
  readonly trail: TrailState;
  readonly isOperator: boolean;
}

function Actions({ run, trail, isOperator }: ActionsProps) {
  const change = useChange();
  const settings = useSettings();
  const ui = settings.data?.temporalUi;
  const cancel = run._links?.cancel;
  return (
    <>
      {ui !== undefined && (
        <a
          className="button"
          href={`${ui}/workflows/${encodeURIComponent(run.journeyId)}`}
          target="_blank"
          rel="noreferrer"
        >
          <Icon name="outside" />
          {messages.run.temporal}
        </a>
      )}
      {cancel && (
        <ActionButton
          label={messages.run.cancel}
          tone="danger"
          confirm={{ title: messages.run.cancelTitle, text: messages.run.cancelText }}
          change={change}
          run={(_, done) =>
            change.mutate({ path: apiUrl`/journeys/${run.journeyId}/steps/cancel` }, { onSuccess: done })
          }
        />
      )}
      {isOperator && run.phase === 'FAILED' && <Retry journeyId={run.journeyId} entries={trail.entries} />}
    </>
  );
}
