import { type ReactNode, useState } from 'react';
import { apiUrl, withQuery } from '../api/client.js';
import type { ItemPage, OpenStepPage, RunItem } from '../api/run-types.js';
import { useRead } from '../api/use-read-and-change.js';
import { Link } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { Empty, ReadResult } from '../ui/loading-empty-and-failure.tsx';
import { Card, PageFrame } from '../ui/page.tsx';
import { Ago, Due } from '../ui/time.tsx';
import { messages } from '../ui-texts.js';
import { pauseText } from './pause-text.js';
import { runSubject, runTitle } from './run-subject.js';
import { soonestDueFirst } from './soonest-due-first.js';

interface Counted {
  readonly count: number;
  /** The number of runs that were counted, if not all. */
  readonly of: number | null;
}

interface Attention {
  readonly openSteps: Counted;
  readonly failed: Counted & {
    readonly since: string;
    readonly failures: readonly { readonly code: string; readonly count: number }[];
  };
  readonly blockedRuns?: readonly {
    readonly journeyId: string;
    readonly journeyName: string;
    readonly attempt: number;
    readonly reason?: string;
  }[];
  readonly failedCompensations?: readonly {
    readonly journeyId: string;
    readonly journeyName: string;
    readonly text: string;
  }[];
  readonly pipelines?: readonly { readonly name: string; readonly status: string; readonly text: string }[];
  readonly schedules?: readonly {
    readonly scheduleId: string;
    readonly journeyName: string;
    readonly subjectId: string | null;
    readonly why: string;
    readonly text: string;
  }[];
  readonly jobs?: readonly {
    readonly orchestratorId: string;
    readonly jobId: string;
    readonly name: string | null;
    readonly why: string;
    readonly text: string;
  }[];
  readonly documents?: readonly {
    readonly file: string;
    readonly code: string;
    readonly message: string;
    readonly line?: number;
  }[];
  readonly unavailable?: readonly string[];
}

const id = encodeURIComponent;

/** Everything that needs a person now, one click away. */
export function HomePage() {
  const attention = useRead<Attention>(apiUrl`/attention`, { refresh: 15_000 });
  return (
    <PageFrame title={messages.shell.pages.home}>
      <ReadResult query={attention}>{(it) => <Overview attention={it} />}</ReadResult>
    </PageFrame>
  );
}

function Overview({ attention }: { readonly attention: Attention }) {
  const { openSteps, failed, blockedRuns = [], failedCompensations = [] } = attention;
  const { pipelines = [], schedules = [], jobs = [], documents = [] } = attention;
  const due = schedules.length + jobs.length;
  const lists = [blockedRuns, failedCompensations, pipelines, schedules, jobs, documents];
  const quiet = openSteps.count + failed.count === 0 && lists.every((it) => it.length === 0);
  return (
    <>
      <div className="tiles">
        <Tile to="/inbox" label={messages.home.openSteps} value={openSteps} tone="busy" />
        <Tile
          to={`/runs?phase=FAILED&from=${id(failed.since)}`}
          label={messages.home.failed}
          value={failed}
          tone="bad"
        />
        {attention.blockedRuns && (
          <Tile to="#blocked" label={messages.home.blocked} value={exact(blockedRuns)} tone="bad" />
        )}
        {attention.pipelines && (
          <Tile to="/pipelines" label={messages.home.pipelines} value={exact(pipelines)} tone="warn" />
        )}
        {attention.schedules && (
          <Tile to="/schedules" label={messages.home.schedules} value={{ count: due, of: null }} tone="warn" />
        )}
      </div>
      {quiet && (
        <Card title={messages.shell.pages.home}>
          <Empty>{messages.home.nothing}</Empty>
        </Card>
      )}
      <div className="columns half">
        <div>
          {openSteps.count > 0 && <OpenSteps />}
          {failed.failures.length > 0 && (
            <Items title={messages.home.failures}>
              {failed.failures.map(({ code, count }) => (
                <li key={code} className="row">
                  <Link to={`/runs?phase=FAILED&error=${id(code)}&from=${id(failed.since)}`}>{code}</Link>
                  <span className="end badge plain bad">{count}</span>
                </li>
              ))}
            </Items>
          )}
          {blockedRuns.length > 0 && (
            <Items title={messages.home.blocked}>
              {blockedRuns.map((run) => (
                <li key={run.journeyId}>
                  <Link to={`/runs/${id(run.journeyId)}`}>{run.journeyName}</Link>{' '}
                  <span className="muted">
                    {messages.home.attempt(run.attempt)} {run.reason}
                  </span>
                </li>
              ))}
            </Items>
          )}
          {failedCompensations.length > 0 && (
            <Items title={messages.home.failedCompensations}>
              {failedCompensations.map((run) => (
                <li key={run.journeyId}>
                  <Link to={`/runs/${id(run.journeyId)}`}>{run.journeyName}</Link>{' '}
                  <span className="muted small">{run.text}</span>
                </li>
              ))}
            </Items>
          )}
          {documents.length > 0 && (
            <Items title={messages.home.documents}>
              {documents.map((it) => (
                <li key={it.file}>
                  <strong>
                    {it.file}
                    {it.line !== undefined && `:${it.line}`}
                  </strong>{' '}
                  {it.message} <code className="muted">{it.code}</code>
                </li>
              ))}
            </Items>
          )}
        </div>
        <div>
          {failed.count > 0 && <FailedRuns since={failed.since} />}
          {pipelines.length > 0 && (
            <Items title={messages.home.pipelines}>
              {pipelines.map((it) => (
                <li key={it.name}>
                  <span className="row">
                    <Link to={`/pipelines/${id(it.name)}`}>{it.name}</Link>
                    <span className="end">
                      <Badge text={it.status} />
                    </span>
                  </span>
                  <span className="muted small">{pauseText(it.text)}</span>
                </li>
              ))}
            </Items>
          )}
          {due > 0 && (
            <Items title={messages.home.schedules}>
              {schedules.map((it) => (
                <Trouble
                  key={it.scheduleId}
                  {...it}
                  to={`/schedules/${id(it.scheduleId)}`}
                  name={`${it.journeyName} ${it.subjectId ?? ''}`}
                />
              ))}
              {jobs.map((it) => (
                <Trouble
                  key={it.jobId}
                  {...it}
                  to={`/jobs/${id(it.orchestratorId)}/${id(it.jobId)}`}
                  name={it.name ?? it.jobId}
                />
              ))}
            </Items>
          )}
        </div>
      </div>
      {attention.unavailable && attention.unavailable.length > 0 && (
        <p className="notice warn">
          {messages.home.unavailable}: {attention.unavailable.join(', ')}
        </p>
      )}
    </>
  );
}

/** Items that Home lists itself; its tiles lead to all of them. */
const shown = 6;
/** Runs among which Home looks for the steps that are due soonest. */
const searched = 25;

function OpenSteps() {
  const steps = useRead<OpenStepPage>(withQuery(apiUrl`/steps`, { pageSize: searched }), { refresh: 15_000 });
  return (
    <ReadResult query={steps}>
      {({ items }) => (
        <Items title={messages.home.openSteps}>
          {soonestDueFirst(items)
            .slice(0, shown)
            .map((it) => (
              <li key={`${it.journeyId}/${it.step}`} className="row">
                <Link to={`/inbox?open=${id(`${it.journeyId}/${it.step}`)}`}>{it.step}</Link>
                <span className="muted small">{runTitle(it)}</span>
                <span className="end small">
                  <Due at={it.dueAt} />
                </span>
              </li>
            ))}
        </Items>
      )}
    </ReadResult>
  );
}

function FailedRuns({ since }: { readonly since: string }) {
  // The start of the day changes with each answer; the list need not.
  const [startedFrom] = useState(since);
  const runs = useRead<ItemPage<RunItem>>(
    withQuery(apiUrl`/journeys`, { phase: 'FAILED', startedFrom, pageSize: shown }),
    { refresh: 15_000 },
  );
  return (
    <ReadResult query={runs}>
      {({ items }) => (
        <Items title={messages.home.failed}>
          {items.map((run) => (
            <li key={run.journeyId} className="row">
              <Link to={`/runs/${id(run.journeyId)}`}>{run.journeyName}</Link>
              <span className="muted small">{runSubject(run)}</span>
              <Badge text={run.code ?? run.phase} tone="bad" />
              <span className="end small muted">{run.endedAt && <Ago at={run.endedAt} />}</span>
            </li>
          ))}
        </Items>
      )}
    </ReadResult>
  );
}

function exact(items: readonly unknown[]): Counted {
  return { count: items.length, of: null };
}

interface TileProps {
  readonly to: string;
  readonly label: string;
  readonly value: Counted;
  /** Applies if there are any. */
  readonly tone: string;
}

function Tile({ to, label, value: { count, of }, tone }: TileProps) {
  return (
    <Link to={to} className={`tile ${count > 0 ? tone : ''}`}>
      <span className="muted">{label}</span>
      <strong>{count}</strong>
      {of !== null && <span className="small muted">{messages.home.atLeast(of)}</span>}
    </Link>
  );
}

function Items({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Card title={title} flush>
      <ul className="list">{children}</ul>
    </Card>
  );
}

interface TroubleProps {
  readonly to: string;
  readonly name: string;
  readonly why: string;
  readonly text: string;
}

function Trouble({ to, name, why, text }: TroubleProps) {
  return (
    <li>
      <span className="row">
        <Link to={to}>{name}</Link>
        <span className="end">
          <Badge text={why} />
        </span>
      </span>
      <span className="muted small">{text}</span>
    </li>
  );
}
