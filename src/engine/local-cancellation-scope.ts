import type { Json } from '../base/json/value.js';
import { type Effect, Interrupted, type Interruption, type Scope } from './host.js';

/** The clock and effects of a host outside Temporal. `stop` is called when an effect is abandoned. */
export interface LocalEnvironment {
  sleepUntil(instant: number, label: string, stop: StopSignal): Promise<void>;
  perform(effect: Effect, stop: StopSignal): Promise<Json>;
}

/** Called when the scope of an operation is interrupted. */
export type StopSignal = (onStop: () => void) => void;

/** A tree of scopes in plain promises, for hosts without cancellation scopes. */
export class LocalScope implements Scope {
  readonly interrupted: Promise<never>;
  interruption: Interruption | undefined;
  private rejectInterrupted!: (error: Interrupted) => void;
  private readonly listeners = new Set<(cause: Interruption) => void>();

  constructor(
    private readonly world: LocalEnvironment,
    parent?: LocalScope,
  ) {
    this.interrupted = new Promise((_, reject) => {
      this.rejectInterrupted = reject;
    });
    this.interrupted.catch(() => undefined);
    if (parent?.interruption) this.interrupt(parent.interruption);
    else parent?.listeners.add((cause) => this.interrupt(cause));
  }

  inside<T>(body: () => Promise<T>): Promise<T> {
    return body();
  }

  fork(): LocalScope {
    return new LocalScope(this.world, this);
  }

  interrupt(cause: Interruption): void {
    if (this.interruption) return;
    this.interruption = cause;
    for (const listener of this.listeners) listener(cause);
    this.listeners.clear();
    this.rejectInterrupted(new Interrupted(cause));
  }

  sleepUntil(instant: number, label: string): Promise<void> {
    return this.guard((stop) => this.world.sleepUntil(instant, label, stop));
  }

  perform(effect: Effect): Promise<Json> {
    if (!effect.safe && !effect.unawaited && !this.interruption) return this.world.perform(effect, () => undefined);
    return this.guard((stop) => this.world.perform(effect, stop));
  }

  private guard<T>(start: (stop: StopSignal) => Promise<T>): Promise<T> {
    if (this.interruption) return Promise.reject(new Interrupted(this.interruption));
    return new Promise((resolve, reject) => {
      const stops: (() => void)[] = [];
      const interrupted = (cause: Interruption): void => {
        for (const stop of stops) stop();
        reject(new Interrupted(cause));
      };
      this.listeners.add(interrupted);
      start((onStop) => stops.push(onStop))
        .finally(() => this.listeners.delete(interrupted))
        .then(resolve, reject);
    });
  }
}
