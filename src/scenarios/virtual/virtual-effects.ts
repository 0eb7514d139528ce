import type { CookieCipher } from '../../../activities/http-call/cookies/cookie-cipher.js';
import { jarOpener } from '../../../activities/http-call/cookies/cookie-jar.js';
import { isObject, type Json } from '../../base/json/value.js';
import type { InboundBinding } from '../../engine/definition/definition.js';
import type { RequestRef } from '../../engine/frame.js';
import type { Effect } from '../../engine/host.js';
import type { StopSignal } from '../../engine/local-cancellation-scope.js';
import { type Effects, effectOf } from '../../language/tasks/effect-interface.js';
import { effectForms } from '../../language/tasks/registry.js';
import type { TaskEffectForm, VirtualEffect, VirtualWorld } from '../../language/tasks/task-kind.js';
import { forwardedHeaders, type InboundRequest } from '../../service/inbound-request.js';
import type { KeptRequest } from '../../service/kept-request-store.js';
import type { ScriptedBackend } from '../scripted-backend.js';
import { SeededRandom } from './seeded-random.js';
import type { VirtualClock } from './virtual-clock.js';
import { VirtualBindings } from './virtual-schedules.js';

/** Does not encrypt: virtual time stores nothing. */
const noEncryption: CookieCipher = { seal: async (text) => text, open: async (text) => text };

/** The effects of one run in virtual time, against a scripted backend. */
export class VirtualEffects {
  /** The schedules that its runs create. */
  readonly bindings: VirtualBindings;
  private readonly table: Readonly<Record<string, VirtualEffect>>;
  private readonly startedAt: number;
  private readonly chance = new SeededRandom(7);
  private readonly requests: VirtualRequests | undefined;
  /** Checks of credentials, at the virtual instant. */
  private readonly checks: Effects;

  constructor(
    private readonly clock: VirtualClock,
    private readonly backend: ScriptedBackend,
    forms: readonly Pick<TaskEffectForm, 'name' | 'virtual'>[] = effectForms(),
    inbound?: { requests: VirtualRequests; checks: Effects },
  ) {
    this.requests = inbound?.requests;
    this.checks = inbound?.checks ?? {};
    this.table = Object.fromEntries(
      forms.flatMap(({ name, virtual }) => (virtual === 'real' ? [] : [[name, virtual()]])),
    );
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
      jars: jarOpener(noEncryption, () => clock.now()),
      call: (request) => {
        const reply = this.backend.answer(request, clock.now() - this.startedAt);
        return reply instanceof Promise ? clock.during(reply) : reply;
      },
      bind: (request) => this.bindings.make(request),
      unbind: (request) => this.bindings.stop(request),
    };
  }
}

/** A call with the headers that it forwards; the journey's own take precedence. */
function passing(input: Json, { passed }: KeptRequest): Json {
  if (!isObject(input)) return input;
  return { ...input, headers: { ...passed, ...(isObject(input.headers) && input.headers) } };
}

/** The requests of a scenario, stored as a gateway stores them for its runs. */
export class VirtualRequests {
  private readonly kept: KeptRequest[] = [];

  keep(request: InboundRequest, binding: InboundBinding | undefined): RequestRef {
    const passed = binding ? forwardedHeaders(binding, request) : {};
    this.kept.push({ request, passed });
    const id = String(this.kept.length - 1);
    return { queue: 'scenario', id, ...(Object.keys(passed).length > 0 && { passes: true }) };
  }

  find({ id }: RequestRef): KeptRequest {
    return this.kept[Number(id)]!;
  }
}
