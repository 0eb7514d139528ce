import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow';
import { type Effect, Interrupted, type Interruption, type Scope } from '../src/engine/host.js';
import { isObject, type Json, type JsonObject } from '../src/json/value.js';
import { isProblem, ProblemError } from '../src/problems/problem.js';

/** A local activity holds up its run, so it gets only this long before it is run again as an ordinary one. */
const localMs = 2_000;
/** What an activity may take beyond its budget before the server takes it for lost. */
const graceMs = 5_000;

type Activities = Record<string, (input: Json, budgetMs: number) => Promise<Json>>;

/** The engine's scope as a Temporal cancellation scope. */
export class TemporalScope implements Scope {
  readonly interrupted: Promise<never>;
  private cause: Interruption | undefined;

  constructor(
    private readonly scope: CancellationScope,
    private readonly parent?: TemporalScope,
  ) {
    this.interrupted = scope.cancelRequested.catch(() => {
      throw new Interrupted(this.interruption ?? 'cancel');
    });
    this.interrupted.catch(() => undefined);
  }

  get interruption(): Interruption | undefined {
    return this.cause ?? this.parent?.interruption ?? (this.scope.consideredCancelled ? 'cancel' : undefined);
  }

  fork(): TemporalScope {
    return new TemporalScope(new CancellationScope({ cancellable: true, parent: this.scope }), this);
  }

  interrupt(cause: Interruption): void {
    if (this.interruption) return;
    this.cause = cause;
    this.scope.cancel();
  }

  sleepUntil(instant: number, label: string): Promise<void> {
    return this.inside(() => sleep(Math.max(instant - Date.now(), 1), { summary: label }));
  }

  async perform(effect: Effect): Promise<Json> {
    let { input } = effect;
    for (;;) {
      const result = await this.attempt({ ...effect, input });
      const later = isObject(result) ? result.retryLater : undefined;
      if (!isObject(later)) return result;
      await this.sleepUntil(Date.now() + Number(later.afterMs), `${effect.label} retry`);
      input = { ...(input as JsonObject), attempt: later.attempt as Json };
    }
  }

  private async attempt(effect: Effect): Promise<Json> {
    const local = effect.run ? effect.run === 'local' : effect.safe && effect.alone;
    const started = Date.now();
    if (local) {
      const result = await this.locally(effect);
      if (result !== undefined) return result;
    }
    return this.ordinarily({ ...effect, budgetMs: effect.budgetMs - (Date.now() - started) });
  }

  /** Undefined when it took longer than a local activity may. */
  private async locally(effect: Effect): Promise<Json | undefined> {
    const budgetMs = Math.min(effect.budgetMs, localMs);
    const activities = proxyLocalActivities<Activities>({
      startToCloseTimeout: localMs + 500,
      retry: { maximumAttempts: 1 },
      summary: effect.label,
    });
    try {
      const result = await this.inside(() => activities[effect.name]!(effect.input, budgetMs));
      return budgetMs < effect.budgetMs && ranOut(result) ? undefined : result;
    } catch (error) {
      if (error instanceof ActivityFailure && error.cause instanceof TimeoutFailure) return undefined;
      throw error;
    }
  }

  private ordinarily(effect: Effect): Promise<Json> {
    const activities = proxyActivities<Activities>({
      startToCloseTimeout: effect.budgetMs + graceMs,
      heartbeatTimeout: '6s',
      cancellationType: ActivityCancellationType.TRY_CANCEL,
      summary: effect.label,
    });
    return this.inside(() => activities[effect.name]!(effect.input, effect.budgetMs));
  }

  private async inside<T>(body: () => Promise<T>): Promise<T> {
    try {
      return await this.scope.run(body);
    } catch (error) {
      if (isCancellation(error)) throw new Interrupted(this.interruption ?? 'cancel');
      const cause = error instanceof ActivityFailure ? error.cause : undefined;
      const detail = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
      throw isProblem(detail) ? new ProblemError(detail) : error;
    }
  }
}

/** A call that was cut off by the local activity's limit, not by its own. */
function ranOut(result: Json): boolean {
  return isObject(result) && isObject(result.error) && result.error.type === 'TIMEOUT';
}
