import { useEffect, useState } from 'react';
import { messages } from '../ui-texts.js';
import { instantText, pastText, relativeText, spanText, timeInZones } from './time-texts.js';

/** The current time, refreshed in this interval. */
export function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** An instant of the past in words, with the exact time as its title. */
export function Ago({ at }: { readonly at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={instantText(at)}>
      {pastText(at, now)}
    </time>
  );
}

const timesShown = 5;

/** The time until the first of the next times, and the times with their dates in a zone and the reader's. */
export function NextTimes({ times, zone }: { readonly times: readonly string[]; readonly zone: string }) {
  return (
    <>
      <Countdown at={times[0]!} />
      <ul className="small muted">
        {times.slice(0, timesShown).map((at) => (
          <li key={at}>{timeInZones(at, zone)}</li>
        ))}
      </ul>
    </>
  );
}

/** When an open step is due. */
export function Due({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="muted">{messages.inbox.noDue}</span>;
  return (
    <span>
      {messages.fields.due} <Countdown at={at} />
    </span>
  );
}

/** The time until an instant, counted down. */
export function Countdown({ at }: { readonly at: string }) {
  const left = new Date(at).getTime() - useNow(1_000);
  return (
    <time dateTime={at} title={instantText(at)} className="nowrap">
      {left > 0 ? `in ${spanText(Math.ceil(left / 1000) * 1000)}` : relativeText(at, Date.now())}
    </time>
  );
}
