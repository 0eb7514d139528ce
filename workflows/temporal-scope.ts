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

  async inside<T>(body: () => Promise<T>): Promise<T> {
    try {
      return await this.scope.run(body);
    } catch (error) {
      throw this.meaning(error);
    }
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
    let { input, budgetMs } = effect;
    for (;;) {
      const call = activity(effect, local, budgetMs);
      try {
        const result = await this.here(() => call(input, budgetMs));
        const later = isObject(result) ? result.retryLater : undefined;
        if (!isObject(later)) return result;
        input = { ...(input as JsonObject), attempt: later.attempt as Json };
        if (Number(later.afterMs) > 0) {
          await this.sleepUntil(Date.now() + Number(later.afterMs), `${effect.label} retry`);
        }
      } catch (error) {
        // A local activity that did not hand itself back in time is made again as an ordinary one.
        if (!local || !timedOut(error)) throw this.meaning(error);
      }
      // Only what a local activity took is known to be the call's own time: an ordinary one may have waited for a worker.
      if (local) budgetMs -= Date.now() - started;
      local = false;
    }
  }

  /** Calls `body` in this scope; where that is the surrounding one already, without the promises it takes to enter it. */
  private here<T>(body: () => Promise<T>): Promise<T> {
    return CancellationScope.current() === this.scope ? body() : this.scope.run(body);
  }

  /** An error of Temporal's as the engine knows it. */
  private meaning(error: unknown): unknown {
    if (isCancellation(error)) return new Interrupted(this.interruption ?? 'cancel');
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    const detail = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
    return isProblem(detail) ? new ProblemError(detail) : error;
  }
}

function activity({ name, label }: Effect, local: boolean, budgetMs: number): Activities[string] {
  const activities = local
    ? proxyLocalActivities<Activities>({
        startToCloseTimeout: localMs,
        retry: { maximumAttempts: 1 },
        summary: label,
      })
    : proxyActivities<Activities>({
        startToCloseTimeout: budgetMs + graceMs,
        heartbeatTimeout: '6s',
        cancellationType: ActivityCancellationType.TRY_CANCEL,
        summary: label,
      });
  return activities[name]!;
}

function timedOut(error: unknown): boolean {
  return error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
}
