import { useState } from 'react';
import type { Json, JsonObject } from '../../base/json/value.js';
import { apiUrl, RequestFailed, withQuery } from '../api/client.js';
import type { IntentAnswer, JobItem, JobRunItem, OrchestratorItem } from '../api/job-types.js';
import type { ItemPage } from '../api/run-types.js';
import { useChange, useRead } from '../api/use-read-and-change.js';
import { Link, useAddress } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { FilterField, isFiltered } from '../ui/filter-field.tsx';
import { JsonText } from '../ui/json-text.tsx';
import { Empty, Failure, ReadResult } from '../ui/loading-empty-and-failure.tsx';
import { Card, NextPage, PageFrame } from '../ui/page.tsx';
import { Ago, Countdown } from '../ui/time.tsx';
import { readersZone, timeInZones } from '../ui/time-texts.js';
import { messages } from '../ui-texts.js';
import { JobRuns } from './job-page.tsx';
import { proposedAction, requestProblem, withReadableTimes, zoneOf } from './request-texts.js';

const states = ['enabled', 'paused', 'disabled', 'deleted'];

/** Jobs of an orchestrator, and requests in plain English. */
export function JobsPage() {
  const { query } = useAddress();
  const orchestratorId = query.get('orchestrator') ?? 'main';
  const orchestrators = useRead<ItemPage<OrchestratorItem>>(apiUrl`/orchestrators`, { refresh: 30_000 });
  const list = useRead<ItemPage<JobItem>>(
    withQuery(apiUrl`/jobs`, {
      orchestratorId,
      state: query.get('state') ?? undefined,
      pageToken: query.get('page') ?? undefined,
    }),
    { keep: true },
  );
  return (
    <PageFrame title={messages.shell.pages.jobs}>
      <search className="filters" aria-label={messages.runs.filters}>
        <FilterField
          name="orchestrator"
          label={messages.jobs.orchestrator}
          fallback="main"
          options={orchestrators.data?.items.map((it) => it.orchestratorId) ?? ['main']}
        />
        <FilterField name="state" label={messages.fields.state} options={states} />
      </search>
      <Say orchestratorId={orchestratorId} />
      <ReadResult query={list}>{(page) => <JobTable page={page} />}</ReadResult>
      <Queue orchestratorId={orchestratorId} />
      <ReadResult query={orchestrators}>
        {({ items }) => <Workers orchestrator={items.find((it) => it.orchestratorId === orchestratorId)} />}
      </ReadResult>
    </PageFrame>
  );
}

/** A request, an answer or a confirmation. */
interface Said {
  readonly utterance?: string;
  readonly answer?: Json;
  readonly draft?: JsonObject | undefined;
  readonly act?: true;
}

/** A request in plain English: the answer is a question, a proposed command with its next times, or a result. */
function Say({ orchestratorId }: { readonly orchestratorId: string }) {
  const [words, setWords] = useState('');
  const change = useChange<IntentAnswer>();
  // Kept when the next request fails, so that the conversation can continue.
  const [latest, setLatest] = useState<{ answer: IntentAnswer; zone: string | undefined }>();
  const { answer, zone } = latest ?? {};
  const send = (said: Said) =>
    change.mutate(
      { path: apiUrl`/intents`, body: { orchestratorId, ...said } },
      {
        onSuccess: (it) => {
          setLatest({ answer: it, zone: zoneOf(it, it.draft ?? said.draft) });
          setWords('');
        },
      },
    );
  const asksBack = answer?.clarify !== undefined;
  const action = answer?.invocation && answer.result === undefined && proposedAction(answer.invocation);
  return (
    <Card title={messages.jobs.say}>
      <form
        className="say"
        onSubmit={(event) => {
          event.preventDefault();
          if (!asksBack) setLatest(undefined);
          send(asksBack ? { answer: words, draft: answer.draft } : { utterance: words });
        }}
      >
        <input
          className="input"
          aria-label={messages.jobs.say}
          placeholder={messages.jobs.example}
          value={words}
          maxLength={4000}
          onChange={({ target }) => setWords(target.value)}
        />
        <button type="submit" className="button primary" disabled={change.isPending || words.trim() === ''}>
          {messages.jobs.send}
        </button>
      </form>
      {change.error && <Failure error={new RequestFailed(requestProblem(change.error.problem))} />}
      {answer && (
        <div className="notice" role="status">
          {action && <strong>{action}</strong>}
          {action && zone !== undefined && <span>{messages.jobs.timezone(zone)}</span>}
          <span className="preserve">
            {withReadableTimes(answer.invocation ? effectOf(answer.text) : answer.text, zone)}
          </span>
          {answer.nextRuns?.map((at) => (
            <span key={at} className="small muted">
              {timeInZones(at, zone ?? readersZone())}
            </span>
          ))}
          {answer.clarify?.options?.map(({ label, value }) => (
            <span key={label}>
              <button
                type="button"
                className="button small"
                disabled={change.isPending}
                onClick={() => send({ answer: value, draft: answer.draft })}
              >
                {label}
              </button>
            </span>
          ))}
          {answer.invocation && (
            <details>
              <summary className="small muted">{messages.jobs.command}</summary>
              <JsonText value={answer.invocation} label={messages.jobs.command} />
            </details>
          )}
          {answer.draft && answer.result === undefined && (
            <span className="row">
              {answer.invocation && (
                <button
                  type="button"
                  className="button primary small"
                  disabled={change.isPending}
                  onClick={() => send({ draft: answer.draft, act: true })}
                >
                  {messages.jobs.commands[String(answer.invocation.functionId)] ?? messages.jobs.confirm}
                </button>
              )}
              <button
                type="button"
                className="button small"
                onClick={() => {
                  change.reset();
                  setLatest(undefined);
                }}
              >
                {messages.jobs.startOver}
              </button>
            </span>
          )}
        </div>
      )}
    </Card>
  );
}

/** The effect of a proposed command without the command and its times, which the page shows by itself, and without its answers, which are buttons. */
function effectOf(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^(I understood|Next):/.test(line))
    .join('\n')
    .replace(/ \(yes\/no\)$/, '');
}

function JobTable({ page: { items, nextPageToken } }: { readonly page: ItemPage<JobItem> }) {
  const { query } = useAddress();
  if (items.length === 0) return <Empty>{isFiltered(query) ? messages.jobs.noMatch : messages.jobs.empty}</Empty>;
  return (
    <>
      <div className="card scroll">
        <table>
          <thead>
            <tr>
              <th>{messages.jobs.name}</th>
              <th>{messages.fields.state}</th>
              <th className="wide-only">{messages.fields.cadence}</th>
              <th>{messages.fields.nextRun}</th>
              <th className="wide-only">{messages.fields.lastRun}</th>
            </tr>
          </thead>
          <tbody>
            {items.map((job) => (
              <tr key={job.jobId}>
                <td>
                  <Link to={`/jobs/${encodeURIComponent(job.orchestratorId)}/${encodeURIComponent(job.jobId)}`}>
                    <strong>{job.name ?? job.jobId}</strong>
                  </Link>
                </td>
                <td className="tight">
                  <Badge text={job.state} />
                </td>
                <td className="wide-only">{job.cadence}</td>
                <td className="tight">{job.nextRunAt !== null && <Countdown at={job.nextRunAt} />}</td>
                <td className="tight wide-only">
                  {job.lastRunAt !== null && <Ago at={job.lastRunAt} />}{' '}
                  {job.lastResult && <Badge text={job.lastResult.code ?? job.lastResult.outcome} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <NextPage token={nextPageToken} />
    </>
  );
}

/** The latest runs of an orchestrator, by whatever started them. */
function Queue({ orchestratorId }: { readonly orchestratorId: string }) {
  const queue = useRead<ItemPage<JobRunItem>>(withQuery(apiUrl`/queue`, { orchestratorId, pageSize: 20 }));
  return (
    <Card title={messages.jobs.queue} flush>
      <ReadResult query={queue}>{({ items }) => <JobRuns runs={items} />}</ReadResult>
    </Card>
  );
}

function Workers({ orchestrator }: { readonly orchestrator: OrchestratorItem | undefined }) {
  if (!orchestrator) return null;
  return (
    <Card title={messages.jobs.workers} flush>
      {orchestrator.workers.length === 0 ? (
        <Empty>{messages.jobs.noWorkers}</Empty>
      ) : (
        <ul className="list small">
          {orchestrator.workers.map((it) => (
            <li key={it.identity} className="row">
              <span className="mono">{it.identity}</span>
              <span className="end muted">
                <Ago at={it.lastHeartbeatAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
