import type { Json } from '../json/value.js';
import type { BindingRequest, MadeBinding } from '../scheduling/bindings/record.js';
import type { JarKeeper } from './http-call/jar.js';
import type { HttpRequest } from './http-call/request.js';

/** What a scripted service does with one call. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Absent: an empty body. */
  body?: Json;
  /** How long the answer takes, in milliseconds. */
  afterMs: number;
  /** No answer comes at all. */
  fail?: 'timeout' | 'network';
}

/** What effects may use in virtual time: a clock that waits for nobody, reproducible chance, scripted services. */
export interface VirtualWorld {
  /** Milliseconds since the epoch. */
  now(): number;
  wait(ms: number): Promise<void>;
  random(): number;
  /** Opens cookie jars, by the same clock. */
  readonly jars: JarKeeper;
  /** The reply that the scenario scripts for a call; the call is recorded. */
  call(request: HttpRequest): Reply | Promise<Reply>;
  /** Makes or changes a schedule of the journey's own runs. */
  bind(request: BindingRequest): MadeBinding;
}

/** Answers one effect in virtual time, as the real one would. */
export type VirtualEffect = (input: Json, budgetMs: number, world: VirtualWorld) => Promise<Json>;
