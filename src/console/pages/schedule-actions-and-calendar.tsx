import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { JsonObject } from '../../base/json/value.js';
import { apiUrl, newRequestId, type RequestFailed, request, withQuery } from '../api/client.js';
import { type CadenceStart, plannedTimes, previewRequest } from '../api/planned-times.js';
import type { CadencePreview, Occurrences } from '../api/schedule-types.js';
import type { useChange } from '../api/use-read-and-change.js';
import { navigate } from '../router.tsx';
import { Calendar, calendarMs } from '../ui/calendar.tsx';
import { ActionButton } from '../ui/dialog.tsx';
import { ReadResult } from '../ui/loading-empty-and-failure.tsx';
import { Card } from '../ui/page.tsx';
import { messages } from '../ui-texts.js';

interface ScheduleActionsProps {
  readonly name: string;
  /** The path of the schedule or job in the HTTP API. */
  readonly path: string;
  /** Parameters of every request, such as the orchestrator. */
  readonly query: Readonly<Record<string, string>>;
  readonly isPaused: boolean;
  readonly hasDrift: boolean;
  /** The list to which the page returns after a deletion. */
  readonly list: string;
  /** The latest action of the page, whose error the page shows. */
  readonly change: ReturnType<typeof useChange>;
}

/** Pause, resume, run now, repair, delete: the same for schedules and jobs. */
export function ScheduleActions({ name, path, query, isPaused, hasDrift, list, change }: ScheduleActionsProps) {
  const [requestId, setRequestId] = useState(newRequestId);
  const url = (action: string) => withQuery(`${path}${action}`, query);
  return (
    <>
      {isPaused ? (
        <ActionButton
          label={messages.schedules.resume}
          change={change}
          run={() => change.mutate({ path: url('/resume'), body: {} })}
        />
      ) : (
        <ActionButton
          label={messages.schedules.pause}
          confirm={{ title: messages.schedules.titles.pause(name), text: messages.schedules.pauseText }}
          reason={messages.fields.reason}
          change={change}
          run={(reason, done) =>
            change.mutate({ path: url('/pause'), body: reason === '' ? {} : { reason } }, { onSuccess: done })
          }
        />
      )}
      <ActionButton
        label={messages.schedules.runNow}
        confirm={{ title: messages.schedules.titles.runNow(name), text: messages.schedules.runNowText }}
        change={change}
        run={(_, done) =>
          change.mutate(
            { path: url('/run-now'), requestId },
            {
              onSuccess: () => {
                setRequestId(newRequestId());
                done();
              },
            },
          )
        }
      />
      {hasDrift && (
        <ActionButton
          label={messages.schedules.repair}
          confirm={{ title: messages.schedules.titles.repair(name), text: messages.schedules.repairText }}
          change={change}
          run={(_, done) => change.mutate({ path: url('/repair') }, { onSuccess: done })}
        />
      )}
      <ActionButton
        label={messages.schedules.delete}
        tone="danger"
        confirm={{ title: messages.schedules.titles.delete(name), text: messages.schedules.deleteText }}
        change={change}
        run={(_, done) =>
          change.mutate(
            { path: url(''), method: 'DELETE' },
            {
              onSuccess: () => {
                done();
                navigate(list);
              },
            },
          )
        }
      />
    </>
  );
}

/** The most times that a preview lists. */
const mostTimes = 100;

interface PlannedCalendarProps {
  readonly cadence: JsonObject;
  readonly start: CadenceStart;
  readonly timezone: string | null;
  readonly isPaused: boolean;
}

/** The times of the next weeks, by the cadence alone: a paused schedule shows when it would run. */
export function PlannedCalendar({ cadence, start, timezone, isPaused }: PlannedCalendarProps) {
  const body = JSON.stringify(previewRequest(cadence, start, mostTimes, Date.now()));
  const planned = useQuery<CadencePreview, RequestFailed>({
    queryKey: ['preview', body],
    queryFn: ({ signal }) =>
      request<CadencePreview>(apiUrl`/schedules/preview`, { method: 'POST', body: JSON.parse(body), signal }),
    refetchInterval: 60_000,
  });
  return (
    <Card title={isPaused ? messages.schedules.calendarIfResumed : messages.schedules.calendar}>
      <ReadResult query={planned}>
        {({ runs }) => (
          <Calendar
            times={plannedTimes(runs, cadence, start, Date.now()).map(({ instant }) => instant)}
            timezone={timezone}
            isPaused={isPaused}
          />
        )}
      </ReadResult>
      {isCut(planned.data) && <p className="small muted">{messages.schedules.first(mostTimes)}</p>}
    </Card>
  );
}

/** Whether the preview ends before the calendar does. */
function isCut(preview: CadencePreview | undefined): boolean {
  const last = preview?.runs.at(-1);
  return preview?.runs.length === mostTimes && last !== undefined && Date.parse(last.instant) < Date.now() + calendarMs;
}

/** Counts of the times at which something was due. */
export function OccurrenceFacts({ occurrences }: { readonly occurrences: Occurrences }) {
  const { ran, missed, overlapped, coalesced } = occurrences;
  const parts = { ran, missed, overlapped, ...(coalesced !== undefined && { coalesced }) };
  return (
    <dl className="facts">
      {Object.entries(parts).map(([name, count]) => (
        <div key={name} className="fact">
          <dt>{messages.schedules.occurrences[name as keyof Occurrences]}</dt>
          <dd>{count}</dd>
        </div>
      ))}
    </dl>
  );
}
