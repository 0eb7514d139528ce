import type { Json } from '../../../src/base/json/value.js';
import { worldStart } from './journey-builder.js';
import type { Submitted, Visit } from './log.js';
import { randomFor, type World } from './world.js';
import type { WorldClock } from './world-clock.js';

/** A submission that a client makes. */
export type Submission = Pick<Submitted, 'address' | 'payload' | 'how' | 'key'>;

/** The clients of one play: some watch for steps that become active, some submit at any time. */
export class Clients {
  constructor(
    private readonly world: World,
    private readonly clock: WorldClock,
    private readonly submit: (submission: Submission) => void,
  ) {
    this.planRandomly();
  }

  /** Called when a step becomes active. */
  active({ frame, state, number, itemName }: Visit, timeoutMs: number | undefined): void {
    const { world } = this;
    const random = randomFor(world, 'client', frame, state, number);
    if (!random.chance(world.eagerness)) return;
    const address = itemName === undefined ? state : `${state}/${itemName}`;
    const key = `${address}#${number}@${frame}`;
    const payload = random.below(10);
    // Some are too late.
    const after = 1 + random.below(Math.round((timeoutMs ?? 15_000) * 1.25));
    const how = random.chance(0.85) ? 'step' : random.pick(['early', 'signal'] as const);
    if (random.chance(0.2)) this.after(random.below(after) + 1, { address, payload: 'not a number', how });
    this.after(after, { address, payload, how, ...(how !== 'signal' && { key }) });
    const later = () => after + 1 + random.below(4_000);
    if (how === 'signal') return;
    if (random.chance(0.35)) this.after(later(), { address, payload, how, key });
    if (random.chance(0.1)) this.after(later(), { address, payload: payload + 1, how, key });
    if (random.chance(0.2)) this.after(later(), { address, payload: payload + 2, how });
  }

  private after(ms: number, submission: Submission): void {
    const { clock } = this;
    const now = clock.now() + ms;
    const { outage } = this.world;
    // Submissions during an outage arrive last, after everything that was due.
    const at = outage && now >= outage.from && now < outage.to ? outage.to + 1 : now;
    clock.at(at, () => this.submit(submission));
  }

  private planRandomly(): void {
    const { world } = this;
    const random = randomFor(world, 'blind');
    const addresses = [...world.steps].flatMap(([id, { alone, inItems }]) => [
      ...(alone ? [id] : []),
      ...(inItems ? [`${id}/0`, `${id}/key1`] : []),
    ]);
    const count = random.below(4);
    for (let i = 0; i < count; i++) {
      const address = random.chance(0.1) || addresses.length === 0 ? 'nothing' : random.pick(addresses);
      const payload: Json = random.chance(0.85) ? random.below(10) : 'not a number';
      const how = random.pick(['step', 'step', 'early', 'signal'] as const);
      const at = random.below(40_000) + 1;
      this.after(worldStart + at - this.clock.now(), { address, payload, how });
    }
  }
}
