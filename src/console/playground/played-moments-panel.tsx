import type { RecordedMoment } from '../../scenarios/simulate/record-visited-moments.js';
import { spanText } from '../ui/time-texts.js';
import { messages } from '../ui-texts.js';
import { momentLine } from './playback-controls.tsx';

interface EventsPanelProps {
  readonly moments: readonly RecordedMoment[];
  readonly position: number;
  go(to: number): void;
}

/** The most events that are listed, around the position. */
const most = 400;

/** Every moment that has something to tell; choosing one shows the run at it. */
export function EventsPanel({ moments, position, go }: EventsPanelProps) {
  const first = Math.max(0, Math.min(position - most / 2, moments.length - most));
  return (
    <ol className="choices events">
      {moments.slice(first, first + most).map((moment, index) => {
        const at = first + index;
        if (moment.texts.length === 0 && at !== position) return null;
        return (
          <li key={at}>
            <button type="button" aria-current={at === position} onClick={() => go(at)}>
              <span className="small muted mono">{messages.playground.after(spanText(moment.sinceStartMs))}</span>
              <span>{momentLine(moment)}</span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
