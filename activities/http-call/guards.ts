import { canonical, type Json } from '../../src/json/value.js';
import type { BreakerPolicy, BulkheadPolicy, HttpResult, RetryPolicy } from '../../src/tasks/http-call/request.js';
import { retryCause } from '../../src/tasks/http-call/retry.js';
import { CallFailure } from './failure.js';

/** What keeps calls of this process from a service that fails, or that has enough to do. Both are counted per process. */
export class Guards {
  private readonly breakers = new Map<string, Breaker>();
  private readonly bulkheads = new Map<string, Bulkhead>();

  async run(
    policy: RetryPolicy | undefined,
    origin: string,
    signal: AbortSignal,
    call: () => Promise<HttpResult>,
  ): Promise<HttpResult> {
    if (!policy?.circuitBreaker && !policy?.bulkhead) return await call();
    const key = canonical(policy as unknown as Json);
    const breaker =
      policy.circuitBreaker && kept(this.breakers, `${key} ${origin}`, () => new Breaker(policy.circuitBreaker!));
    const bulkhead = policy.bulkhead && kept(this.bulkheads, key, () => new Bulkhead(policy.bulkhead!));
    const guarded = breaker ? () => breaker.run(signal, call) : call;
    return await (bulkhead ? bulkhead.run(signal, guarded) : guarded());
  }
}

/** So many policies are followed at a time; more than anybody has, and no leak. */
const most = 1_000;

function kept<T>(all: Map<string, T>, key: string, create: () => T): T {
  let it = all.get(key);
  if (it) return it;
  it = create();
  all.set(key, it);
  if (all.size > most) all.delete(all.keys().next().value!);
  return it;
}

/** Opens when too many of the latest calls failed; after a while it lets one through, which decides. */
class Breaker {
  private results: boolean[] = [];
  private failures = 0;
  private openUntil = 0;
  private probing = false;

  constructor(private readonly policy: BreakerPolicy) {}

  async run(signal: AbortSignal, call: () => Promise<HttpResult>): Promise<HttpResult> {
    const probe = this.openUntil > 0;
    if (probe && (this.probing || Date.now() < this.openUntil))
      throw new CallFailure('NETWORK', 'the circuit breaker is open', 'CIRCUIT_OPEN', true);
    this.probing = probe;
    try {
      const result = await call();
      const cause = retryCause(result);
      this.note(cause === undefined || cause === 'HTTP_429', probe);
      return result;
    } catch (error) {
      // A call that we gave up ourselves, because its run was cancelled, says nothing about the service.
      const isGivenUp = signal.aborted && !(signal.reason instanceof CallFailure);
      if (!isGivenUp) this.note(false, probe);
      else if (probe) this.probing = false;
      throw error;
    }
  }

  private note(ok: boolean, probe: boolean): void {
    if (probe) this.probing = false;
    if (probe && ok) {
      this.openUntil = 0;
      this.results = [];
      this.failures = 0;
    }
    this.results.push(ok);
    if (!ok) this.failures += 1;
    if (this.results.length > this.policy.slidingWindowSize && this.results.shift() === false) this.failures -= 1;
    const full = this.results.length >= this.policy.slidingWindowSize;
    if ((probe && !ok) || (full && this.failures / this.results.length >= this.policy.failureRateThreshold))
      this.openUntil = Date.now() + this.policy.openTimeoutSec * 1000;
  }
}

/** So many calls at once; others wait in line, and those beyond it fail. */
class Bulkhead {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly policy: BulkheadPolicy) {}

  async run(signal: AbortSignal, call: () => Promise<HttpResult>): Promise<HttpResult> {
    if (this.running >= this.policy.maxConcurrent) await this.turn(signal);
    else this.running += 1;
    try {
      return await call();
    } finally {
      const [next] = this.waiting;
      if (next) next();
      else this.running -= 1;
    }
  }

  /** Whoever leaves hands its place to the first in line. */
  private turn(signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= this.policy.queueSize)
      throw new CallFailure('NETWORK', 'too many calls wait for this service', 'BULKHEAD_FULL');
    return new Promise((resolve, reject) => {
      const go = () => {
        this.waiting.delete(go);
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = () => {
        this.waiting.delete(go);
        reject(signal.reason);
      };
      this.waiting.add(go);
      signal.addEventListener('abort', stop);
    });
  }
}
