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
import type { RequestRef } from '../src/engine/frame.js';
import { type Effect, Interrupted, type Interruption, type Scope } from '../src/engine/host.js';
import { jsonBytes } from '../src/json/size.js';
import { isObject, type Json, type JsonObject } from '../src/json/value.js';
import { isProblem, ProblemError, problem } from '../src/problems/problem.js';
import type { Room } from './room.js';

/** A local activity hands itself back after 2 s; one that does not, because its process is stuck, is given up. */
const localMs = 10_000;
/** What an activity may take beyond its budget before the server takes it for lost. */
const graceMs = 5_000;

/** A gateway that lives takes what is meant for it at once. */
const gatewayMs = 5_000;

/** The server cuts a longer timer to a hundred years. */
const longestTimerMs = 100 * 365 * 86_400_000;

type Activities = Record<string, (input: Json, budgetMs: number, more?: Json) => Promise<Json>>;

/** The engine's scope as a Temporal cancellation scope. */
export class TemporalScope implements Scope {
  private cause: Interruption | undefined;
  private rejection: Promise<never> | undefined;

  constructor(
    private readonly scope: CancellationScope,
    /** Bounds what goes into one workflow task; left out for runs that began without such a bound. */
    private readonly room: Room | undefined,
    private readonly parent?: TemporalScope,
    /** Effects wait for its promise, if it returns one. */
    private readonly passed?: () => Promise<unknown> | undefined,
    /** What the run was started with, for effects that need it. */
    private readonly origin?: () => Json,
  ) {}

  get interrupted(): Promise<never> {
    if (!this.rejection) {
      this.rejection = this.scope.cancelRequested.catch((error) => {
        throw this.meaning(error);
      });
      this.rejection.catch(() => undefined);
    }
    return this.rejection;
  }

  get interruption(): Interruption | undefined {
    return this.cause ?? this.parent?.interruption ?? (this.scope.consideredCancelled ? 'cancel' : undefined);
  }

  fork(): TemporalScope {
    const scope = new CancellationScope({ cancellable: true, parent: this.scope });
    return new TemporalScope(scope, this.room, this, this.passed, this.origin);
  }

  interrupt(cause: Interruption): void {
    if (this.interruption) return;
    this.cause = cause;
    this.scope.cancel();
  }

  /** Where this scope is already the surrounding one, saves the promises and hooks of entering it. */
  inside<T>(body: () => Promise<T>): Promise<T> {
    return CancellationScope.current() === this.scope ? body() : this.scope.run(body);
  }

  async sleepUntil(instant: number, label: string): Promise<void> {
    const rest = (): Promise<void> =>
      sleep(Math.min(Math.max(instant - Date.now(), 1), longestTimerMs), { summary: label });
    try {
      do await this.inside(rest);
      while (Date.now() < instant);
      this.room?.arrived();
      if (this.room?.holding) await this.room.holding;
    } catch (error) {
      throw this.meaning(error);
    }
  }

  perform(effect: Effect): Promise<Json> {
    const mayBeLocal = this.prefersLocal(effect) && (this.room?.allowsLocal ?? true);
    const waits = this.passed?.();
    return waits ? waits.then(() => this.attempt(effect, mayBeLocal)) : this.attempt(effect, mayBeLocal);
  }

  /**
   * A local activity is repeated with its whole workflow task, and a task that is repeated may take another path: what a local call
   * answered, and what was submitted, is not in the history before the task ends. An effect that leaves something behind must not be
   * there by then, so it runs locally only where all that led to it is in the history already.
   */
  private prefersLocal({ run, safe, repeatable, alone, request }: Effect): boolean {
    if (request) return false;
    if (run) return run === 'local';
    return alone && (safe || (repeatable === true && this.room?.isEmpty === true));
  }

  private attempt(effect: Effect, local: boolean): Promise<Json> {
    const room = local ? undefined : this.room?.take(effect.bytes ?? 0);
    return room ? room.then(() => this.send(effect, local)) : this.send(effect, local);
  }

  /** `retryLater` hands the effect back, to wait without holding a worker or to go on as an ordinary activity. */
  private send(effect: Effect, local: boolean): Promise<Json> {
    const { input, budgetMs } = effect;
    const started = Date.now();
    // Only a local activity's time is known to be the call's own: an ordinary one may have waited for a worker.
    const left = () => (local ? budgetMs - (Date.now() - started) : budgetMs);
    const call = activity(effect, local);
    // The input of a local activity is not in the history, so it may be large; an ordinary one reads what it needs from there.
    const origin = local && effect.repeatable ? this.origin?.() : undefined;
    const more = effect.request ?? origin;
    return this.inside(() => (more ? call(input, budgetMs, more) : call(input, budgetMs))).then(
      (result) => {
        const bytes = this.room ? jsonBytes(result) : 0;
        if (!local) this.room?.arrived();
        else this.room?.add(bytes);
        this.room?.answered(bytes + (effect.bytes ?? 0));
        const later = isObject(result) ? result.retryLater : undefined;
        return isObject(later) ? this.again({ ...effect, budgetMs: left() }, later) : result;
      },
      (error) => {
        if (!local) this.room?.arrived();
        const meaning = effect.request && neverTaken(error) ? gone(effect.request) : this.meaning(error);
        // A local activity has one attempt. One that was lost or broke down is repeated as an ordinary one, which the server tries again;
        // the time it took was not the call's.
        if (local && meaning === error) return this.attempt(effect, false);
        throw meaning;
      },
    );
  }

  /** Where a request is in flight, its ticket goes along, with the budget from the moment it was sent. */
  private async again(effect: Effect, { attempt, afterMs, budgetMs, inFlight }: JsonObject): Promise<Json> {
    if (Number(afterMs) > 0) await this.sleepUntil(Date.now() + Number(afterMs), `${effect.label} retry`);
    const { inFlight: used, ...request } = effect.input as JsonObject;
    const input = { ...request, attempt: attempt as Json, ...(inFlight !== undefined && { inFlight }) };
    return this.attempt({ ...effect, input, budgetMs: Number(budgetMs ?? effect.budgetMs) }, false);
  }

  /** A Temporal error as the engine knows it; whatever the engine does not know stays as it is. */
  private meaning(error: unknown): unknown {
    if (isCancellation(error)) return new Interrupted(this.interruption ?? 'cancel');
    // Only an ordinary activity's failure comes wrapped.
    const cause = error instanceof ActivityFailure ? error.cause : error;
    const detail = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
    return isProblem(detail) ? new ProblemError(detail) : error;
  }
}

/** The gateway that has the request did not take the activity. */
function neverTaken(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

function gone({ queue }: RequestRef): ProblemError {
  return new ProblemError(problem('REQUEST_GONE', `The gateway that took the request (${queue}) does not answer.`));
}

function activity({ name, label, budgetMs, request }: Effect, local: boolean): Activities[string] {
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
        ...(request && { taskQueue: request.queue, scheduleToStartTimeout: gatewayMs }),
      });
  return activities[name]!;
}
