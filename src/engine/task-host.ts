import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { percentEncoded } from '../base/json/percent-encode.js';
import type { Json, JsonObject } from '../base/json/value.js';
import type { Bindings, SiteKind } from '../expressions/expression-engine-interface.js';
import type { Expression, Target } from './definition/definition.js';
import { uniqueRunId } from './definition/keyed-run-id.js';
import type { Encode } from './evaluate-expressions.js';
import type { Frame, RequestRef } from './frame.js';
import type { Effect } from './host.js';
import { defaultScheduleLimits, type JarState, type Run, type ScheduleLimits, type UncertainReason } from './run.js';
import type { CallTrace } from './trace-context-and-run-spans.js';
import { withField, writeTarget } from './update-context.js';

/** The effect that a task requests; the run fills in the rest. */
export interface TaskEffect extends Omit<Effect, 'label' | 'alone'> {
  /** Short description, shown to operators after the state's id. */
  about?: string;
  /** The result if the outcome of an attempt is unknown and it is not repeated; without it the task fails. */
  lost?: Json;
}

/** Maximum length of the description of an effect whose result is unknown. */
const longestAbout = 200;
/** Maximum length of an `Idempotency-Key` that services accept. */
const longestIdempotencyKey = 255;

/** A text as 1 to 255 visible ASCII characters: business keys and state ids may contain any, which a header cannot. */
function asIdempotencyKey(text: string): string {
  const key = text.replace(/[^\x21-\x24\x26-\x7e]+/gu, percentEncoded);
  return key.length <= longestIdempotencyKey ? key : bytesToHex(sha256(utf8ToBytes(key)));
}

/** The parts of a run that a task kind may use. */
export class TaskHost {
  /** Short description of the requested effect. */
  about = '';

  constructor(
    private readonly frame: Frame,
    private readonly run: Run,
    /** The round of a poll, from 1. */
    private readonly round = 1,
  ) {}

  get stateId(): string {
    return this.frame.at;
  }

  /** The current context; never changed in place. */
  get context(): JsonObject {
    return this.frame.context;
  }

  /** The request being handled; undefined after a wait that timed out, after a timer, and in scheduled runs. */
  get request(): RequestRef | undefined {
    return this.frame.request;
  }

  get scheduleLimits(): ScheduleLimits {
    return this.run.info.schedules ?? defaultScheduleLimits;
  }

  /** The interpreter version that the run started with. */
  get interpreter(): number {
    return this.run.interpreter;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.run.host.now();
  }

  /** The `platform` binding of its expressions. */
  get platform(): JsonObject {
    return this.run.platform;
  }

  /** The journey this task is part of. */
  get journey(): { name: string; version: string } {
    const { name, version } = this.run.definition;
    return { name, version };
  }

  /** The same for every attempt at this visit of this state (of a poll: at this round), and for no other. A valid `Idempotency-Key`. */
  get idempotencyKey(): string {
    const { id, at, entered } = this.frame;
    const { info } = this.run;
    const round = this.round === 1 ? '' : `~${this.round}`;
    return asIdempotencyKey(`${info.keys ?? uniqueRunId(info)}/${id}${id === '' ? '' : '/'}${at}#${entered}${round}`);
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

  /** How calls to this origin run, if the operator configured it. */
  callMode(method: string, origin: string): 'local' | 'activity' | undefined {
    const modes = this.run.info.callModes ?? {};
    const key = [`${method} ${origin}`, origin].find((it) => Object.hasOwn(modes, it));
    return key === undefined ? undefined : modes[key];
  }

  /** The trace context that a call passes on, if there is one. */
  get trace(): CallTrace | undefined {
    const { info, host, spans } = this.run;
    const { id, at } = this.frame;
    if (!host.spanEnded) return info.trace;
    return { ...info.trace, run: uniqueRunId(info), frame: spans.around(id), at };
  }

  evaluate(expression: Expression, kind: SiteKind, extra?: Bindings): Json | Promise<Json> {
    return this.run.evaluate(expression, kind, this.frame, extra);
  }

  interpolate(template: string, encode?: Encode): string {
    return this.run.interpolate(template, this.frame, encode);
  }

  /** Charges work that the task does within the run; a unit is about one plain state. */
  spend(units: number): void {
    this.run.turn.spend(units);
  }

  /** Records an unsafe effect for which it is unknown whether, or how often, it happened. */
  noteUncertain(error: string, reason: UncertainReason = 'NO_ANSWER'): void {
    const { id } = this.frame;
    this.run.noteUncertain({
      state: this.stateId,
      ...(id !== '' && { within: id }),
      call: this.about.slice(0, longestAbout),
      error,
      idempotencyKey: this.idempotencyKey,
      reason,
    });
  }

  /** Reports something about this run to operators. */
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
