import type { Expression, Target } from '../definition/definition.js';
import type { Bindings, SiteKind } from '../expressions/expression.js';
import type { Json, JsonObject } from '../json/value.js';
import { withField } from './context.js';
import type { Frame, RequestRef } from './frame.js';
import type { Effect } from './host.js';
import type { Encode } from './interpolate.js';
import { defaultScheduleLimits, type JarState, type Run, type ScheduleLimits } from './run.js';
import { writeTarget } from './target.js';
import type { CallTrace } from './trace.js';

/** What a task asks of the world; the run fills in the rest of the effect. */
export interface TaskEffect extends Omit<Effect, 'label' | 'alone'> {
  /** What it is, in a few words: an operator reads it after the state's id. */
  about?: string;
}

/** What a task kind may use of its run. */
export class TaskHost {
  constructor(
    private readonly frame: Frame,
    private readonly run: Run,
  ) {}

  get stateId(): string {
    return this.frame.at;
  }

  /** The context as it is; never changed in place. */
  get context(): JsonObject {
    return this.frame.context;
  }

  /** The request that the run works on here; none after a wait that nobody answered, after a timer, and in scheduled runs. */
  get request(): RequestRef | undefined {
    return this.frame.request;
  }

  get scheduleLimits(): ScheduleLimits {
    return this.run.info.schedules ?? defaultScheduleLimits;
  }

  /** The version of the interpreter that the run began with. */
  get interpreter(): number {
    return this.run.interpreter;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.run.host.now();
  }

  /** What its expressions see as `platform`. */
  get platform(): JsonObject {
    return this.run.platform;
  }

  /** The journey this task is part of. */
  get journey(): { name: string; version: string } {
    const { name, version } = this.run.definition;
    return { name, version };
  }

  /** The same for every attempt at this visit of this state, and for no other. */
  get idempotencyKey(): string {
    const { id, at, entered } = this.frame;
    const { info } = this.run;
    return `${info.keys ?? info.id}/${id}${id === '' ? '' : '/'}${at}#${entered}`;
  }

  /** The run's cookie jar, if its journey has one, and the domains whose cookies it keeps. */
  get cookies(): (JarState & { domains: string[] }) | undefined {
    const domains = this.run.definition.cookies?.domains;
    return domains && { domains, ...this.jar };
  }

  changeCookies(change: (jar: JarState) => JarState): void {
    this.run.position.cookies = change(this.jar);
  }

  private get jar(): JarState {
    return this.run.position.cookies ?? { changes: [], version: 0 };
  }

  /** How the operator wants calls to this origin to run, if they said. */
  callMode(method: string, origin: string): 'local' | 'activity' | undefined {
    const modes = this.run.info.callModes ?? {};
    const key = [`${method} ${origin}`, origin].find((it) => Object.hasOwn(modes, it));
    return key === undefined ? undefined : modes[key];
  }

  /** What a call takes along of the run's trace, if there is anything. */
  get trace(): CallTrace | undefined {
    const { info, host, spans } = this.run;
    const { id, at } = this.frame;
    if (!host.spanEnded) return info.trace;
    return { ...info.trace, run: info.id, frame: spans.around(id), at };
  }

  evaluate(expression: Expression, kind: SiteKind, extra?: Bindings): Json | Promise<Json> {
    return this.run.evaluate(expression, kind, this.frame, extra);
  }

  interpolate(template: string, encode?: Encode): string {
    return this.run.interpolate(template, this.frame, encode);
  }

  /** Counts work that the task does within the run; a unit is about one plain state. */
  spend(units: number): void {
    this.run.turn.spend(units);
  }

  /** An unsafe effect ended so that nobody knows whether it happened. */
  mayHaveHappened(): void {
    if (this.run.info.handler) this.run.position.uncertain = true;
  }

  /** Notes what an operator should know about this run. */
  note(text: string): void {
    this.run.host.note?.(text);
  }

  /** Sets `context.<name>`. */
  setVar(name: string, value: Json): void {
    this.frame.context = withField(this.frame.context, name, value);
  }

  writeTarget(target: Target, value: Json): void {
    writeTarget(target, value, this.frame, this.run);
  }
}
