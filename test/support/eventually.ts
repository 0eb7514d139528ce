import { setTimeout as sleep } from 'node:timers/promises';

/** A wait: its limit, and the pause between two questions. A short pause costs more time of the server than it saves. */
export interface Patience {
  readonly limitMs?: number;
  readonly pauseMs?: number;
}

/**
 * Asks until the answer is as wanted, and returns that answer. A question that fails is repeated: something may not exist yet, and a server
 * may be away. Fails with the last answer when the limit is reached.
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

/** An answer for a message, without the server's own form of it. */
function shown(answer: unknown): string {
  if (answer instanceof Error) return String(answer);
  return JSON.stringify(answer, (key, value) => (key === 'raw' ? undefined : value));
}
