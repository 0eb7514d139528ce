import { useEffect, useState } from 'react';
import { messages } from '../ui-texts.js';
import { instantText, minuteText, pastText, relativeText, spanText } from './time-texts.js';

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

/** The time until an instant, and the instant itself in the reader's zone. */
export function NextTime({ at }: { readonly at: string }) {
  return (
    <>
      <Countdown at={at} /> <span className="muted">· {minuteText(at)}</span>
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
