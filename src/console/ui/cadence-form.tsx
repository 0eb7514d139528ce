import { useState } from 'react';
import type { JsonObject } from '../../base/json/value.js';
import { apiUrl, type RequestFailed } from '../api/client.js';
import { type CadenceStart, plannedTimes, previewRequest } from '../api/planned-times.js';
import type { CadencePreview } from '../api/schedule-types.js';
import { useChange } from '../api/use-read-and-change.js';
import { messages } from '../ui-texts.js';
import { CadenceWords } from './cadence-from-english.tsx';
import { Failure } from './loading-empty-and-failure.tsx';
import { readersZone, timeInZones } from './time-texts.js';

/** A cadence as a form holds it. */
export type CadenceValue =
  | { readonly type: 'interval'; readonly every: string }
  | { readonly type: 'cron'; readonly expression: string; readonly timezone: string };

interface CadenceFormProps {
  readonly initial: CadenceValue;
  readonly start: CadenceStart;
  readonly submit: string;
  readonly change: { readonly isPending: boolean; readonly error: RequestFailed | null };
  onSubmit(value: CadenceValue): void;
  close(): void;
}

const timesShown = 5;

/** Builds a cadence and shows its next times before it is used. */
export function CadenceForm({ initial, start, submit, change, onSubmit, close }: CadenceFormProps) {
  const [value, setValue] = useState(initial);
  const preview = useChange<CadencePreview>();
  const [shown, setShown] = useState(initial);
  const show = (cadence: CadenceValue) => {
    setShown(cadence);
    // One more than shown: an interval that is counted from now has its first run later.
    const body = previewRequest(cadence, start, timesShown + 1, Date.now());
    preview.mutate({ path: apiUrl`/schedules/preview`, body });
  };
  const timezone = value.type === 'cron' ? value.timezone : readersZone();
  return (
    <>
      <CadenceWords
        timezone={timezone}
        onRead={({ schedule }) => {
          const said = cadenceValue(schedule);
          if (!said) return;
          setValue(said);
          show(said);
        }}
      />
      <form
        className="schema-form"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(value);
        }}
      >
        <div className="filters">
          <label className="field">
            <span>{messages.cadence.type}</span>
            <select
              value={value.type}
              onChange={({ target }) =>
                setValue(
                  target.value === 'cron'
                    ? {
                        type: 'cron',
                        expression: '0 9 * * 1-5',
                        timezone: readersZone(),
                      }
                    : { type: 'interval', every: 'P1D' },
                )
              }
            >
              <option value="interval">{messages.cadence.interval}</option>
              <option value="cron">{messages.cadence.cron}</option>
            </select>
          </label>
          {value.type === 'interval' ? (
            <label className="field">
              <span>{messages.cadence.every}</span>
              <input
                required
                value={value.every}
                onChange={({ target }) => setValue({ ...value, every: target.value })}
              />
            </label>
          ) : (
            <>
              <label className="field">
                <span>{messages.cadence.expression}</span>
                <input
                  required
                  value={value.expression}
                  onChange={({ target }) => setValue({ ...value, expression: target.value })}
                />
              </label>
              <label className="field">
                <span>{messages.fields.timezone}</span>
                <input
                  required
                  value={value.timezone}
                  onChange={({ target }) => setValue({ ...value, timezone: target.value })}
                />
              </label>
            </>
          )}
        </div>
        {preview.data && (
          <div className="notice" role="status">
            <strong>{preview.data.cadence}</strong>
            {plannedTimes(preview.data.runs, shown, start, Date.now())
              .slice(0, timesShown)
              .map(({ instant, note }) => (
                <span key={instant}>
                  {timeInZones(instant, shown.type === 'cron' ? shown.timezone : 'UTC')}{' '}
                  <span className="muted">{note}</span>
                </span>
              ))}
          </div>
        )}
        {preview.error && <Failure error={preview.error} />}
        {change.error && <Failure error={change.error} />}
        <div className="actions">
          <button type="button" className="button" onClick={close}>
            {messages.dialog.keep}
          </button>
          <button type="button" className="button" onClick={() => show(value)}>
            {messages.cadence.preview}
          </button>
          <button type="submit" className="button primary" disabled={change.isPending}>
            {submit}
          </button>
        </div>
      </form>
    </>
  );
}

/** A cadence of the HTTP API as the form holds it; undefined for a single time. */
export function cadenceValue({
  type,
  every,
  everySeconds,
  expression,
  timezone,
}: JsonObject): CadenceValue | undefined {
  if (type === 'cron') return { type, expression: String(expression), timezone: String(timezone) };
  if (type === 'interval') return { type, every: String(every ?? `PT${everySeconds}S`) };
  return undefined;
}
