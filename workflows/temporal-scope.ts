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

/** A local activity holds up its run: it hands itself back after 2 s, and is given up if it does not. */
const localMs = 3_000;
/** What an activity may take beyond its budget before the server takes it for lost. */
const graceMs = 5_000;

/** The server cuts a longer timer to a hundred years. */
const longestTimerMs = 100 * 365 * 86_400_000;

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
    return this.inside(async () => {
      do await sleep(Math.min(Math.max(instant - Date.now(), 1), longestTimerMs), { summary: label });
      while (Date.now() < instant);
    });
  }

  /** Until the effect answers: `retryLater` hands it back, to wait without holding a worker or to go on as an ordinary one. */
  async perform(effect: Effect): Promise<Json> {
    const started = Date.now();
    let local = effect.run ? effect.run === 'local' : effect.safe && effect.alone;
    let { input } = effect;
    for (;;) {
      const budgetMs = effect.budgetMs - (Date.now() - started);
      const result = await (local
        ? this.locally({ ...effect, input, budgetMs })
        : this.ordinarily({ ...effect, input, budgetMs }));
      const later = isObject(result) ? result.retryLater : undefined;
      if (result !== undefined && !isObject(later)) return result;
      local = false;
      if (!isObject(later)) continue;
      if (Number(later.afterMs) > 0) await this.sleepUntil(Date.now() + Number(later.afterMs), `${effect.label} retry`);
      input = { ...(input as JsonObject), attempt: later.attempt as Json };
    }
  }

  /** Undefined when it took longer than a local activity may; it hands back what is unfinished well before. */
  private async locally(effect: Effect): Promise<Json | undefined> {
    const activities = proxyLocalActivities<Activities>({
      startToCloseTimeout: localMs,
      retry: { maximumAttempts: 1 },
      summary: effect.label,
    });
    try {
      return await this.inside(() => activities[effect.name]!(effect.input, effect.budgetMs));
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
