/** Words that cannot name a field, variable or function unless quoted. */
export const reserved: ReadonlySet<string> = new Set(
  (
    'if else unless using as is null true false default case fun input output ns type import var and or throw do for ' +
    'yield enum private async'
  ).split(' '),
);

/** The candidate nearest to `name`, if `name` may be a misspelling of it. */
export function closest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  const wanted = name.toLowerCase();
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const found = distance(wanted, candidate.toLowerCase(), bestDistance);
    if (found < bestDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

function distance(a: string, b: string, limit: number): number {
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(before[j]! + 1, row[j - 1]! + 1, before[j - 1]! + cost);
    }
    if (Math.min(...row) >= limit) return limit;
    before = row;
  }
  return before[b.length]!;
}
