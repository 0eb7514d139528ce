import { useState } from 'react';
import { messages } from '../ui-texts.js';
import { clockChange } from './clock-change.js';
import { readersZone } from './time-texts.js';

interface CalendarProps {
  readonly times: readonly string[];
  /** The zone of the schedule; absent: UTC. */
  readonly timezone: string | null;
  /** Nothing runs at these times until the schedule is resumed. */
  readonly isPaused: boolean;
}

const dayMs = 86_400_000;
const days = 35;

/** The length of the calendar. */
export const calendarMs = days * dayMs;

/** The next five weeks, with planned times, in the reader's zone or the schedule's; days with a clock change are marked. */
export function Calendar({ times, timezone, isPaused }: CalendarProps) {
  const own = readersZone();
  const theirs = timezone ?? 'UTC';
  const [zone, setZone] = useState(own);
  const byDay = new Map<string, string[]>();
  for (const at of times) {
    const day = dayIn(zone, Date.parse(at));
    byDay.set(day, [...(byDay.get(day) ?? []), timeIn(zone, at)]);
  }
  const today = dayIn(zone, Date.now());
  const monday = Date.parse(`${today}T12:00:00Z`) - ((new Date(`${today}T12:00:00Z`).getUTCDay() + 6) % 7) * dayMs;
  const shown = Array.from({ length: days }, (_, index) => new Date(monday + index * dayMs).toISOString().slice(0, 10));
  return (
    <>
      <label className="row small">
        {messages.fields.timezone}
        <select className="input" value={zone} onChange={({ target }) => setZone(target.value)}>
          {[...new Set([own, theirs])].map((it) => (
            <option key={it}>{it}</option>
          ))}
        </select>
      </label>
      <div className={isPaused ? 'calendar paused' : 'calendar'}>
        {messages.calendar.weekdays.map((it) => (
          <div key={it} className="weekday">
            {it}
          </div>
        ))}
        {shown.map((day) => {
          const planned = byDay.get(day) ?? [];
          const shift = clockChange(zone, day);
          const classes = [
            planned.length > 0 ? 'planned' : '',
            shift === 0 ? '' : 'shifted',
            day === today ? 'today' : '',
          ];
          return (
            <div key={day} className={classes.join(' ')}>
              <span>{dayText(day)}</span>
              {shift !== 0 && <div className="small">{messages.calendar.clockChange(shift)}</div>}
              {planned.slice(0, 3).map((it) => (
                <div key={it}>{it}</div>
              ))}
              {planned.length > 3 && <div className="muted">{messages.calendar.more(planned.length - 3)}</div>}
            </div>
          );
        })}
      </div>
    </>
  );
}

/** The number of a day, with its month on the first. */
function dayText(day: string): string {
  const number = Number(day.slice(8));
  return number === 1 ? `1 ${messages.calendar.months[Number(day.slice(5, 7)) - 1]}` : String(number);
}

function dayIn(zone: string, at: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(at);
}

function timeIn(zone: string, at: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' }).format(
    Date.parse(at),
  );
}
