import { defaultCalls } from '../../engine/allowance.js';
import type { Host } from '../../engine/host.js';
import { LocalScope, type World } from '../../engine/local-scope.js';
import { defaultLimits, type Limits } from '../../expressions/expression.js';
import { payloadBytes } from '../../json/size.js';
import type { Json } from '../../json/value.js';
import { Chance } from './chance.js';
import type { VirtualClock } from './clock.js';

export interface VirtualHostOptions {
  seed?: number;
  limits?: Limits;
  timezone?: string;
}

/** A host on a virtual clock: a timer of thirty days takes no time, and the same seed gives the same run. */
export class VirtualHost implements Host {
  readonly scope: LocalScope;
  readonly limits: Limits;
  readonly maxPayloadBytes = payloadBytes;
  readonly calls = defaultCalls;
  readonly timezone?: string;
  parked?: () => void;
  note?: (text: string) => void;
  keptSubmission?: (stepId: string, schema: Json) => Json | undefined;
  wantsContinue?: () => boolean;
  pause?: (ahead: number, units: number) => Promise<void>;
  readonly turnsByBranch = true;
  private readonly chance: Chance;

  constructor(
    private readonly clock: VirtualClock,
    effects: Pick<World, 'perform'>,
    { seed = 1, limits = defaultLimits, timezone }: VirtualHostOptions = {},
  ) {
    this.chance = new Chance(seed);
    this.limits = limits;
    if (timezone !== undefined) this.timezone = timezone;
    const world: World = {
      sleepUntil: (instant, _label, stop) => new Promise((resolve) => stop(clock.at(instant, resolve))),
      perform: (effect, stop) => effects.perform(effect, stop),
    };
    this.scope = new LocalScope(world);
  }

  now(): number {
    return this.clock.now();
  }

  uuid(): string {
    return this.chance.uuid();
  }

  random(): number {
    return this.chance.random();
  }
}
