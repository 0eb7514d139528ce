import { useCallback, useEffect, useState } from 'react';
import type { RecordedMoment } from '../../scenarios/simulate/record-visited-moments.js';
import { spanText } from '../ui/time-texts.js';
import { messages } from '../ui-texts.js';

interface TransportProps {
  readonly moments: readonly RecordedMoment[];
  readonly position: number;
  readonly isRunning: boolean;
  readonly canPlay: boolean;
  readonly hint: string | undefined;
  onPlay(): void;
  onPause(): void;
  go(to: number): void;
}

/** Play, pause, steps, and the slider over virtual time. */
export function Transport({ moments, position, isRunning, canPlay, hint, onPlay, onPause, go }: TransportProps) {
  const texts = messages.playground;
  const moment = moments[position];
  const isAtEnd = moments.length > 0 && position === moments.length - 1;
  const label = moment ? momentLine(moment) : (hint ?? texts.notPlayed);
  return (
    <section className="transport" aria-label={texts.slider}>
      <div className="row">
        <button
          type="button"
          className="button primary play"
          disabled={!canPlay}
          onClick={isRunning ? onPause : onPlay}
        >
          {isRunning ? texts.pause : isAtEnd ? texts.replay : texts.play}
        </button>
        <button
          type="button"
          className="button icon"
          aria-label={texts.stepBack}
          title={texts.stepBack}
          disabled={!moment || position === 0}
          onClick={() => go(position - 1)}
        >
          ◂
        </button>
        <button
          type="button"
          className="button icon"
          aria-label={texts.stepForward}
          title={texts.stepForward}
          disabled={!moment || isAtEnd}
          onClick={() => go(position + 1)}
        >
          ▸
        </button>
        <input
          type="range"
          aria-label={texts.slider}
          aria-valuetext={label}
          min={0}
          max={Math.max(0, moments.length - 1)}
          value={position}
          disabled={!moment}
          onChange={(event) => go(Number(event.target.value))}
        />
        {moment && <span className="small muted nowrap">{texts.moment(position + 1, moments.length)}</span>}
      </div>
      <p className="small transport-label">
        {moment && <strong className="mono">{texts.after(spanText(moment.sinceStartMs))}</strong>} {label}
      </p>
    </section>
  );
}

/** A moment in a few words. */
export function momentLine({ state, kind, texts: told }: RecordedMoment): string {
  return `${state} · ${told.length > 0 ? told.join(' · ') : messages.playground.kinds[kind]}`;
}

/** How long each moment is shown, in milliseconds. */
const pace = 450;

/** The position in a played run, which moves on by itself until it is paused. */
export function usePlayback(length: number) {
  const [position, setPosition] = useState(0);
  const [isRunning, setRunning] = useState(false);
  const last = Math.max(0, length - 1);

  useEffect(() => {
    if (!isRunning || length === 0) return;
    if (position >= last) {
      setRunning(false);
      return;
    }
    const timer = setTimeout(() => setPosition(position + 1), pace);
    return () => clearTimeout(timer);
  }, [isRunning, position, last, length]);

  const go = useCallback(
    (to: number) => {
      setRunning(false);
      setPosition(Math.min(Math.max(to, 0), last));
    },
    [last],
  );
  const start = useCallback(() => {
    setPosition((at) => (at >= last ? 0 : at));
    setRunning(true);
  }, [last]);
  const restart = useCallback(() => {
    setPosition(0);
    setRunning(true);
  }, []);
  return {
    position: Math.min(position, last),
    isRunning,
    go,
    start,
    restart,
    pause: useCallback(() => setRunning(false), []),
  };
}
