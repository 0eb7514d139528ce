import type { Logger } from 'pino';

/** Something that runs until it is stopped. */
export interface Part {
  readonly name: string;
  /** Rejects when the part ends without being asked to. */
  readonly running: Promise<void>;
  stop(): Promise<void>;
}

/** Waits for SIGINT, SIGTERM or a part that ends by itself, then stops the parts in the order given. A second signal ends at once. */
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
      () => Promise.reject(new Error(`The ${name} ended by itself.`)),
      (error) => Promise.reject(new Error(`The ${name} failed: ${String(error)}`, { cause: error })),
    ),
  );
  try {
    await Promise.race([signalled, ...failed]);
  } finally {
    for (const promise of failed) promise.catch(() => undefined);
    for (const part of parts) {
      log.debug(`Stopping the ${part.name}`);
      await part.stop().catch((error) => log.error({ err: error }, `The ${part.name} did not stop cleanly`));
    }
  }
}
