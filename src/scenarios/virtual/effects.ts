import { jarKeeper } from '../../cookies/jar.js';
import { unsealed } from '../../cookies/seal.js';
import type { Effect } from '../../engine/host.js';
import type { StopSignal } from '../../engine/local-scope.js';
import type { Json } from '../../json/value.js';
import { vocabulary } from '../../language/vocabulary.js';
import { effectOf } from '../../tasks/effects.js';
import type { TaskKind } from '../../tasks/kind.js';
import type { VirtualEffect, VirtualWorld } from '../../tasks/virtual.js';
import type { ScriptedBackend } from '../backend.js';
import { Chance } from './chance.js';
import type { VirtualClock } from './clock.js';

/** The effects of one run in virtual time: what each task kind answers there, against a scripted backend. */
export class VirtualEffects {
  private readonly table: Readonly<Record<string, VirtualEffect>>;
  private readonly startedAt: number;
  private readonly chance = new Chance(7);

  constructor(
    private readonly clock: VirtualClock,
    private readonly backend: ScriptedBackend,
    kinds: Iterable<Pick<TaskKind, 'virtual'>> = vocabulary.tasks.values(),
  ) {
    this.table = Object.assign({}, ...[...kinds].map((kind) => kind.virtual?.() ?? {}));
    this.startedAt = clock.now();
  }

  async perform({ name, input, budgetMs }: Effect, stop: StopSignal): Promise<Json> {
    return await effectOf(this.table, name)(input, budgetMs, this.world(stop));
  }

  private world(stop: StopSignal): VirtualWorld {
    const { clock } = this;
    return {
      now: () => clock.now(),
      wait: (ms) => new Promise((resolve) => stop(clock.at(clock.now() + ms, resolve))),
      random: () => this.chance.random(),
      jars: jarKeeper(unsealed, () => clock.now()),
      call: (request) => this.backend.answer(request, clock.now() - this.startedAt),
    };
  }
}
