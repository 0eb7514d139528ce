import type { Json } from '../json/value.js';
import { type Effect, Interrupted, type Interruption, type Scope } from './host.js';

/** What a host outside Temporal brings to its scopes: a clock and the effects. `stop` tells when nobody waits any more. */
export interface World {
  sleepUntil(instant: number, label: string, stop: StopSignal): Promise<void>;
  perform(effect: Effect, stop: StopSignal): Promise<Json>;
}

/** Tells an operation that its scope was interrupted. */
export type StopSignal = (onStop: () => void) => void;

/** A tree of scopes in plain promises, for hosts that have no cancellation scopes of their own. */
export class LocalScope implements Scope {
  readonly interrupted: Promise<never>;
  interruption: Interruption | undefined;
  private rejectInterrupted!: (error: Interrupted) => void;
  private readonly listeners = new Set<(cause: Interruption) => void>();

  constructor(
    private readonly world: World,
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
