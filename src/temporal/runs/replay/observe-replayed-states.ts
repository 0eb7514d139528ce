import type { Json, JsonObject } from '../../../base/json/value.js';
import { ProblemError } from '../../../base/problems/problem.js';
import type { Frame } from '../../../engine/frame.js';
import { type Effect, Interrupted, type Scope } from '../../../engine/host.js';
import type { StateRunner, Step, Vocabulary } from '../../../engine/runner-interfaces.js';
import type { RecordedWorld } from './replayed-clock-and-effects.js';

/** A visit of a state, as its replay sees it. */
export interface ReplayedVisit {
  /** Unique in the run, also over several executions. */
  readonly id: string;
  /** The path of branches, items and subjourneys around the state; empty at the top. */
  readonly within: string;
  readonly state: string;
  readonly type: string;
  /** The number of the visit in its execution, by which a reset names it; absent in a compensation. */
  readonly n?: number;
  readonly at: number;
  readonly before: JsonObject;
}

/** A call in progress. */
export interface OpenCall {
  attempted(attempt: number): void;
  ended(at: number, result: { readonly answer: Json } | { readonly failure: Error | undefined }): void;
  /** Its scope was interrupted, and nothing waits for it any more. */
  abandoned(at: number): void;
}

/** A timer in progress. */
export interface OpenTimer {
  fired(at: number): void;
  stopped(at: number): void;
}

/** How a visit ended: it was left, failed with a problem, or was interrupted. */
export type VisitEnd = { readonly step: Step } | { readonly failed: Error } | { readonly interrupted: true };

/** Receives what a replay finds. */
export interface ReplayListener {
  /** Also called when a visit continues in another execution. */
  entered(visit: ReplayedVisit): void;
  left(id: string, at: number, end: VisitEnd, after: JsonObject): void;
  called(id: string, at: number, effect: Effect): OpenCall;
  waits(id: string, at: number, dueAt: number): OpenTimer;
  /** A submission or signal that its step has accepted. */
  submitted(id: string, at: number, payload: Json): void;
  /** A signal that no step accepted when it arrived. */
  unclaimed(at: number, signal: { name: string; by: string; payload: Json | undefined }): void;
}

/** The visit of a state that a frame is in. */
export function visitId({ id, at, entered }: Frame): string {
  return `${id}${id === '' ? '' : '/'}${at}#${entered}`;
}

/** Parts that observed states report to. */
export interface Observer {
  readonly world: RecordedWorld;
  readonly listener: ReplayListener;
  /** The number of the latest visit in the execution; undefined in a compensation. */
  number(): number | undefined;
}

/** The same vocabulary, with states that report their visits and requests. */
export function observed(words: Vocabulary, observer: Observer): Vocabulary {
  const states = [...words.states].map(([type, runner]) => [type, observedState(runner, observer)] as const);
  return { ...words, states: new Map(states) };
}

function observedState(runner: StateRunner, { world, listener, number }: Observer): StateRunner {
  return {
    instant: runner.instant,
    execute(state, frame, scope, run) {
      const id = visitId(frame);
      const n = frame.progress ? undefined : number();
      const [within, at] = [frame.id, world.now];
      world.entered = id;
      const more = n === undefined ? {} : { n };
      listener.entered({ id, within, state: frame.at, type: state.type, at, before: frame.context, ...more });
      const ended = (end: VisitEnd): void => listener.left(id, world.now, end, frame.context);
      const failed = (error: unknown): void => {
        if (error instanceof Interrupted) ended({ interrupted: true });
        else if (error instanceof ProblemError) ended({ failed: error });
      };
      try {
        const result = runner.execute(state, frame, new VisitScope(innermost(scope), id, world), run);
        // The result itself is passed on: another promise would delay this state, and change the order of concurrent ones.
        if (result instanceof Promise) result.then((step: Step) => ended({ step }), failed);
        else ended({ step: result });
        return result;
      } catch (error) {
        failed(error);
        throw error;
      }
    },
  };
}

/** A scope that attributes requests to a visit. */
class VisitScope implements Scope {
  constructor(
    readonly inner: Scope,
    private readonly visit: string,
    private readonly world: RecordedWorld,
  ) {}

  get interrupted(): Promise<never> {
    return this.inner.interrupted;
  }

  get interruption(): Scope['interruption'] {
    return this.inner.interruption;
  }

  fork(): Scope {
    return new VisitScope(this.inner.fork(), this.visit, this.world);
  }

  interrupt(cause: Parameters<Scope['interrupt']>[0]): void {
    this.inner.interrupt(cause);
  }

  inside<T>(body: () => Promise<T>): Promise<T> {
    return this.inner.inside(body);
  }

  perform(effect: Parameters<Scope['perform']>[0]): ReturnType<Scope['perform']> {
    return this.attributed(() => this.inner.perform(effect));
  }

  sleepUntil(instant: number, label: string): Promise<void> {
    return this.attributed(() => this.inner.sleepUntil(instant, label));
  }

  /** The request reaches the world before `ask` returns. */
  private attributed<T>(ask: () => T): T {
    const { world } = this;
    world.visit = this.visit;
    try {
      return ask();
    } finally {
      world.visit = undefined;
    }
  }
}

function innermost(scope: Scope): Scope {
  return scope instanceof VisitScope ? scope.inner : scope;
}
