import { useState } from 'react';
import { apiUrl, withQuery } from '../api/client.js';
import type { JobDetails, JobItem, JobRunItem } from '../api/job-types.js';
import { anchored, type CadenceStart } from '../api/planned-times.js';
import type { ItemPage } from '../api/run-types.js';
import { useChange, useRead } from '../api/use-read-and-change.js';
import { Link } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { CadenceForm, cadenceValue } from '../ui/cadence-form.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { JsonText } from '../ui/json-text.tsx';
import { Empty, ReadResult } from '../ui/loading-empty-and-failure.tsx';
import { Card, PageFrame } from '../ui/page.tsx';
import { Ago, NextTimes } from '../ui/time.tsx';
import { instantText, spanText } from '../ui/time-texts.js';
import { messages } from '../ui-texts.js';
import { OccurrenceFacts, PlannedCalendar, ScheduleActions } from './schedule-actions-and-calendar.tsx';

interface JobPageProps {
  readonly orchestratorId?: string;
  readonly id?: string;
}

/** A job: when it runs, how its runs went, and what can be done with it. */
export function JobPage({ orchestratorId = '', id = '' }: JobPageProps) {
  const path = apiUrl`/jobs/${id}`;
  const query = { orchestratorId };
  const change = useChange();
  const job = useRead<JobDetails>(withQuery(path, query));
  const runs = useRead<ItemPage<JobRunItem>>(withQuery(`${path}/runs`, query));
  return (
    <ReadResult query={job}>
      {(it) => (
        <PageFrame
          title={it.name ?? it.jobId}
          crumbs={
            <Link to={`/jobs?orchestrator=${encodeURIComponent(orchestratorId)}`}>
              {messages.shell.pages.jobs} / {orchestratorId}
            </Link>
          }
          badge={<Badge text={it.state} />}
          actions={
            <>
              <ChangeJob job={it} path={withQuery(path, query)} />
              <ScheduleActions
                name={it.name ?? it.jobId}
                path={path}
                query={query}
                isPaused={it.state === 'paused'}
                hasDrift={(it.drift ?? []).length > 0}
                list="/jobs"
                change={change}
              />
            </>
          }
          failure={change.error}
        >
          {it.note !== undefined && it.note !== '' && <p className="notice">{it.note}</p>}
          <div className="columns two">
            <div>
              <PlannedCalendar
                cadence={it.schedule}
                start={startOf(it)}
                timezone={it.schedule.timezone ?? null}
                isPaused={it.state === 'paused'}
              />
              <Card title={messages.schedules.runs} flush>
                <ReadResult query={runs}>{({ items }) => <JobRuns runs={items} />}</ReadResult>
              </Card>
            </div>
            <div>
              <Card title={messages.jobs.about}>
                <dl className="facts">
                  <dt>{messages.fields.cadence}</dt>
                  <dd>{it.cadence}</dd>
                  <dt>{messages.fields.nextRuns}</dt>
                  <dd>
                    {it.nextRuns.length === 0 ? (
                      messages.states.nothing
                    ) : (
                      <NextTimes times={it.nextRuns} zone={it.schedule.timezone ?? 'UTC'} />
                    )}
                  </dd>
                  <dt>{messages.fields.lastRun}</dt>
                  <dd>{it.lastRunAt === null ? messages.states.nothing : <Ago at={it.lastRunAt} />}</dd>
                </dl>
                {it.occurrences && <OccurrenceFacts occurrences={it.occurrences} />}
              </Card>
              <Card title={messages.jobs.target}>
                <JsonText value={it.targetAction} label={messages.jobs.target} />
              </Card>
            </div>
          </div>
        </PageFrame>
      )}
    </ReadResult>
  );
}

/** Another interval is counted from the same instant. */
function startOf({ schedule: { anchorAt } }: JobItem): CadenceStart {
  return typeof anchorAt === 'string' ? { anchorAt } : {};
}

function ChangeJob({ job, path }: { readonly job: JobItem; readonly path: string }) {
  const [open, setOpen] = useState(false);
  const change = useChange();
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {messages.schedules.change}
      </button>
      {open && (
        <Dialog title={messages.schedules.change} close={() => setOpen(false)}>
          <CadenceForm
            initial={cadenceValue(job.schedule) ?? { type: 'interval', every: 'P1D' }}
            start={startOf(job)}
            submit={messages.schedules.change}
            change={change}
            close={() => setOpen(false)}
            onSubmit={(cadence) =>
              change.mutate(
                { path, method: 'PATCH', body: { schedule: anchored(cadence, startOf(job)) } },
                { onSuccess: () => setOpen(false) },
              )
            }
          />
        </Dialog>
      )}
    </>
  );
}

/** Runs of jobs with their lateness. */
export function JobRuns({ runs }: { readonly runs: readonly JobRunItem[] }) {
  if (runs.length === 0) return <Empty>{messages.schedules.noRuns}</Empty>;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th>{messages.schedules.due}</th>
            <th>{messages.jobs.origin}</th>
            <th>{messages.fields.status}</th>
            <th className="number">{messages.schedules.late}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map(({ executionId, triggeredAt, startedAt, origin, phase, journeyId, result }) => (
            <tr key={executionId}>
              <td>
                {journeyId === null ? (
                  instantText(triggeredAt)
                ) : (
                  <Link to={`/runs/${encodeURIComponent(journeyId)}`}>{instantText(triggeredAt)}</Link>
                )}
              </td>
              <td>{messages.schedules.origins[origin] ?? origin}</td>
              <td>
                <Badge text={result?.outcome ?? phase} /> <span className="muted small">{result?.reason?.message}</span>
              </td>
              <td className="number">{spanText(Date.parse(startedAt) - Date.parse(triggeredAt))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
