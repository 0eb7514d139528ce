import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../../../src/base/json/size.js';
import type { Json } from '../../../src/base/json/value.js';
import { newPipeline } from '../../../src/pipelines/apply-deployment.js';
import type { PipelineDefinition, Policy, TopicDefinition } from '../../../src/pipelines/definition.js';
import type { Answer, Deliver } from '../../../src/pipelines/messages-and-effects.js';
import { readIncoming } from '../../../src/pipelines/read-incoming-messages.js';
import { decide } from '../../../src/pipelines/reducer.js';
import { restore, snapshot } from '../../../src/pipelines/snapshot.js';
import { sourcesOf } from '../../../src/pipelines/topics/deliver-source-records.js';
import { eventsPage, pipelineView } from '../../../src/pipelines/view.js';
import { consumer, pipeline } from './definitions.js';

const now = Date.UTC(2027, 0, 1);

/** A pipeline with the topic `orders`, read from the Kafka topic `shop`. */
function definition(group = 'g', topic: TopicDefinition = {}, policy: Partial<Policy> = {}): PipelineDefinition {
  const made = pipeline({}, { work: consumer(['orders']) }, policy);
  made.topics.orders = { ...topic, source: { kafka: { topic: 'shop', group } } };
  return made;
}

class Sourced {
  state;

  constructor(made = definition()) {
    this.state = newPipeline({ definition: made, hash: 'h', deployer: 'me' }, now);
    // Nothing runs, so that events stay pending.
    decide(this.state, [{ type: 'pause' }], now);
  }

  deliver(from: number, payloads: Json[], more: Partial<Deliver> = {}): Answer {
    const message: Deliver = {
      type: 'deliver',
      topic: 'orders',
      kafka: { topic: 'shop', group: 'g' },
      topicId: 'one',
      partition: 0,
      from,
      until: from + payloads.length,
      start: 0,
      end: from + payloads.length,
      events: payloads.map((payload, i) => [from + i, payload]),
      ...more,
    };
    return decide(this.state, [readIncoming('deliver', message)], now).answers[0]!;
  }

  deploy(made: PipelineDefinition, hash = 'h2'): Answer {
    return decide(this.state, [{ type: 'deploy', definition: made, hash, deployer: 'me' }], now).answers[0]!;
  }

  get ids(): string[] {
    return eventsPage(this.state, 'orders', { status: 'pending', limit: 100 }).items.map(({ id }) => id);
  }

  get pause() {
    return pipelineView(this.state, now).pauses.find(({ reason }) => reason === 'source');
  }
}

const next = (answer: Answer) => (answer.ok ? answer.source!.next : undefined);

describe('GAP-19 deliveries of a source', () => {
  it('are accepted once and in order, although they are repeated', () => {
    const it = new Sourced();
    expect(it.deliver(5, ['a', 'b'])).toMatchObject({ ok: true, code: 'delivered', source: { next: 7 } });
    expect(next(it.deliver(5, ['a', 'b', 'c']))).toBe(8);
    expect(next(it.deliver(5, ['a']))).toBe(8);
    expect(it.ids).toEqual(['shop:0:5', 'shop:0:6', 'shop:0:7']);
    expect(pipelineView(it.state, now).topics.orders).toMatchObject({ source: { taken: 3, lag: 0, next: { 0: 8 } } });
  });

  it('are remembered across continue-as-new, as one number per partition', () => {
    const it = new Sourced();
    const before = JSON.stringify(it.state.sources).length;
    for (let from = 0; from < 2_000; from += 100) {
      it.deliver(from, Array(100).fill(0));
      for (const id of it.ids) it.state.topics.settle([['orders', id]], 'consumed', now);
    }
    expect(JSON.stringify(it.state.sources).length).toBeLessThan(before + 60);
    it.state = restore(JSON.parse(JSON.stringify(snapshot(it.state))));
    expect(next(it.deliver(1_990, Array(11).fill(1)))).toBe(2_001);
    expect(it.ids).toEqual(['shop:0:2000']);
  });

  it('are rejected after a gap, until the gap is delivered', () => {
    const it = new Sourced();
    it.deliver(0, ['a']);
    expect(next(it.deliver(4, ['e']))).toBe(1);
    expect(it.ids).toEqual(['shop:0:0']);
    // Kafka omits compacted records and transaction markers.
    expect(next(it.deliver(1, [], { events: [[3, 'd']], until: 9 }))).toBe(9);
    expect(it.ids).toEqual(['shop:0:0', 'shop:0:3']);
  });

  it('count records that Kafka deleted as lost', () => {
    const it = new Sourced();
    it.deliver(0, ['a']);
    expect(next(it.deliver(1, [], { start: 11, end: 20 }))).toBe(11);
    expect(next(it.deliver(11, ['b'], { start: 11, end: 20 }))).toBe(12);
    expect(pipelineView(it.state, now).topics.orders!.source).toMatchObject({ lost: 10, lag: 8, taken: 2 });
  });

  it('stop when the topic is full, with the position in the response', () => {
    const it = new Sourced(definition('g', {}, { topicEvents: 3 }));
    expect(it.deliver(0, ['a', 'b', 'c', 'd'])).toMatchObject({ source: { next: 3, room: { events: 0 } } });
    it.state.topics.settle([['orders', 'shop:0:0']], 'consumed', now);
    expect(sourcesOf(it.state)).toMatchObject([{ topic: 'orders', next: { 0: 3 }, room: { events: 1 } }]);
    expect(next(it.deliver(3, ['d']))).toBe(4);
    const { bytes, room } = pipelineView(it.state, now).topics.orders!;
    expect(bytes + room.bytes).toBe(1_000_000);
    const large = new Sourced();
    expect(next(large.deliver(0, Array(30).fill('x'.repeat(50_000))))).toBe(19);
  });

  it('of another source than the deployed one are rejected', () => {
    const it = new Sourced();
    for (const kafka of [
      { topic: 'shop', group: 'other' },
      { topic: 'store', group: 'g' },
    ])
      expect(it.deliver(0, ['a'], { kafka })).toMatchObject({ problem: { code: 'SOURCE_CHANGED' } });
    expect(it.deliver(0, ['a'], { topic: 'constructor' })).toMatchObject({ problem: { code: 'SOURCE_CHANGED' } });
  });

  it.each([
    ['a payload that its schema rejects', { schema: { type: 'string' } }, [1], {}, 'EVENT_INVALID'],
    ['a payload that is too large', {}, ['x'.repeat(70_000)], {}, 'EVENT_TOO_LARGE'],
    [
      'a record that is not JSON',
      {},
      [],
      { fault: { offset: 1, code: 'EVENT_INVALID', detail: 'It is not JSON.' }, until: 1, events: [] },
      'It is not JSON.',
    ],
  ] as const)('with %s pause the pipeline until they are resolved', (_, topic, payloads, more, text) => {
    const it = new Sourced(definition('g', topic as TopicDefinition));
    it.deliver(0, ['a']);
    const poison = () => it.deliver(1, [...payloads, 'c'], more as Partial<Deliver>);
    expect(poison()).toMatchObject({ source: { next: 1, room: { events: 0, bytes: 0 } } });
    poison();
    expect(pipelineView(it.state, now).pauses.filter(({ reason }) => reason === 'source')).toHaveLength(1);
    expect(it.pause).toMatchObject({ source: { topic: 'orders', id: 'shop:0:1' } });
    expect(it.pause!.text).toContain('partition 0, offset 1');
    expect(it.pause!.text).toContain(text);
    expect(it.pause!.text).toContain('journeyman pipeline resolve line shop:0:1 skip');
    decide(it.state, [{ type: 'resume' }, { type: 'pause' }], now);
    expect(it.pause).toBeUndefined();
    poison();
    expect(it.pause).toBeDefined();
    decide(it.state, [{ type: 'resolve', run: 'shop:0:1', how: 'skip' }], now);
    expect(it.pause).toBeUndefined();
    expect(next(it.deliver(2, ['c']))).toBe(3);
    expect(it.ids).toEqual(['shop:0:0', 'shop:0:2']);
    expect(eventsPage(it.state, 'orders', { status: 'skipped', limit: 9 }).items).toMatchObject([{ id: 'shop:0:1' }]);
  });

  it('of a recreated topic wait for a decision, and then use its new ids', () => {
    const it = new Sourced();
    it.deliver(0, ['a', 'b']);
    expect(it.deliver(0, ['x', 'y', 'z'], { topicId: 'two' })).toMatchObject({ source: { room: { events: 0 } } });
    expect(it.pause!.text).toMatch(/SOURCE_RESET.+from its beginning, run: journeyman pipeline resume line$/);
    decide(it.state, [{ type: 'resume' }, { type: 'pause' }], now);
    expect(sourcesOf(it.state)).toMatchObject([{ next: {}, fromStart: true }]);
    it.state.topics.settle([['orders', 'shop:0:0']], 'consumed', now);
    expect(next(it.deliver(0, ['x', 'y', 'z'], { topicId: 'two' }))).toBe(1);
    it.state.topics.settle([['orders', 'shop:0:1']], 'consumed', now);
    expect(next(it.deliver(1, ['y', 'z'], { topicId: 'two' }))).toBe(3);
    expect(it.state.topics.find('orders', 'shop:0:1')?.view.payload).toBe('y');
  });

  it('of a truncated partition wait for a decision', () => {
    const it = new Sourced();
    it.deliver(0, ['a', 'b', 'c']);
    // Another worker read earlier offsets.
    it.deliver(1, [], { end: 1 });
    expect(it.pause).toBeUndefined();
    it.deliver(3, [], { end: 1 });
    expect(it.pause!.text).toMatch(/ends at the offset 1.+To continue at the offset 1, run/);
    decide(it.state, [{ type: 'resume' }, { type: 'pause' }], now);
    expect(sourcesOf(it.state)).toMatchObject([{ next: { 0: 1 } }]);
  });

  it('keep their positions across deployments, unless topic or group changes', () => {
    const it = new Sourced(definition('g', { schema: { type: 'string' } }));
    it.deliver(0, ['a', 1]);
    it.deploy(definition('g'));
    expect(sourcesOf(it.state)).toMatchObject([{ next: { 0: 1 }, room: { events: 0 } }]);
    expect(it.pause).toBeDefined();
    it.deploy(definition('other'), 'h3');
    expect(sourcesOf(it.state)).toMatchObject([{ kafka: { group: 'other' }, next: {}, fromStart: false }]);
    expect(it.pause).toBeUndefined();
    decide(it.state, [{ type: 'remove', deployer: 'me' }], now);
    expect(sourcesOf(it.state)).toEqual([]);
  });

  it('have positions within bounds, and are rejected if incomplete', () => {
    const it = new Sourced();
    for (let partition = 0; partition < 2_000; partition++) it.deliver(9_000_000_000_000, [], { partition });
    expect(it.deliver(0, [], { partition: 2_000 })).toMatchObject({ problem: { code: 'SOURCE_PARTITIONS' } });
    expect(jsonBytes(it.state.sources as unknown as Json)).toBeLessThan(100_000);
    for (const wrong of [{ from: -1 }, { partition: 0.5 }, { events: [[1]] }, { fault: { offset: 1, code: 'ANY' } }])
      expect(() => it.deliver(0, [], wrong as never)).toThrow(/./);
  });
});
