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
import { jsonBytes } from '../../src/base/json/size.js';
import { isObject, type Json } from '../../src/base/json/value.js';
import { isProblem, ProblemError, problem } from '../../src/base/problems/problem.js';
import type { RequestRef } from '../../src/engine/frame.js';
import {
  AttemptLost,
  type Effect,
  Interrupted,
  type Interruption,
  maxLocalActivityMs,
  type Scope,
} from '../../src/engine/host.js';
import { activityGraceMs } from '../../src/language/tasks/effect-interface.js';
import type { ParentRun } from '../../src/language/tasks/external/activity-admission-contract.js';
import { admittedTask, callAdmitted, lostAttempts } from './call-other-workers.js';
import type { HistoryBudget } from './history-budget.js';
import type { WorkflowTaskBudget } from './workflow-task-budget.js';

/** Time for a gateway to accept an activity of its own queue; a live one does so immediately. */
const gatewayMs = 5_000;

/** Bytes of the marker that admits a call of another worker, about. */
const admissionBytes = 500;

/** The longest timer that a server accepts: a hundred years. */
const longestTimerMs = 100 * 365 * 86_400_000;

type Activities = Record<string, (input: Json, budgetMs?: number, more?: Json) => Promise<Json>>;

/** Parts of an execution that its effects need. */
export interface EffectContext {
  readonly taskBudget: WorkflowTaskBudget;
  readonly historyBudget: HistoryBudget;
  /** The source of schedules that the run creates. */
  readonly origin: () => Json;
  /** The run, as the parent of its children. */
  readonly parent: () => ParentRun;
  /** Called before each effect. */
  readonly begins: () => void;
  /** Effects wait for its promise, if it returns one. */
  readonly admitted?: () => Promise<unknown> | undefined;
}

/** The engine's scope as a Temporal cancellation scope. */
export class TemporalScope implements Scope {
  private cause: Interruption | undefined;
  private rejection: Promise<never> | undefined;

  constructor(
    private readonly scope: CancellationScope,
    private readonly effects: EffectContext,
    private readonly parent?: TemporalScope,
  ) {}

  get interrupted(): Promise<never> {
    if (!this.rejection) {
      this.rejection = this.scope.cancelRequested.catch((error) => {
        throw this.translated(error);
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
    return new TemporalScope(scope, this.effects, this);
  }

  interrupt(cause: Interruption): void {
    if (this.interruption) return;
    this.cause = cause;
    this.scope.cancel();
  }

  /** Enters the scope, unless it is the current one, which saves promises and hooks. */
  inside<T>(body: () => Promise<T>): Promise<T> {
    return CancellationScope.current() === this.scope ? body() : this.scope.run(body);
  }

  async sleepUntil(instant: number, label: string): Promise<void> {
    const wait = (): Promise<void> =>
      sleep(Math.min(Math.max(instant - Date.now(), 1), longestTimerMs), { summary: label });
    try {
      do await this.inside(wait);
      while (Date.now() < instant);
      this.effects.taskBudget.arrived();
    } catch (error) {
      throw this.translated(error);
    }
  }

  perform(effect: Effect): Promise<Json> {
    const { taskBudget, admitted: mayGoOn, begins } = this.effects;
    begins();
    const local = this.prefersLocal(effect) && taskBudget.allowsLocal;
    const attempt = () => (effect.external ? this.callExternal(effect) : this.attempt(effect, local));
    const admission = mayGoOn?.();
    return admission ? admission.then(attempt) : attempt();
  }

  /** Calls an activity or a workflow of another worker, or another journey, once our own worker admits it. Interruption is passed on to it. */
  private async callExternal(effect: Effect): Promise<Json> {
    const { taskBudget, historyBudget, parent } = this.effects;
    try {
      const admitted = await admittedTask(effect, parent);
      const bytes = jsonBytes(admitted as unknown as Json);
      // The answer of a local activity is not in the history yet.
      taskBudget.add(bytes + admissionBytes);
      if ('refused' in admitted) return admitted.refused as Json;
      const sent = (effect.bytes ?? 0) + bytes;
      const space = taskBudget.reserve(sent);
      if (space) await space;
      if (this.interruption) throw new Interrupted(this.interruption);
      const answer = (await this.inside(() => callAdmitted(effect, admitted))) as Json;
      historyBudget.addCall(jsonBytes(answer) + sent);
      return answer;
    } catch (error) {
      throw this.translated(error);
    } finally {
      taskBudget.arrived();
    }
  }

  /**
   * A local activity is repeated together with its workflow task, and a repeated task may take another path: answers of local activities and
   * submissions are not in the history before the task ends. So an effect that is repeatable but not safe runs locally only if everything
   * that led to it is already in the history.
   */
  private prefersLocal({ run, safe, repeatable, alone, request }: Effect): boolean {
    if (request) return false;
    if (run) return run === 'local';
    return alone && (safe || (repeatable === true && this.effects.taskBudget.isUnused));
  }

  private attempt(effect: Effect, local: boolean): Promise<Json> {
    const space = local ? undefined : this.effects.taskBudget.reserve(effect.bytes ?? 0);
    return space ? space.then(() => this.send(effect, local)) : this.send(effect, local);
  }

  /** Calls the activity. An unsafe effect is not cancelled with its scope: its result is awaited and recorded. */
  private send(effect: Effect, local: boolean): Promise<Json> {
    const { input, budgetMs, safe } = effect;
    const { taskBudget, historyBudget } = this.effects;
    const { interruption } = this;
    if (interruption) return Promise.reject(new Interrupted(interruption));
    const started = Date.now();
    const call = activity(effect, local);
    // The input of a local activity is not in the history, so it may be large; an ordinary one reads what it needs from there.
    const origin = local && effect.repeatable ? this.effects.origin() : undefined;
    const more = effect.request ?? origin;
    // The timeout of an ordinary activity contains its budget already, and its input is in the history.
    const body = () => (more ? call(input, budgetMs, more) : local ? call(input, budgetMs) : call(input));
    if (local) taskBudget.localCallBegins();
    return (safe ? this.inside(body) : CancellationScope.nonCancellable(body)).then(
      (result) => {
        const bytes = jsonBytes(result);
        if (!local) taskBudget.arrived();
        else {
          taskBudget.localCallEnded();
          taskBudget.add(bytes);
        }
        historyBudget.addCall(bytes + (effect.bytes ?? 0));
        const later = isObject(result) ? result.retryLater : undefined;
        // Only a local activity's time is known to be the call's own: an ordinary one may have waited for a worker.
        if (!local || !isObject(later)) return result;
        return { retryLater: { ...later, budgetMs: budgetMs - (Date.now() - started) } };
      },
      (error) => {
        if (local) taskBudget.localCallEnded();
        else taskBudget.arrived();
        const translated =
          effect.request && wasNotAccepted(error) ? requestGone(effect.request) : this.translated(error);
        // A local activity has one attempt. One that was lost or failed is repeated as an ordinary one, which the server retries; the time
        // it took was not the call's.
        const isLost = isUnrepeatable(effect) && wasLost(error);
        if (local && translated === error && !isLost) return this.attempt(effect, false);
        throw isLost ? new AttemptLost() : translated;
      },
    );
  }

  /** Converts a Temporal error to an error of the engine. Other errors are returned unchanged. */
  private translated(error: unknown): unknown {
    if (isCancellation(error)) return new Interrupted(this.interruption ?? 'cancel');
    // Only the failure of an ordinary activity is wrapped.
    const cause = error instanceof ActivityFailure ? error.cause : error;
    const detail = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
    return isProblem(detail) ? new ProblemError(detail) : error;
  }
}

/** Whether another attempt might perform the effect twice. */
function isUnrepeatable({ safe, repeatable }: Effect): boolean {
  return !safe && repeatable !== true;
}

/** Whether an attempt started and its result is unknown, because its worker is gone. */
function wasLost(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof TimeoutFailure && cause.timeoutType !== 'SCHEDULE_TO_START';
}

/** Whether the gateway that has the request did not accept the activity. */
function wasNotAccepted(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

function requestGone({ queue }: RequestRef): ProblemError {
  return new ProblemError(
    problem('REQUEST_GONE', `The gateway that accepted the request (${queue}) does not respond.`),
  );
}

function activity(effect: Effect, local: boolean): Activities[string] {
  const { name, label, budgetMs, request } = effect;
  const activities = local
    ? proxyLocalActivities<Activities>({
        startToCloseTimeout: maxLocalActivityMs + activityGraceMs,
        retry: { maximumAttempts: 1 },
        summary: label,
      })
    : proxyActivities<Activities>({
        startToCloseTimeout: budgetMs + activityGraceMs,
        heartbeatTimeout: '6s',
        cancellationType: ActivityCancellationType.TRY_CANCEL,
        summary: label,
        ...(isUnrepeatable(effect) && { retry: { nonRetryableErrorTypes: lostAttempts } }),
        ...(request && { taskQueue: request.queue, scheduleToStartTimeout: gatewayMs }),
      });
  return activities[name]!;
}
