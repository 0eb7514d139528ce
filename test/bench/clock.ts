/** Microseconds per call: the fastest of several rounds, because other work on the machine can only add time. */
export async function microseconds(call: () => unknown, rounds = 7, roundMs = 12): Promise<number> {
  let repeat = 1;
  for (;;) {
    const took = await round(call, repeat);
    if (took >= roundMs) break;
    repeat = Math.ceil(repeat * Math.min(10, Math.max(2, (roundMs / Math.max(took, 0.01)) * 1.1)));
  }
  const results: number[] = [];
  for (let i = 0; i < rounds; i++) results.push(((await round(call, repeat)) * 1000) / repeat);
  return Math.min(...results);
}

async function round(call: () => unknown, repeat: number): Promise<number> {
  const started = performance.now();
  for (let i = 0; i < repeat; i++) {
    const result = call();
    if (result instanceof Promise) await result;
  }
  return performance.now() - started;
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
