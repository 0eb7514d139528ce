import { apiUrl, withQuery } from '../api/client.js';
import type { ItemPage } from '../api/run-types.js';
import type { ScheduleItem } from '../api/schedule-types.js';
import { useRead } from '../api/use-read-and-change.js';
import { Link, useAddress } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { FilterField, isFiltered } from '../ui/filter-field.tsx';
import { Empty, ReadResult } from '../ui/loading-empty-and-failure.tsx';
import { NextPage, PageFrame } from '../ui/page.tsx';
import { Ago, Countdown } from '../ui/time.tsx';
import { messages } from '../ui-texts.js';

const states = ['active', 'paused', 'exhausted', 'migrated', 'broken'];

/** Schedules of journeys per subject. */
export function SchedulesPage() {
  const { query } = useAddress();
  const filter = (name: string) => query.get(name) ?? undefined;
  const list = useRead<ItemPage<ScheduleItem>>(
    withQuery(apiUrl`/schedules`, {
      journeyName: filter('journey'),
      subjectId: filter('subject'),
      state: filter('state'),
      pageToken: filter('page'),
    }),
    { keep: true },
  );
  return (
    <PageFrame title={messages.shell.pages.schedules}>
      <search className="filters" aria-label={messages.runs.filters}>
        <FilterField name="journey" label={messages.fields.journey} />
        <FilterField name="subject" label={messages.fields.subject} />
        <FilterField name="state" label={messages.fields.state} options={states} />
      </search>
      <ReadResult query={list}>{(page) => <ScheduleTable page={page} />}</ReadResult>
    </PageFrame>
  );
}

function ScheduleTable({ page: { items, nextPageToken } }: { readonly page: ItemPage<ScheduleItem> }) {
  const { query } = useAddress();
  return (
    <>
      <div className="card scroll">
        {items.length === 0 ? (
          <Empty>{isFiltered(query) ? messages.schedules.noMatch : messages.schedules.empty}</Empty>
        ) : (
          <table>
            <thead>
              <tr>
                <th>{messages.fields.journey}</th>
                <th>{messages.fields.subject}</th>
                <th>{messages.fields.state}</th>
                <th className="wide-only">{messages.fields.cadence}</th>
                <th>{messages.fields.nextRun}</th>
                <th className="wide-only">{messages.fields.lastRun}</th>
                <th className="number wide-only">{messages.fields.runs}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((it) => (
                <tr key={it.scheduleId}>
                  <td>
                    <Link to={`/schedules/${encodeURIComponent(it.scheduleId)}`}>
                      <strong>{it.journeyName}</strong>
                    </Link>{' '}
                    <span className="muted small">{it.journeyVersion}</span>
                  </td>
                  <td>{it.subjectId}</td>
                  <td className="tight">
                    <Badge text={it.state} />
                  </td>
                  <td className="wide-only">{it.cadence}</td>
                  <td className="tight">{it.nextRunAt !== null && <Countdown at={it.nextRunAt} />}</td>
                  <td className="tight wide-only">
                    {it.lastRunAt !== null && <Ago at={it.lastRunAt} />}{' '}
                    {it.lastResult !== null && (
                      <Badge text={it.lastResult} tone={it.lastResult === 'SUCCEEDED' ? 'good' : 'bad'} />
                    )}
                  </td>
                  <td className="number wide-only nowrap">
                    {it.runsExecuted}
                    {it.maxRuns !== null && ` / ${it.maxRuns}`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      <NextPage token={nextPageToken} />
    </>
  );
}
