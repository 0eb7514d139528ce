import { canonical, type Json } from '../../src/base/json/value.js';
import type {
  BreakerPolicy,
  BulkheadPolicy,
  HttpResult,
  RetryPolicy,
} from '../../src/language/tasks/http-call/request-and-result-types.js';
import { retryCause } from '../../src/language/tasks/http-call/retry-policy.js';
import { CallFailure } from './describe-connection-failure.js';

/** Circuit breakers and bulkheads of the services that this process calls, counted per process. */
export class BreakersAndBulkheads {
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
      policy.circuitBreaker &&
      getOrCreate(this.breakers, `${key} ${origin}`, () => new Breaker(policy.circuitBreaker!));
    const bulkhead = policy.bulkhead && getOrCreate(this.bulkheads, key, () => new Bulkhead(policy.bulkhead!));
    const guarded = breaker ? () => breaker.run(signal, call) : call;
    return await (bulkhead ? bulkhead.run(signal, guarded) : guarded());
  }
}

/** Maximum number of policies that are tracked. More than any installation uses; it bounds the memory. */
const cacheLimit = 1_000;

function getOrCreate<T>(all: Map<string, T>, key: string, create: () => T): T {
  let it = all.get(key);
  if (it) return it;
  it = create();
  all.set(key, it);
  if (all.size > cacheLimit) all.delete(all.keys().next().value!);
  return it;
}

/** A circuit breaker: opens when too many of the latest calls failed. After a pause it lets one call through, whose result closes or reopens it. */
class Breaker {
  private results: boolean[] = [];
  private failures = 0;
  private openUntil = 0;
  private probing = false;

  constructor(private readonly policy: BreakerPolicy) {}

  async run(signal: AbortSignal, call: () => Promise<HttpResult>): Promise<HttpResult> {
    const probe = this.openUntil > 0;
    if (probe && (this.probing || Date.now() < this.openUntil))
      throw new CallFailure('NETWORK', 'the circuit breaker is open', 'CIRCUIT_OPEN', true, false);
    this.probing = probe;
    try {
      const result = await call();
      const cause = retryCause(result);
      this.note(cause === undefined || cause === 'HTTP_429', probe);
      return result;
    } catch (error) {
      // A call that was aborted because its run was cancelled is not a result of the service.
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

/** A bulkhead: limits concurrent calls. Further calls are queued; calls beyond the queue fail. */
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

  /** Hands the slot of a finished call to the first queued one. */
  private turn(signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= this.policy.queueSize)
      throw new CallFailure('NETWORK', 'too many calls wait for this service', 'BULKHEAD_FULL', false, false);
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
