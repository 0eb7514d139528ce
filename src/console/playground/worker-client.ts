import type { Requests } from './worker/worker-protocol.js';

/** The longest that an answer may take, in milliseconds; then the worker is ended and a new one started. */
const longest: Readonly<Record<keyof Requests, number>> = {
  examples: 20_000,
  example: 20_000,
  check: 20_000,
  play: 20_000,
  evaluate: 10_000,
  addSubmission: 10_000,
  expressionAt: 10_000,
  complete: 10_000,
  describe: 10_000,
};

/** Thrown when the worker was ended because it took too long. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

interface Waiting {
  resolve(answer: never): void;
  reject(error: Error): void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Asks the worker that knows the language. A worker that does not answer in time is replaced, and everything it was asked is rejected. */
export class PlaygroundWorker {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;

  ask<K extends keyof Requests>(name: K, ask: Requests[K]['ask']): Promise<Requests[K]['answer']> {
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.end(new TookTooLong()), longest[name]);
      this.waiting.set(id, { resolve, reject, timer });
      this.started().postMessage({ id, name, ask });
    });
  }

  /** Ends the worker; the next question starts another. */
  end(reason: Error = new Error('ended')): void {
    this.worker?.terminate();
    this.worker = undefined;
    for (const { timer, reject } of this.waiting.values()) {
      clearTimeout(timer);
      reject(reason);
    }
    this.waiting.clear();
  }

  private started(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(new URL('./worker/worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<{ id: number; answer: never; failed?: string }>) => {
      const waiting = this.waiting.get(data.id);
      if (!waiting) return;
      this.waiting.delete(data.id);
      clearTimeout(waiting.timer);
      if (data.failed === undefined) waiting.resolve(data.answer);
      else waiting.reject(new Error(data.failed));
    });
    worker.addEventListener('error', ({ message }) => this.end(new Error(message)));
    this.worker = worker;
    return worker;
  }
}
