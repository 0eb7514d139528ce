import { useState } from 'react';
import { apiUrl } from '../api/client.js';
import type { CadenceStart } from '../api/planned-times.js';
import type { ItemPage } from '../api/run-types.js';
import type { ScheduleDetails, ScheduledRunItem } from '../api/schedule-types.js';
import { useChange, useRead } from '../api/use-read-and-change.js';
import { Link } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { CadenceForm, type CadenceValue } from '../ui/cadence-form.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { JsonText } from '../ui/json-text.tsx';
import { Empty, ReadResult } from '../ui/loading-empty-and-failure.tsx';
import { Card, PageFrame } from '../ui/page.tsx';
import { Ago, NextTimes } from '../ui/time.tsx';
import { instantText, spanText } from '../ui/time-texts.js';
import { messages } from '../ui-texts.js';
import { RunContextChanges } from './context-at-start-and-end-of-run.tsx';
import { changeText } from './pause-text.js';
import { OccurrenceFacts, PlannedCalendar, ScheduleActions } from './schedule-actions-and-calendar.tsx';

/** A schedule: when it runs, how its runs went, and what can be done with it. */
export function SchedulePage({ id = '' }: { readonly id?: string }) {
  const schedule = useRead<ScheduleDetails>(apiUrl`/schedules/${id}`);
  return <ReadResult query={schedule}>{(it) => <ScheduleView schedule={it} />}</ReadResult>;
}

function ScheduleView({ schedule }: { readonly schedule: ScheduleDetails }) {
  const path = apiUrl`/schedules/${schedule.scheduleId}`;
  const name = `${schedule.journeyName}${schedule.subjectId === null ? '' : ` · ${schedule.subjectId}`}`;
  const change = useChange();
  const runs = useRead<ItemPage<ScheduledRunItem>>(`${path}/runs`);
  return (
    <PageFrame
      title={name}
      crumbs={<Link to="/schedules">{messages.shell.pages.schedules}</Link>}
      badge={<Badge text={schedule.state} />}
      actions={
        <>
          <ChangeCadence schedule={schedule} path={path} />
          <ScheduleActions
            name={name}
            path={path}
            query={{}}
            isPaused={schedule.state === 'paused'}
            hasDrift={schedule.drift.length > 0}
            list="/schedules"
            change={change}
          />
        </>
      }
      failure={change.error}
    >
      {schedule.note !== '' && <p className="notice">{schedule.note}</p>}
      {schedule.drift.length > 0 && (
        <div className="notice warn">
          {schedule.drift.map((it) => (
            <span key={it}>{it}</span>
          ))}
        </div>
      )}
      <div className="columns two">
        <div>
          <PlannedCalendar
            cadence={cadenceOf(schedule)}
            start={startOf(schedule)}
            timezone={schedule.timezone}
            isPaused={schedule.state === 'paused'}
          />
          <Card title={messages.schedules.runs} flush>
            <ReadResult query={runs}>{({ items }) => <ScheduledRuns runs={items} />}</ReadResult>
          </Card>
        </div>
        <div>
          <Card title={messages.schedules.about}>
            <dl className="facts">
              <dt>{messages.fields.cadence}</dt>
              <dd>{schedule.cadence}</dd>
              <dt>{messages.fields.nextRuns}</dt>
              <dd>
                {schedule.nextRuns.length > 0 ? (
                  <NextTimes times={schedule.nextRuns} zone={schedule.timezone ?? 'UTC'} />
                ) : schedule.state === 'paused' ? (
                  messages.schedules.noneWhilePaused
                ) : (
                  messages.states.nothing
                )}
              </dd>
              <dt>{messages.fields.lastRun}</dt>
              <dd>{schedule.lastRunAt === null ? messages.states.nothing : <Ago at={schedule.lastRunAt} />}</dd>
              <dt>{messages.fields.version}</dt>
              <dd>{schedule.journeyVersion}</dd>
              <dt>{messages.fields.runs}</dt>
              <dd>
                {schedule.runsExecuted} / {schedule.maxRuns}
              </dd>
            </dl>
            <OccurrenceFacts occurrences={schedule.occurrences} />
          </Card>
          <Card title={messages.schedules.context}>
            <JsonText value={schedule.lastContext} label={messages.schedules.context} />
          </Card>
          {schedule.log.length > 0 && (
            <Card title={messages.schedules.log} flush>
              <ul className="list small">
                {schedule.log.map((it) => (
                  <li key={`${it.at} ${it.what}`}>
                    <span className="preserve">{changeText(it.what)}</span>
                    <br />
                    <span className="muted">
                      <Ago at={it.at} /> · {it.by}
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
          )}
        </div>
      </div>
    </PageFrame>
  );
}

function cadenceOf({ cron, timezone, interval }: ScheduleDetails): CadenceValue {
  return cron === null
    ? { type: 'interval', every: interval ?? 'P1D' }
    : { type: 'cron', expression: cron, timezone: timezone ?? 'UTC' };
}

/** An update keeps the first run and the anchor. */
function startOf({ startAt, anchor }: ScheduleDetails): CadenceStart {
  return { startAt, anchorAt: anchor ?? startAt };
}

function ScheduledRuns({ runs }: { readonly runs: readonly ScheduledRunItem[] }) {
  if (runs.length === 0) return <Empty>{messages.schedules.noRuns}</Empty>;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th>{messages.schedules.due}</th>
            <th>{messages.fields.phase}</th>
            <th className="number">{messages.schedules.late}</th>
            <th className="number wide-only">{messages.fields.duration}</th>
            <th>{messages.run.context}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.journeyId}>
              <td>
                <Link to={`/runs/${encodeURIComponent(run.journeyId)}`}>{instantText(run.scheduledAt)}</Link>
              </td>
              <td className="tight">
                <Badge text={run.skipped === true ? messages.schedules.skipped : run.phase} />{' '}
                <span className="mono small muted">{run.error?.code}</span>
              </td>
              <td className="number">{spanText(Date.parse(run.startedAt) - Date.parse(run.scheduledAt))}</td>
              <td className="number wide-only">
                {run.endedAt !== null && spanText(Date.parse(run.endedAt) - Date.parse(run.startedAt))}
              </td>
              <td>
                <ContextChanges journeyId={run.journeyId} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Changes that a run made to the context, loaded on request. */
function ContextChanges({ journeyId }: { readonly journeyId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="nowrap">{messages.run.changes}</summary>
      {open && <RunContextChanges journeyId={journeyId} />}
    </details>
  );
}

function ChangeCadence({ schedule, path }: { readonly schedule: ScheduleDetails; readonly path: string }) {
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
            initial={cadenceOf(schedule)}
            start={startOf(schedule)}
            submit={messages.schedules.change}
            change={change}
            close={() => setOpen(false)}
            onSubmit={(value) =>
              change.mutate(
                {
                  path,
                  method: 'PATCH',
                  body:
                    value.type === 'cron'
                      ? { cron: value.expression, timezone: value.timezone }
                      : { interval: value.every },
                },
                { onSuccess: () => setOpen(false) },
              )
            }
          />
        </Dialog>
      )}
    </>
  );
}
