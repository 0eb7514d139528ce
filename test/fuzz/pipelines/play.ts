import type { Json } from '../../../src/base/json/value.js';
import { newPipeline } from '../../../src/pipelines/apply-deployment.js';
import { nextWake } from '../../../src/pipelines/choose-next-run.js';
import type { PipelineDefinition } from '../../../src/pipelines/definition.js';
import type { Answer, HandlerOutcome, Message, PipelineEffect } from '../../../src/pipelines/messages-and-effects.js';
import { decide } from '../../../src/pipelines/reducer.js';
import { type PipelineSnapshot, restore, snapshot } from '../../../src/pipelines/snapshot.js';
import type { PipelineState } from '../../../src/pipelines/state.js';
import { eventsPage, pipelineView } from '../../../src/pipelines/view.js';
import { consumer, pipeline, prepare, producer } from '../../unit/pipelines/definitions.js';
import { Random } from '../dataweave/random.js';

const topicNames = ['a', 'b', 'c'];
const start = Date.UTC(2027, 0, 1);

interface Fate {
  order: number;
  reservedBy?: string;
  consumed: number;
  skipped: number;
}

/** Reasons for preparing a consumer, which must not happen more often than these. */
interface Credit {
  granted: number;
  prepared: number;
}

/**
 * A random history of a pipeline with independent books: every published event, every child, every reason for a
 * preparation. Throws if the reducer violates the books.
 */
export class Play {
  private readonly random: Random;
  private state: PipelineState;
  private now = start;
  private events = new Map<string, Fate>();
  private order = 0;
  private child: Extract<PipelineEffect, { type: 'start' }> | undefined;
  private readonly childKeys = new Set<string>();
  private readonly credits = new Map<string, Credit>();
  private readonly slots = new Map<string, number>();
  readonly counts = { committed: 0, failed: 0, suspended: 0, empty: 0, prepares: 0, published: 0 };

  constructor(seed: number) {
    this.random = new Random(seed);
    this.state = newPipeline({ definition: this.definition(), hash: 'h0', deployer: 'me' }, this.now);
  }

  run(steps: number): this {
    for (let i = 0; i < steps; i++) this.step();
    return this;
  }

  private step(): void {
    this.now += this.pick([0, 0, 1, 1_000, 45_000, 400_000]);
    if (this.chance() < 0.05) this.continueAsNew();
    const messages = this.chance() < 0.15 ? [this.message(), this.message()] : [this.message()];
    this.send(messages);
    const wake = nextWake(this.state);
    if (wake !== undefined && this.chance() < 0.3) {
      this.now = Math.max(this.now, wake);
      this.send([{ type: 'clock' }]);
    }
  }

  private message(): Message {
    const dice = this.chance();
    const { definition } = this.state;
    if (this.child && dice < 0.35) return this.ended(this.child);
    if (dice < 0.6) return this.publishing();
    if (dice < 0.75) return this.tick(this.pick(Object.keys(definition.producers)));
    if (dice < 0.82) return { type: 'trigger', handler: this.pick(this.handlers()) };
    if (dice < 0.84) return { type: 'pause' };
    if (dice < 0.91) return { type: 'resume' };
    const suspended = this.state.suspended[0];
    if (suspended && dice < 0.98)
      return { type: 'resolve', run: suspended.key, how: this.pick(['retry', 'did_not_happen', 'skip'] as const) };
    if (dice < 0.99) return { type: 'clock' };
    return { type: 'deploy', definition: this.definition(), hash: `h${this.chance()}`, deployer: 'me' };
  }

  private handlers(): string[] {
    return [...Object.keys(this.state.definition.producers), ...Object.keys(this.state.definition.consumers)];
  }

  private publishing(): Message {
    const topic = this.pick(topicNames);
    // Sometimes an earlier id.
    const id = this.chance() < 0.1 ? `e${Math.floor(this.chance() * (this.order + 1))}` : `e${this.order + 1}`;
    return { type: 'publish', topic, id, payload: Math.floor(this.chance() * 4), stamp: 's' };
  }

  private tick(name: string): Message {
    const slot = Math.max((this.slots.get(name) ?? 0) + 1, this.now - this.pick([0, 0, 0, 500_000]));
    this.slots.set(name, slot);
    return { type: 'tick', producer: name, slot };
  }

  private ended({ run, handler }: { run: string; handler: string }): Message {
    const dice = this.chance();
    const error = { code: 'NO', reason: 'no' };
    const { publishes } = this.state.definition.producers[handler] ?? this.state.definition.consumers[handler]!;
    const outcome: HandlerOutcome =
      dice < 0.85
        ? { kind: 'success', output: this.output(publishes) }
        : dice < 0.92
          ? { kind: 'fail', error }
          : {
              kind: this.pick(['fail', 'timeout', 'cancel', 'error', 'terminated'] as const),
              error,
              uncertain: { state: 's', call: 'POST s.test/', error: 'NETWORK: closed' },
            };
    return { type: 'ended', run, outcome };
  }

  private output(publishes: readonly string[]): Json {
    const publish: Json[] = publishes.filter(() => this.chance() < 0.5).map((topic) => ({ topic, payload: 7 }));
    if (this.chance() < 0.03) publish.push({ topic: 'nowhere', payload: 1 });
    return { publish, ...(this.chance() < 0.5 && { state: this.order }) };
  }

  /** Delivers messages, performs the resulting evaluations, and checks after each step. */
  private send(messages: readonly Message[]): void {
    let effects = this.decide(messages);
    while (effects.length > 0) {
      check(effects.length === 1, 'one effect at a time', effects);
      const [effect] = effects as [PipelineEffect];
      if (effect.type === 'start') {
        check(this.child === undefined, 'R4-19: no second child', effect);
        check(!this.childKeys.has(effect.run), 'a child id is never used twice', effect.run);
        this.childKeys.add(effect.run);
        this.child = effect;
        return;
      }
      this.counts.prepares += 1;
      const credit = this.credit(effect.handler);
      credit.prepared += 1;
      const { failed } = this.state.counts;
      effects = this.decide([{ type: 'evaluated', run: effect.run, value: this.prepared(effect.handler) }]);
      // A failed reservation is a failed run, after which an operator resumes.
      if (this.state.counts.failed > failed) this.grant(effect.handler);
    }
  }

  private decide(messages: readonly Message[]): PipelineEffect[] {
    const before = this.state.active;
    const pausedBefore = this.isPaused();
    const { effects, answers } = decide(this.state, messages, this.now);
    for (const [i, message] of messages.entries()) this.book(message, answers[i]!);
    this.look(before !== this.state.active ? this.state.active : undefined, pausedBefore);
    return effects;
  }

  private book(message: Message, answer: Answer): void {
    if (!answer.ok) return;
    const { definition } = this.state;
    if (message.type === 'publish') this.booked(message.topic, message.id, answer.code);
    if (message.type === 'trigger' && answer.code !== 'nothing_pending') this.grant(message.handler);
    if (message.type === 'deploy' && answer.code !== 'unchanged')
      for (const name of Object.keys(message.definition.consumers)) this.grant(name);
    if (message.type === 'resolve') {
      // Its events may be pending, reserved or done: the books follow the shown state.
      if (message.how === 'skip') this.forEventsOf(message.run, (fate) => (fate.skipped += 1));
      if (message.how === 'did_not_happen') for (const name of Object.keys(definition.consumers)) this.grant(name);
      this.forEventsOf(message.run, (fate) => {
        if (message.how === 'retry') fate.reservedBy = 'retry';
        else delete fate.reservedBy;
      });
    }
    if (message.type !== 'ended' || answer.code === 'duplicate') return;
    check(this.child?.run === message.run, 'only the running child ends', message.run);
    const { handler } = this.child!;
    this.child = undefined;
    const ended = this.state.runs.findLast(({ key }) => key === message.run)!;
    this.counts[ended.status] += 1;
    if (Object.hasOwn(definition.consumers, handler)) this.grant(handler);
    if (ended.status === 'committed') {
      this.forEventsOf(message.run, (fate) => (fate.consumed += 1));
      const { publish } = (message.outcome as unknown as { output: { publish: { topic: string }[] } }).output;
      for (const [i, { topic }] of publish.entries()) this.booked(topic, `${message.run}.${i + 1}`, 'accepted');
    }
    if (ended.status === 'failed') for (const name of Object.keys(definition.consumers)) this.grant(name);
    if (ended.status !== 'suspended') this.forEventsOf(message.run, (fate) => delete fate.reservedBy);
  }

  private booked(topic: string, id: string, code: string): void {
    const key = `${topic}/${id}`;
    if (code === 'accepted') {
      check(!this.events.has(key), 'a known event is not accepted again', key);
      this.order += 1;
      this.events.set(key, { order: this.order, consumed: 0, skipped: 0 });
      this.counts.published += 1;
    } else check(this.events.has(key), 'only a known event is a duplicate', key);
    if (code === 'duplicate') return;
    for (const [name, { topics }] of Object.entries(this.state.definition.consumers))
      if (topics.includes(topic)) this.grant(name);
  }

  /** Invariants after every step. */
  private look(begun: PipelineState['active'], pausedBefore: boolean): void {
    const { active, consumers, definition, topics } = this.state;
    const paused = this.isPaused();
    if (begun && pausedBefore && paused)
      check(begun.trigger === 'manual' || begun.trigger === 'retry', 'R4-25: no scheduled run while paused', begun);
    if (active) this.books(active);
    if (begun && begun.trigger !== 'retry') this.priority(begun, paused);
    if (!active && !paused)
      for (const name in consumers)
        check(
          this.isAsleep(name) || definition.consumers[name]!.topics.every((topic) => topics.pending(topic) === 0),
          'R4-28: no consumer with work is idle',
          name,
        );
    this.account();
    const byTime = Math.floor((this.now - start) / definition.policy.backoffMs);
    for (const [name, { granted, prepared }] of this.credits)
      check(prepared <= 1 + granted + byTime, 'R4-14: no busy loop', [name, prepared, granted, byTime]);
  }

  private isPaused(): boolean {
    return this.state.pauses.length > 0 || this.state.suspended.length > 0;
  }

  private isAsleep(consumer: string): boolean {
    return (this.state.consumers[consumer]!.sleep?.until ?? 0) > this.now;
  }

  /** Records the events reserved by a run. */
  private books({ key, reservations }: { key: string; reservations: readonly (readonly [string, string])[] }): void {
    for (const [topic, id] of reservations) {
      const fate = this.events.get(`${topic}/${id}`)!;
      check([undefined, 'retry', key].includes(fate.reservedBy), 'a reserved event is not reserved again', id);
      check(fate.consumed + fate.skipped === 0, 'a done event is not reserved', id);
      fate.reservedBy = key;
    }
  }

  /** Consumers before producers, and among consumers the one with the oldest event. */
  private priority({ handler, reservations }: NonNullable<PipelineState['active']>, paused: boolean): void {
    const { consumers, definition } = this.state;
    const held = new Set(reservations.map(([topic, id]) => `${topic}/${id}`));
    const oldest: Record<string, number> = {};
    for (const [key, { order, reservedBy, consumed, skipped }] of this.events) {
      if (consumed + skipped > 0 || (reservedBy !== undefined && !held.has(key))) continue;
      const topic = key.slice(0, 1);
      oldest[topic] = Math.min(oldest[topic] ?? order, order);
    }
    const oldestOf = (name: string): number =>
      Math.min(...definition.consumers[name]!.topics.map((topic) => oldest[topic] ?? Number.POSITIVE_INFINITY));
    const chosen = Object.hasOwn(consumers, handler) ? oldestOf(handler) : Number.POSITIVE_INFINITY;
    for (const name in consumers) {
      const eligible = consumers[name]!.triggered || (!paused && !this.isAsleep(name));
      if (name !== handler && eligible)
        check(chosen <= oldestOf(name), 'R4-23, R4-24: the oldest event first', [handler, name]);
    }
  }

  /** Every accepted event is in exactly one place. */
  private account(): void {
    let waiting = 0;
    for (const topic of topicNames) waiting += this.state.topics.size(topic);
    let open = 0;
    for (const { consumed, skipped } of this.events.values()) {
      check(consumed + skipped <= 1, 'no event is consumed twice');
      open += 1 - consumed - skipped;
    }
    check(open === waiting, 'no event is lost', [open, waiting]);
  }

  /** At the end, the pipeline's view of each event must match the books. */
  finish(): void {
    const seen = new Map<string, string>();
    for (const topic of topicNames)
      for (const { id, status } of eventsPage(this.state, topic, { limit: 1e6 }).items)
        seen.set(`${topic}/${id}`, status);
    for (const [key, { consumed, skipped, reservedBy }] of this.events) {
      const status = consumed ? 'consumed' : skipped ? 'skipped' : reservedBy === undefined ? 'pending' : 'reserved';
      check(seen.get(key) === status, 'each event has its actual state in the view', [key, seen.get(key), status]);
    }
  }

  private prepared(name: string): Json {
    const dice = this.chance();
    if (dice < 0.45) {
      this.counts.empty += 1;
      return this.pick<Json>([null, [], { reservations: [] }, [{ topic: 'a', ids: [] }]]);
    }
    const { topics } = this.state.definition.consumers[name]!;
    const pending = topics.flatMap((topic) => eventsPage(this.state, topic, { status: 'pending', limit: 5 }).items);
    if (dice < 0.48) return [{ topic: topics[0]!, id: 'unheard of' }];
    const some = pending.filter(() => this.chance() < 0.6).map(({ topic, id }) => ({ topic: topic!, id }));
    return dice < 0.7 ? some : { reservations: some, data: { n: some.length } };
  }

  /** The state of a pipeline is passed through JSON, as between two executions. */
  private continueAsNew(): void {
    const text = JSON.stringify(snapshot(this.state));
    const restored = restore(JSON.parse(text) as PipelineSnapshot);
    check(JSON.stringify(snapshot(restored)) === text, 'nothing is lost');
    check(
      JSON.stringify(pipelineView(restored, this.now)) === JSON.stringify(pipelineView(this.state, this.now)),
      'nor unseen',
    );
    this.state = restored;
  }

  private forEventsOf(run: string, change: (fate: Fate) => void): void {
    for (const fate of this.events.values()) if (fate.reservedBy === run) change(fate);
  }

  private credit(name: string): Credit {
    const known = this.credits.get(name) ?? { granted: 0, prepared: 0 };
    this.credits.set(name, known);
    return known;
  }

  private grant(name: string): void {
    this.credit(name).granted += 1;
  }

  private definition(): PipelineDefinition {
    const some = (all: readonly string[]): string[] => all.filter(() => this.chance() < 0.5);
    const subscribed = (): string[] => {
      const topics = some(topicNames);
      return topics.length > 0 ? topics : ['a'];
    };
    const more = () => ({ publishes: some(topicNames), ...(this.chance() < 0.6 && { prepare }) });
    const all = pipeline(
      {
        poll: producer({ publishes: some(topicNames) }),
        sweep: producer({ publishes: ['a'], misfire: 'skip_missed' }),
      },
      // The last consumer reads everything, so that every topic has one.
      {
        first: consumer(subscribed(), more()),
        second: consumer(subscribed(), more()),
        last: consumer(topicNames, more()),
      },
      { backoffMs: 300_000, topicEvents: 40, runs: 3, producerBusy: this.chance() < 0.5 ? 'skip' : 'queue' },
    );
    return all;
  }

  private chance(): number {
    return this.random.next();
  }

  private pick<T>(from: readonly T[]): T {
    return this.random.pick(from);
  }
}

function check(holds: boolean, what: string, about?: unknown): asserts holds {
  if (!holds) throw new Error(`${what}${about === undefined ? '' : `: ${JSON.stringify(about)}`}`);
}
