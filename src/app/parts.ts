import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ProblemError, problem } from '../problems/problem.js';

/** Something that runs until it is stopped. */
export interface Part {
  readonly name: string;
  /** Rejects when the part ends without being asked to. */
  readonly running: Promise<void>;
  /** `graceMs`: how long work in progress may take, if the part's own limit is too long. */
  stop(graceMs?: number): Promise<void>;
}

/** The time that a failed part leaves the others: without it they cannot finish much. */
const graceAfterFailureMs = 2_000;

/**
 * Waits for SIGINT, SIGTERM or a part that ends by itself, then stops the parts in the order given. A second signal ends at once. A failure
 * is reported when it happens, because stopping the rest takes time.
 */
export async function untilStopped(parts: Part[], log: Logger): Promise<void> {
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve();
      });
    }
  });
  const failed = parts.map(({ name, running }) =>
    running.then(
      () => partFailed(`The ${name} ended by itself.`),
      (error) => partFailed(`The ${name} failed: ${error instanceof Error ? error.message : String(error)}`, error),
    ),
  );
  const failure = await Promise.race([signalled, ...failed]);
  if (failure) log.fatal(`${failure.message} The rest is being stopped.`);
  for (const part of parts) {
    log.debug(`Stopping the ${part.name}`);
    await part
      .stop(failure ? graceAfterFailureMs : undefined)
      .catch((error) => log.error({ err: error }, `The ${part.name} did not stop cleanly`));
  }
  if (failure) throw failure;
}

function partFailed(detail: string, cause?: unknown): ProblemError {
  if (cause instanceof ProblemError) return cause;
  return new ProblemError(problem('PART_FAILED', detail));
}

/** Whether `work` ended within this many milliseconds. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  return await Promise.race([work.then(() => true), late]).finally(() => timer.abort());
}
