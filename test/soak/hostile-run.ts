import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, JsonObject } from '../../src/base/json/value.js';
import type { HostileDocument } from './hostile-document.js';
import { look } from './runs.js';
import type { Stack } from './stack.js';

const lookEveryMs = 1_000;

/** One hostile run, from its start to where it ends or rests. */
export class HostileRun {
  id = '';
  isStill = false;
  private refusal = '';
  attempts = 0;
  stillMs = 0;
  private began = 0;

  constructor(
    readonly document: HostileDocument,
    private readonly stack: Stack,
  ) {}

  async start(): Promise<void> {
    this.began = performance.now();
    const { status, body } = await this.stack.post(`${this.document.name}/start`, { n: 1 });
    if (typeof body.journeyId === 'string') this.id = body.journeyId;
    else this.refusal = `not started: ${status} ${JSON.stringify(body)}`;
  }

  /** Until it has ended, or nothing has happened in it between two looks and nothing is about to. */
  async untilStill(patience: number): Promise<void> {
    if (this.id === '') return;
    const until = performance.now() + patience;
    let last = '';
    while (!this.isStill && performance.now() < until) {
      const seen = await look(this.stack.client, this.id);
      this.attempts = Math.max(this.attempts, seen.attempt);
      const quiet = !seen.isMoving && seen.mark === last;
      // A run that makes way looks like one that rests, so it is asked.
      if (seen.status !== '1' || (quiet && (await this.end()) === 'rests')) {
        this.isStill = true;
        this.stillMs = performance.now() - this.began;
      } else await sleep(last === '' ? lookEveryMs / 5 : lookEveryMs);
      last = seen.mark;
    }
  }

  /** How it ended, or where it rests, as a caller is told. */
  async end(): Promise<string> {
    if (this.id === '') return this.refusal;
    const { status, body } = await this.stack.get(this.id);
    if (status !== 200) return `no status: ${status} ${JSON.stringify(body)}`;
    if (body.phase !== 'RUNNING') {
      const result = await this.stack.get(`${this.id}/result`);
      const error = result.body.error as JsonObject | undefined;
      return error ? `FAILED ${String(error.cause ?? error.code)}` : String(result.body.phase ?? result.status);
    }
    const active = (body.activeStates as JsonObject[]).map(({ type }: { type?: Json }) => String(type));
    // A join that waits for its other branches is named beside them.
    const resting = active.filter((type) => type !== 'parallel');
    const rests = resting.length > 0 && resting.every((type) => ['wait', 'webhook', 'timer'].includes(type));
    return rests ? 'rests' : `RUNNING, ${[...new Set(active)].join(' and ')}`;
  }
}
