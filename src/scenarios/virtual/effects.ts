import type { AuthPlugins } from '../../config/config.js';
import { jarKeeper } from '../../cookies/jar.js';
import { unsealed } from '../../cookies/seal.js';
import { authEffects } from '../../credentials/effects.js';
import type { Effect } from '../../engine/host.js';
import type { StopSignal } from '../../engine/local-scope.js';
import { isObject, type Json } from '../../json/value.js';
import { vocabulary } from '../../language/vocabulary.js';
import type { KeptRequest } from '../../service/requests.js';
import { type Effects, effectOf } from '../../tasks/effects.js';
import type { TaskKind } from '../../tasks/kind.js';
import type { VirtualEffect, VirtualWorld } from '../../tasks/virtual.js';
import type { ScriptedBackend } from '../backend.js';
import { VirtualBindings } from './bindings.js';
import { Chance } from './chance.js';
import type { VirtualClock } from './clock.js';
import type { VirtualRequests } from './requests.js';

/** The effects of one run in virtual time: what each task kind answers there, against a scripted backend. */
export class VirtualEffects {
  /** The schedules that its runs make. */
  readonly bindings: VirtualBindings;
  private readonly table: Readonly<Record<string, VirtualEffect>>;
  private readonly startedAt: number;
  private readonly chance = new Chance(7);
  private readonly requests: VirtualRequests | undefined;
  /** Credentials are really checked, at the virtual instant. */
  private readonly checks: Effects;

  constructor(
    private readonly clock: VirtualClock,
    private readonly backend: ScriptedBackend,
    kinds: Iterable<Pick<TaskKind, 'virtual'>> = vocabulary.tasks.values(),
    inbound?: { requests: VirtualRequests; plugins: AuthPlugins },
  ) {
    this.requests = inbound?.requests;
    this.checks = inbound ? authEffects({ plugins: inbound.plugins, now: () => new Date(clock.now()) }) : {};
    this.table = Object.assign({}, ...[...kinds].map((kind) => kind.virtual?.() ?? {}));
    this.startedAt = clock.now();
    this.bindings = new VirtualBindings(clock);
  }

  async perform({ name, input, budgetMs, request: ref }: Effect, stop: StopSignal): Promise<Json> {
    const kept = ref && this.requests?.find(ref);
    if (kept && Object.hasOwn(this.checks, name)) {
      const call = { signal: new AbortController().signal, request: kept.request };
      return await this.clock.during(effectOf(this.checks, name)(input, call));
    }
    return await effectOf(this.table, name)(kept ? passing(input, kept) : input, budgetMs, this.world(stop));
  }

  private world(stop: StopSignal): VirtualWorld {
    const { clock } = this;
    return {
      now: () => clock.now(),
      wait: (ms) => new Promise((resolve) => stop(clock.at(clock.now() + ms, resolve))),
      random: () => this.chance.random(),
      jars: jarKeeper(unsealed, () => clock.now()),
      call: (request) => {
        const reply = this.backend.answer(request, clock.now() - this.startedAt);
        return reply instanceof Promise ? clock.during(reply) : reply;
      },
      bind: (request) => this.bindings.make(request),
    };
  }
}

/** A call with what it passes on; the journey's own headers win. */
function passing(input: Json, { passed }: KeptRequest): Json {
  if (!isObject(input)) return input;
  return { ...input, headers: { ...passed, ...(isObject(input.headers) && input.headers) } };
}
