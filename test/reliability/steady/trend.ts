/** A measured value and its time in minutes. */
export interface Sample {
  readonly minute: number;
  readonly value: number;
}

/** The trend of a measure over the second half of the samples. */
export interface Trend {
  /** The median of the second half. */
  readonly level: number;
  /** Change per minute: the median of the slopes between all pairs, which is robust against single peaks (Theil and Sen). */
  readonly perMinute: number;
  /** Change over the second half, relative to the level. */
  readonly growth: number;
}

/** The trend of a measure after warm-up, which is the first half. */
export function trendOf(samples: readonly Sample[]): Trend {
  const half = samples.slice(Math.floor(samples.length / 2));
  const [first, last] = [half[0], half.at(-1)];
  if (!first || !last || half.length < 4) throw new Error(`${samples.length} samples are too few for a trend`);
  const slopes = half.flatMap((a, i) => half.slice(i + 1).map((b) => (b.value - a.value) / (b.minute - a.minute)));
  const [level, perMinute] = [median(half.map(({ value }) => value)), median(slopes)];
  return { level, perMinute, growth: (perMinute * (last.minute - first.minute)) / level };
}

/** The median of the values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
