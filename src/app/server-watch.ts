import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';

/** Whether the Temporal server answers, checked again and again. */
export interface ServerWatch {
  answers(): boolean;
  stop(): void;
}

const everyMs = 5_000;
const patienceMs = 3_000;

/**
 * Watches the server and logs when and why it is lost, and when it is back: a worker's own polling waits for the server silently, so nobody
 * would know why nothing happens.
 */
export function watchServer(client: Client, log: Pick<Logger, 'warn' | 'info'>, intervalMs = everyMs): ServerWatch {
  let answers = true;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const look = async (): Promise<void> => {
    const lost = await client
      .withDeadline(Date.now() + patienceMs, () => client.workflowService.getSystemInfo({}))
      .then(
        () => undefined,
        (error: Error) => error,
      );
    if (stopped) return;
    if (lost && answers)
      log.warn({ reason: lost.message }, 'The Temporal server does not answer; work goes on when it does');
    if (!lost && !answers) log.info('The Temporal server answers again');
    answers = lost === undefined;
    again();
  };
  const again = (): void => {
    timer = setTimeout(look, intervalMs).unref();
  };
  again();
  return {
    answers: () => answers,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
