import { isObject, type Json, own } from '../../../src/base/json/value.js';
import { ProblemError, problem } from '../../../src/base/problems/problem.js';
import { AttemptLost, type Effect } from '../../../src/engine/host.js';
import type { StopSignal } from '../../../src/engine/local-cancellation-scope.js';
import { effectForms } from '../../../src/language/tasks/registry.js';
import type { VirtualEffect, VirtualWorld } from '../../../src/language/tasks/task-kind.js';
import type { EffectCall, Visit, WorldReply } from './log.js';
import { replyTo, type World } from './world.js';
import type { WorldClock } from './world-clock.js';

/** Effects that may be lost with their process. */
const losable: ReadonlySet<string> = new Set(['http', 'plugin', 'kafka']);

/** All services that runs call in one play of a world. */
export class Services {
  private readonly table = new Map<string, VirtualEffect>();
  private readonly made = new Map<string, number>();
  private readonly schedules: { start: string; subject: string | null }[] = [];

  constructor(
    private readonly world: World,
    private readonly clock: WorldClock,
    private readonly seq: () => number,
    /** Reports an effect to the requesting state; undefined if there is none. */
    private readonly requested: (effect: Effect) => Visit | undefined,
  ) {
    for (const { name, virtual } of effectForms()) if (virtual !== 'real') this.table.set(name, virtual());
  }

  async perform(effect: Effect, stop: StopSignal): Promise<Json> {
    const { name, input, safe, budgetMs } = effect;
    const visit = this.requested(effect);
    if (!visit) throw new Error(`no state that is running requested ${effect.label}`);
    const key = keyOf(name, input);
    const call: EffectCall = {
      visit,
      name,
      seq: this.seq(),
      at: this.clock.now(),
      safe,
      ...(key !== undefined && { key }),
      attempts: [],
    };
    visit.effects.push(call);
    const next = replyTo(this.world, visit.state, visit.index, this.countOf(visit));
    if (next.lost && !safe && !effect.repeatable && losable.has(name)) {
      this.reply(call);
      await this.wait(next.afterMs, stop);
      call.lost = true;
      this.answered(call);
      throw new AttemptLost();
    }
    const perform = this.table.get(name);
    const answer = perform
      ? await perform(input, budgetMs, this.virtualWorld(call, stop))
      : await this.auth(call, stop);
    if (name === 'kafka') await this.publish(call, stop);
    this.answered(call);
    return answer;
  }

  private answered(call: EffectCall): void {
    call.answered = this.seq();
    call.answeredAt = this.clock.now();
  }

  private async auth(call: EffectCall, stop: StopSignal): Promise<Json> {
    const { afterMs, status } = this.reply(call);
    await this.wait(afterMs, stop);
    return status < 400 ? { known: { sub: 'somebody' } } : { problem: { code: 'JWT_TOKEN_INVALID' } };
  }

  private async publish(call: EffectCall, stop: StopSignal): Promise<void> {
    const { afterMs, fail } = this.reply(call);
    await this.wait(afterMs, stop);
    if (!fail) return;
    this.answered(call);
    throw new ProblemError(problem('KAFKA_PUBLISH_FAILED', 'the world scripts a failure'));
  }

  private wait(ms: number, stop: StopSignal): Promise<void> {
    return new Promise((resolve) => stop(this.clock.at(this.clock.now() + ms, resolve)));
  }

  private countOf({ state, index }: Visit): number {
    return this.made.get(`${state}/${index ?? ''}`) ?? 0;
  }

  /** The next reply for the state of a call. */
  private reply(call: EffectCall): WorldReply {
    const { visit } = call;
    const count = this.countOf(visit);
    this.made.set(`${visit.state}/${visit.index ?? ''}`, count + 1);
    const reply = replyTo(this.world, visit.state, visit.index, count);
    call.attempts.push({ seq: this.seq(), at: this.clock.now(), reply });
    return reply;
  }

  private virtualWorld(call: EffectCall, stop: StopSignal): VirtualWorld {
    const { clock, schedules } = this;
    return {
      now: () => clock.now(),
      wait: (ms) => this.wait(ms, stop),
      random: () => 0.5,
      jars: {
        open: () => {
          throw new Error('no world has cookies');
        },
      },
      call: () => this.reply(call),
      bind: ({ startStateId, subjectId }) => {
        schedules.push({ start: startStateId, subject: subjectId });
        return { scheduleId: `schedule-${schedules.length}` };
      },
      unbind: ({ startStateId, subjectId }) =>
        schedules.filter(({ start, subject }) => start === startStateId && subject === subjectId).length,
    };
  }
}

/** The idempotency key in the request of an effect. */
function keyOf(name: string, input: Json): string | undefined {
  const headers = own(input, 'headers');
  const found =
    own(input, 'idempotencyKey') ??
    own(input, 'creator') ??
    own(input, 'by') ??
    (name === 'http' ? own(input, 'key') : undefined) ??
    (isObject(headers) ? own(headers, 'idempotency-key') : undefined);
  return typeof found === 'string' ? found : undefined;
}
