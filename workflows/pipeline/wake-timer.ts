import { CancellationScope, sleep } from '@temporalio/workflow';

/** The longest timer that a server accepts. */
const longestTimerMs = 100 * 365 * 86_400_000;

/** One timer at a time, which can be moved to an earlier instant. */
export class WakeTimer {
  private pending: { at: number; scope: CancellationScope } | undefined;

  constructor(private readonly fired: () => void) {}

  /** Sets the timer to `at`, unless it fires earlier anyway: that costs less than setting it anew each time. Returns whether it was set. */
  set(at: number, now: number): boolean {
    if (at === Number.POSITIVE_INFINITY || (this.pending && this.pending.at <= at)) return false;
    this.pending?.scope.cancel();
    const scope = new CancellationScope();
    const pending = { at, scope };
    this.pending = pending;
    const ms = Math.min(Math.max(at - now, 1), longestTimerMs);
    const fire = () => {
      if (this.pending === pending) this.pending = undefined;
      this.fired();
    };
    void scope
      .run(() => sleep(ms, { summary: 'wake a consumer, or follow a long journey' }))
      .then(fire, () => undefined);
    return true;
  }
}
