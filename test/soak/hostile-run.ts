import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, JsonObject } from '../../src/base/json/value.js';
import type { HostileDocument } from './hostile-document.js';
import { look } from './runs.js';
import type { Stack } from './stack.js';

const pollIntervalMs = 1_000;

/** One hostile run, from its start until it ends or is parked. */
export class HostileRun {
  id = '';
  isIdle = false;
  private refusal = '';
  attempts = 0;
  idleAfterMs = 0;
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

  /** Waits until it has ended, or until two polls see no progress and nothing is pending. */
  async untilIdle(patience: number): Promise<void> {
    if (this.id === '') return;
    const until = performance.now() + patience;
    let last = '';
    while (!this.isIdle && performance.now() < until) {
      const seen = await look(this.stack.client, this.id);
      this.attempts = Math.max(this.attempts, seen.attempt);
      const quiet = !seen.isMoving && seen.mark === last;
      // A run that yields looks like a parked one, so it is queried.
      if (seen.status !== '1' || (quiet && (await this.end()) === 'parked')) {
        this.isIdle = true;
        this.idleAfterMs = performance.now() - this.began;
      } else await sleep(last === '' ? pollIntervalMs / 5 : pollIntervalMs);
      last = seen.mark;
    }
  }

  /** Its outcome, or the state where it is parked, as reported to callers. */
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
    // A join that waits for its other branches is listed with them.
    const waitingTypes = active.filter((type) => type !== 'parallel');
    const isParked =
      waitingTypes.length > 0 && waitingTypes.every((type) => ['wait', 'webhook', 'timer'].includes(type));
    return isParked ? 'parked' : `RUNNING, ${[...new Set(active)].join(' and ')}`;
  }
}
