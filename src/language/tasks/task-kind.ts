import type { Json } from '../../base/json/value.js';
import type { TimeScale } from '../../base/time/time-scale.js';
import type { Task } from '../../engine/definition/definition.js';
import type { TaskRunner } from '../../engine/runner-interfaces.js';
import type { BindingRequest, CreatedBinding, StopRequest } from '../../schedules/bindings/binding-record.js';
import type { CostRange } from '../analysis/cost/cost-counters.js';
import type { TaskReader } from '../read/document-reading-state.js';
import type { DataFlow } from '../states/context-reads-and-writes.js';
import type { CredentialSource } from './auth/shared-auth-task.js';
import type { JarOpener } from './http-call/call-with-cookies.js';
import type { HttpRequest } from './http-call/request-and-result-types.js';

/** One task kind of the language. */
export interface TaskKind<T extends Task = Task> extends TaskReader, TaskBehaviour<T> {}

/**
 * The behaviour of one task kind. Other code uses these members and never compares kind names, so a new kind is one file, one line of the
 * registry and its effect. Every member is required; most have a constant for the trivial case.
 */
export interface TaskBehaviour<T extends Task = Task> {
  /** Runs a task inside the workflow. */
  readonly run: TaskRunner<T>;
  /** The effect that its tasks ask for; undefined for a kind that only computes. */
  readonly effect: TaskEffectForm | undefined;
  /** History events, activities and calls of one task. `contended`: a safe effect may not be able to run as a local activity. */
  cost(task: T, contended: boolean): CostRange;
  /** A few words on what a task does, for drawings. */
  caption(task: T): string;
  /** Reads and writes of the context; `noData` if there are none besides its expressions. */
  readonly data: DataFlow<T>;
  /** The call that a task makes and scenarios can script, with the fields that the document determines; `none` for most kinds. */
  call(task: T): ServiceCall | undefined;
  /** A credential that a task brings into the context; `none` for most kinds. */
  credential(task: T): TaskCredential | undefined;
  /** The state at which runs scheduled by a task start; `none` for most kinds. */
  scheduledStart(task: T): string | undefined;
  /** The schedules that a task stops; `none` for most kinds. */
  stops(task: T): StoppedSchedules | undefined;
  /** The failures that its result, which has `ok`, can tell apart in `onError`; `HTTP_4XX` stands for all statuses, `*` for any other text. `none` if the result has no `ok`. */
  failures(task: T): readonly string[] | undefined;
  /** Returns the task with its times shortened, for a scenario on a real server; `timeless` for most kinds. */
  scale(task: T, scale: TimeScale): T;
}

/** The trivial `call`, `credential`, `scheduledStart`, `stops` and `failures`. */
export const none = (): undefined => undefined;

/** The form of an effect in scenarios. The activity with the same name performs the real one, unless it is external. */
export interface TaskEffectForm {
  readonly name: string;
  /** Performed by a worker that is not ours, under another name. */
  readonly external?: true;
  /** Creates the effect for one run in virtual time; `real` if virtual time performs the real one. */
  readonly virtual: 'real' | (() => VirtualEffect);
  /** How the scenario of a recorded run reproduces the answer: by a scripted call, by virtual time alone, or not at all. */
  readonly recorded:
    | ((input: Json, answer: Json | undefined, ms: number) => ScriptedCall)
    | 'virtual'
    | { refusal: string };
  /** Request and result of an answered effect in a timeline; `none` for the label of the effect and its whole answer. */
  summary(input: Json, answer: Json): EffectSummary | undefined;
}

/** Performs one effect in virtual time, with the same result as the real one. */
export type VirtualEffect = (input: Json, budgetMs: number, world: VirtualWorld) => Promise<Json>;

/** The environment of effects in virtual time: a clock that jumps ahead, reproducible randomness, scripted services. */
export interface VirtualWorld {
  /** Milliseconds since the epoch. */
  now(): number;
  wait(ms: number): Promise<void>;
  random(): number;
  /** Opens cookie jars, by the same clock. */
  readonly jars: JarOpener;
  /** Records a call and returns the reply that the scenario scripts for it. */
  call(request: HttpRequest): Reply | Promise<Reply>;
  /** Creates or updates a schedule of the journey's own runs. */
  bind(request: BindingRequest): CreatedBinding;
  /** Stops schedules; returns how many. */
  unbind(request: StopRequest): number;
}

/** The reply of a scripted service to one call. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Absent for an empty body. */
  body?: Json;
  /** Milliseconds until the reply arrives. */
  afterMs: number;
  /** Set if no reply arrives. */
  fail?: 'timeout' | 'network';
}

/** A call as a scenario scripts it, with its reply. */
export interface ScriptedCall {
  call: { method: string; url: string; operation?: string };
  reply: Reply;
}

/** A request and its result in a few words; `body` is shortened where it is shown. */
export interface EffectSummary {
  request: string;
  result: string;
  body?: Json;
}

/** A call of a service. */
export interface ServiceCall {
  /** The name by which scenarios can script it: `<api>.<operationId>`, or the kind of a plugin. */
  operation?: string;
  /** The name of the journey that it runs, if it runs one. */
  journey?: string;
  /** Absent for calls that do not use HTTP. */
  http?: {
    method: string;
    /** With its placeholders. */
    url: string;
    timeoutMs: number;
    /** A service cannot tell a repetition of the call in a loop from a new order. */
    repeatsOrder: boolean;
  };
}

/** Schedules that a task stops, by the state at which their runs start. */
export interface StoppedSchedules {
  start: string;
  /** They are schedules of the task's own journey. */
  isOwn: boolean;
}

/** A credential, or claims from one, in the context. */
export interface TaskCredential {
  /** The variable that holds it. */
  variable: string;
  /** Set if the task checks a credential of the current request, which is then kept for the run; `source` if the document declares it. */
  inRequest?: { source?: CredentialSource };
}
