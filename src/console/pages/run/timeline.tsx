import type { CallItem, RunEventItem, TrailItem, VisitItem } from '../../api/run-types.js';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { JsonText } from '../../ui/json-text.tsx';
import { Countdown } from '../../ui/time.tsx';
import { instantText, spanText, timeOfDay } from '../../ui/time-texts.js';
import { messages } from '../../ui-texts.js';

interface TimelineProps {
  readonly entries: readonly TrailItem[];
  readonly selected: VisitItem | undefined;
  onSelect(visit: VisitItem): void;
}

/** Idle time from which on a gap is drawn as one line. */
const idleMs = 60_000;

/** Everything that happened to a run, in order; long idle times are one line each. */
export function RunTimeline({ entries, selected, onSelect }: TimelineProps) {
  let last: number | undefined;
  return (
    <ol className="timeline">
      {entries.map((entry) => {
        const at = entry.kind === 'visit' ? entry.enteredAt : entry.at;
        const gap = last === undefined ? 0 : Date.parse(at) - last;
        last = Math.max(last ?? 0, lastInstant(entry));
        return (
          <li key={entry.n}>
            {gap >= idleMs && (
              <p className="gap small muted">
                {spanText(gap)} {messages.run.idle}
              </p>
            )}
            <div className="row">
              <time className="mono muted" dateTime={at} title={instantText(at)}>
                {timeOfDay(at)}
              </time>
              {entry.kind === 'visit' ? (
                <button
                  type="button"
                  className="link"
                  aria-pressed={entry.n === selected?.n}
                  onClick={() => onSelect(entry)}
                >
                  {entry.state}
                </button>
              ) : (
                <strong>{eventName(entry)}</strong>
              )}
              {entry.kind === 'visit' ? <VisitFacts visit={entry} /> : <EventFacts event={entry} />}
            </div>
            {entry.kind === 'visit' && <VisitDetails visit={entry} />}
          </li>
        );
      })}
    </ol>
  );
}

/** The last instant at which something happened in an entry. */
function lastInstant(entry: TrailItem): number {
  if (entry.kind !== 'visit') return Date.parse(entry.at);
  const { enteredAt, leftAt, submissions = [], timers = [], calls = [] } = entry;
  const instants = [
    enteredAt,
    leftAt,
    ...submissions.map(({ at }) => at),
    ...timers.map(({ firedAt }) => firedAt),
    ...calls.map(({ endedAt }) => endedAt),
  ];
  return Math.max(...instants.flatMap((at) => (at === undefined ? [] : [Date.parse(at)])));
}

const outcomes: Readonly<Record<VisitItem['outcome'], Tone | undefined>> = {
  running: 'busy',
  left: undefined,
  ended: 'good',
  failed: 'bad',
  interrupted: 'warn',
};

function VisitFacts({ visit }: { readonly visit: VisitItem }) {
  const { type, within, number, outcome, enteredAt, leftAt, code } = visit;
  const tone = outcome === 'ended' && code !== undefined ? 'bad' : outcomes[outcome];
  const took = leftAt === undefined ? 0 : Date.parse(leftAt) - Date.parse(enteredAt);
  return (
    <>
      <span className="muted small">
        {type}
        {within !== undefined && ` ${messages.run.within} ${within}`}
        {number > 1 && ` · ${messages.run.visit(number)}`}
      </span>
      {tone && <Badge text={code ?? outcome} tone={tone} />}
      {took >= 1 && <span className="end muted small nowrap">{spanText(took)}</span>}
    </>
  );
}

function VisitDetails({ visit }: { readonly visit: VisitItem }) {
  const { calls = [], timers = [], submissions = [], reason } = visit;
  if (calls.length + timers.length + submissions.length === 0 && reason === undefined) return null;
  return (
    <ul className="visit-details small">
      {reason !== undefined && <li className="bad-text">{reason}</li>}
      {calls.map((call) => (
        <li key={`${call.at} ${call.about}`}>
          <Call call={call} />
        </li>
      ))}
      {timers.map((timer) => (
        <li key={`${timer.at} ${timer.dueAt}`}>
          {messages.run.timer} {instantText(timer.dueAt)}{' '}
          <span className="muted">
            {timer.firedAt !== undefined && messages.run.fired}
            {timer.cancelledAt !== undefined && messages.run.dropped}
            {timer.firedAt === undefined && timer.cancelledAt === undefined && <Countdown at={timer.dueAt} />}
          </span>
        </li>
      ))}
      {submissions.map((it) => (
        <li key={it.at}>
          {messages.run.submission} {timeOfDay(it.at)} {it.by !== undefined && <span className="muted">{it.by}</span>}
          {it.payload !== undefined && <JsonText value={it.payload} label={messages.run.submission} />}
        </li>
      ))}
    </ul>
  );
}

function Call({ call }: { readonly call: CallItem }) {
  const { about, kind, outcome, status, code, attempts, at, endedAt, message, request, response } = call;
  const tone = outcome === 'failed' || outcome === 'abandoned' ? 'bad' : outcome === 'running' ? 'busy' : undefined;
  const values = request !== undefined || response !== undefined;
  const line = (
    <>
      {about ?? kind} {status !== undefined && <span className="mono">{status}</span>}{' '}
      {tone && <Badge text={code ?? outcome} tone={tone} />}{' '}
      <span className="muted">
        {attempts !== undefined && attempts > 1 && messages.run.attempts(attempts)}{' '}
        {endedAt !== undefined && spanText(Date.parse(endedAt) - Date.parse(at))} {message}
      </span>
    </>
  );
  if (!values) return line;
  return (
    <details>
      <summary>{line}</summary>
      {request !== undefined && <JsonText value={request} label={messages.run.request} />}
      {response !== undefined && <JsonText value={response} label={messages.run.response} />}
    </details>
  );
}

const names: Readonly<Record<RunEventItem['kind'], string>> = {
  started: messages.run.started,
  signal: messages.run.signal,
  cancel: messages.run.cancelled,
  blocked: messages.run.blocked,
  migrated: messages.run.migrated,
  ended: messages.run.ended,
};

function eventName({ kind }: RunEventItem): string {
  return names[kind] ?? kind;
}

function EventFacts({ event }: { readonly event: RunEventItem }) {
  const { phase, code, reason, name, by, message, from, to } = event;
  return (
    <>
      {phase !== undefined && <Badge text={phase} />}
      <span className="muted small">
        {[code, reason, name, by, message, from !== undefined && `${from} → ${to}`].filter(Boolean).join(' · ')}
      </span>
    </>
  );
}
