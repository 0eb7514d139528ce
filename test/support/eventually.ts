import { setTimeout as sleep } from 'node:timers/promises';

/** A wait: its limit, and the pause between two polls. A short pause costs more server time than it saves. */
export interface Patience {
  readonly limitMs?: number;
  readonly pauseMs?: number;
}

/**
 * Polls until the result meets the condition, and returns that result. Errors are retried: something may not exist yet, and a server
 * may be down. Fails with the last result when the limit is reached.
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  wanted: (answer: T) => boolean,
  { limitMs = 90_000, pauseMs = 200 }: Patience = {},
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const answer = await (async () => await ask())().catch((error: Error) => error);
    if (!(answer instanceof Error) && wanted(answer)) return answer;
    if (Date.now() > end) throw new Error(`After ${limitMs} ms still ${shown(answer)}`);
    await sleep(pauseMs);
  }
}

/** A result as text for a message, without server-specific formatting. */
function shown(answer: unknown): string {
  if (answer instanceof Error) return String(answer);
  return JSON.stringify(answer, (key, value) => (key === 'raw' ? undefined : value));
}
