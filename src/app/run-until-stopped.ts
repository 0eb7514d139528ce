import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ProblemError, problem } from '../base/problems/problem.js';

/** Something that runs until it is stopped. */
export interface ProcessPart {
  readonly name: string;
  /** Rejects if the part ends unexpectedly. */
  readonly running: Promise<void>;
  /** Announces the end and resolves when others had time to notice; the part still works. */
  drain?(): Promise<void>;
  /** `graceMs`: a limit for work in progress, if the part's own is too long. */
  stop(graceMs?: number): Promise<void>;
}

/** The grace period after a part failed; without that part, the others cannot finish much. */
const graceAfterFailureMs = 2_000;

/** The time in which a stopped process may end by itself. */
const lingerMs = 2_000;

/**
 * Waits for SIGINT, SIGTERM or a part that ends by itself, drains the parts on a signal, then stops them in the given order. A second signal exits at once. A failure
 * is reported when it happens, because stopping the rest takes time. Connections that remain, such as one to a collector of spans that hangs, do not keep
 * the process alive.
 */
export async function runUntilStopped(parts: ProcessPart[], log: Logger): Promise<void> {
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
  else await Promise.all(parts.map((part) => part.drain?.()));
  for (const part of parts) {
    log.debug(`Stopping the ${part.name}`);
    await part
      .stop(failure ? graceAfterFailureMs : undefined)
      .catch((error) => log.error({ err: error }, `The ${part.name} did not stop cleanly`));
  }
  if (failure) throw failure;
  setTimeout(() => process.exit(), lingerMs).unref();
}

function partFailed(detail: string, cause?: unknown): ProblemError {
  if (cause instanceof ProblemError) return cause;
  return new ProblemError(problem('PART_FAILED', detail));
}

/** True if `work` ends within this many milliseconds. */
export async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  return await Promise.race([work.then(() => true), late]).finally(() => timer.abort());
}
