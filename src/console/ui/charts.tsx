import type { ItemPhase } from '../api/run-types.js';
import { messages } from '../ui-texts.js';
import { spanText } from './time-texts.js';

/** Shares of outcomes as one bar. */
export function OutcomeChart({ phases }: { readonly phases: Readonly<Partial<Record<ItemPhase, number>>> }) {
  const good = phases.SUCCEEDED ?? 0;
  const bad = phases.FAILED ?? 0;
  const share = (good / Math.max(1, good + bad)) * 100;
  return (
    <figure className="chart">
      <svg
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        height="12"
        role="img"
        aria-label={messages.charts.outcomes(good, bad)}
      >
        <rect width="100" height="6" className="bad-fill" />
        <rect width={share} height="6" className="good-fill" />
      </svg>
      <figcaption className="small muted">{messages.charts.outcomes(good, bad)}</figcaption>
    </figure>
  );
}

interface DurationChartProps {
  /** Newest first. */
  readonly items: readonly { readonly journeyId: string; readonly phase: ItemPhase; readonly durationMs: number }[];
}

const [width, height, edge] = [300, 90, 6];

/** Durations of runs, oldest first, on a logarithmic scale. */
export function DurationChart({ items }: DurationChartProps) {
  const logs = items.map(({ durationMs }) => Math.log10(Math.max(1, durationMs)));
  const [least, most] = [Math.min(...logs), Math.max(...logs)];
  const x = (index: number) => width - edge - (index * (width - 2 * edge)) / Math.max(1, items.length - 1);
  const y = (log: number) => height - edge - ((log - least) / Math.max(0.1, most - least)) * (height - 2 * edge);
  return (
    <figure className="chart">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={messages.charts.durations(items.length)}>
        <line x1="0" x2={width} y1={height - 1} y2={height - 1} className="axis" />
        {items.map(({ journeyId, phase, durationMs }, index) => (
          <circle
            key={journeyId}
            cx={x(index)}
            cy={y(logs[index] ?? least)}
            r="2.6"
            className={phase === 'FAILED' ? 'bad-fill' : 'good-fill'}
          >
            <title>{spanText(durationMs)}</title>
          </circle>
        ))}
      </svg>
      <figcaption className="small muted">{messages.charts.durations(items.length)}</figcaption>
    </figure>
  );
}
