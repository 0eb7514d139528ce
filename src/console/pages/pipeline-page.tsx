import { lazy, Suspense } from 'react';
import type { Json } from '../../base/json/value.js';
import { apiUrl, withQuery } from '../api/client.js';
import type {
  HandlerItem,
  LivePipeline,
  PipelineEventItem,
  PipelineRunItem,
  TriggerAnswer,
} from '../api/pipeline-types.js';
import type { ItemPage } from '../api/run-types.js';
import { useChange, useRead } from '../api/use-read-and-change.js';
import { Link } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { ActionButton } from '../ui/dialog.tsx';
import { JsonText } from '../ui/json-text.tsx';
import { Empty, Failure, Loading, ReadResult } from '../ui/loading-empty-and-failure.tsx';
import { Card, PageFrame } from '../ui/page.tsx';
import { Ago, Countdown } from '../ui/time.tsx';
import { messages } from '../ui-texts.js';
import { pauseText } from './pause-text.js';

const PipelinePicture = lazy(async () => ({
  default: (await import('../graph/live-pipeline-graph.tsx')).PipelinePicture,
}));

const resolutions = ['retry', 'did_not_happen', 'skip'] as const;

/** A pipeline: its live picture, why it stands still, its handlers, topics and runs. */
export function PipelinePage({ name = '' }: { readonly name?: string }) {
  const pipeline = useRead<LivePipeline>(apiUrl`/pipelines/${name}`, { refresh: 3_000 });
  return <ReadResult query={pipeline}>{(it) => <PipelineOverview pipeline={it} />}</ReadResult>;
}

function PipelineOverview({ pipeline }: { readonly pipeline: LivePipeline }) {
  const { name, status, pauses, suspended, topics, producers, consumers, runs, active } = pipeline;
  const path = apiUrl`/pipelines/${name}`;
  const change = useChange();
  const isSuspended = suspended.length > 0;
  return (
    <PageFrame
      title={name}
      crumbs={<Link to="/pipelines">{messages.shell.pages.pipelines}</Link>}
      badge={<Badge text={isSuspended ? 'suspended' : status} />}
      actions={
        status === 'paused' ? (
          <>
            {isSuspended && <span className="muted small">{messages.pipelines.resolveFirst}</span>}
            <ActionButton
              label={messages.schedules.resume}
              {...(!isSuspended && { tone: 'primary' as const })}
              disabled={isSuspended}
              change={change}
              run={() => change.mutate({ path: `${path}/resume`, body: {} })}
            />
          </>
        ) : (
          <ActionButton
            label={messages.schedules.pause}
            confirm={{ title: messages.schedules.pauseTitle, text: messages.pipelines.pauseText }}
            reason={messages.fields.reason}
            change={change}
            run={(reason, done) =>
              change.mutate({ path: `${path}/pause`, body: reason === '' ? {} : { reason } }, { onSuccess: done })
            }
          />
        )
      }
      failure={change.error}
    >
      {pauses.map(({ at, text, reason }) => (
        <p key={`${at} ${text}`} className={`notice ${reason === 'user' ? 'warn' : 'bad'}`}>
          {pauseText(text)}
        </p>
      ))}
      {active && (
        <p className="notice">
          <span>
            {messages.pipelines.active(active.handler, eventsOf(active), waitingOf(pipeline))}{' '}
            <Ago at={active.startedAt} />.{' '}
            {active.journeyId !== undefined && (
              <Link to={`/runs/${encodeURIComponent(active.journeyId)}`}>{messages.inbox.showRun}</Link>
            )}
          </span>
        </p>
      )}
      {suspended.map((run) => (
        <Suspended
          key={run.run}
          path={path}
          run={run}
          input={runs.find((it) => it.run === run.run)?.input}
          change={change}
        />
      ))}
      <Card title={messages.pipelines.picture} flush>
        <Suspense fallback={<Loading />}>
          <PipelinePicture pipeline={pipeline} />
        </Suspense>
      </Card>
      <div className="columns half">
        <div>
          <Card title={messages.pipelines.handlers} flush>
            <ul className="list">
              {Object.entries({ ...producers, ...consumers }).map(([id, it]) => (
                <Handler key={id} id={id} handler={it} path={path} />
              ))}
            </ul>
          </Card>
          <Card title={messages.pipelines.topics} flush>
            <ul className="list">
              {Object.entries(topics).map(([topic, { pending, reserved }]) => (
                <li key={topic} className="row">
                  <strong>{topic}</strong>
                  <span className="muted small">{messages.pipelines.depth(pending, reserved)}</span>
                  {pending > 0 && <OldestEvent path={`${path}/topics/${encodeURIComponent(topic)}/events`} />}
                </li>
              ))}
            </ul>
          </Card>
        </div>
        <div>
          <Card title={messages.pipelines.runs} flush>
            <PipelineRuns runs={active ? [active, ...runs] : runs} />
          </Card>
        </div>
      </div>
    </PageFrame>
  );
}

function eventsOf({ reservations }: PipelineRunItem): string {
  return reservations.map(({ topic, id }) => `${topic}/${id}`).join(', ');
}

/** The number of events that wait behind those in flight. */
function waitingOf({ topics }: LivePipeline): number {
  return Object.values(topics).reduce((sum, { pending }) => sum + pending, 0);
}

interface ChangeProps {
  /** The path of the pipeline in the HTTP API. */
  readonly path: string;
  /** The latest action of the page, whose error the page shows. */
  readonly change: ReturnType<typeof useChange>;
}

/** A run that a person has to decide about. */
function Suspended({
  path,
  run,
  input,
  change,
}: ChangeProps & { readonly run: PipelineRunItem; readonly input: Json | undefined }) {
  return (
    <Card title={messages.pipelines.suspended(run.handler)}>
      {run.uncertain && (
        <p>
          {messages.pipelines.uncertain} <code>{run.uncertain.call}</code> ({run.uncertain.state}):{' '}
          {run.uncertain.error}
        </p>
      )}
      <p className="muted small">
        {eventsOf(run)}{' '}
        {run.journeyId !== undefined && (
          <Link to={`/runs/${encodeURIComponent(run.journeyId)}`}>{messages.inbox.showRun}</Link>
        )}
      </p>
      {input !== undefined && <JsonText value={input} label={messages.pipelines.input} />}
      <div className="actions">
        {resolutions.map((how) => (
          <ActionButton
            key={how}
            label={messages.pipelines.resolve[how]}
            confirm={{ title: messages.pipelines.resolve[how], text: messages.pipelines.resolveText[how] }}
            change={change}
            run={(_, done) =>
              change.mutate(
                { path: `${path}/runs/${encodeURIComponent(run.run)}/resolve`, body: { how } },
                { onSuccess: done },
              )
            }
          />
        ))}
      </div>
    </Card>
  );
}

interface HandlerProps extends Pick<ChangeProps, 'path'> {
  readonly id: string;
  readonly handler: HandlerItem;
}

/** A producer or a consumer, with the answer to the latest trigger. */
function Handler({ id, handler, path }: HandlerProps) {
  const change = useChange<TriggerAnswer>();
  return (
    <li>
      <div className="row">
        <strong>{id}</strong>
        <Badge text={handler.state} />
        <span className="muted small">
          {handler.cadence} {handler.nextRunAt && <Countdown at={handler.nextRunAt} />}
        </span>
        {handler.last && (
          <span className="small muted">
            <Badge text={handler.last.status} /> <Ago at={handler.last.at} />
          </span>
        )}
        <span className="end">
          <ActionButton
            label={messages.pipelines.trigger}
            small
            change={change}
            run={() => change.mutate({ path: `${path}/handlers/${encodeURIComponent(id)}/trigger` })}
          />
        </span>
      </div>
      {change.error && <Failure error={change.error} />}
      {change.data && (
        <p className="small muted" role="status">
          {messages.pipelines.triggered[change.data.result](handler.topics ?? [])}
        </p>
      )}
    </li>
  );
}

function OldestEvent({ path }: { readonly path: string }) {
  const oldest = useRead<ItemPage<PipelineEventItem>>(withQuery(path, { status: 'pending', pageSize: 1 }), {
    refresh: 15_000,
  });
  const at = oldest.data?.items[0]?.publishedAt;
  if (at === undefined) return null;
  return (
    <span className="end small muted">
      {messages.pipelines.oldest} <Ago at={at} />
    </span>
  );
}

function PipelineRuns({ runs }: { readonly runs: readonly PipelineRunItem[] }) {
  if (runs.length === 0) return <Empty>{messages.schedules.noRuns}</Empty>;
  return (
    <ul className="list">
      {runs.map((run) => (
        <li key={run.run} className="row">
          {run.journeyId === undefined ? (
            <strong>{run.handler}</strong>
          ) : (
            <Link to={`/runs/${encodeURIComponent(run.journeyId)}`}>{run.handler}</Link>
          )}
          <Badge text={run.status ?? 'running'} />
          <span className="muted small">
            {run.reservations.length > 0 ? eventsOf(run) : run.trigger} {run.error?.code}
          </span>
          <span className="end small muted">
            <Ago at={run.startedAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
