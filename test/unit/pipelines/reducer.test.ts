import { describe, expect, it } from 'vitest';
import { maxPayloadBytes } from '../../../src/base/json/size.js';
import type { Json } from '../../../src/base/json/value.js';
import { newPipeline } from '../../../src/pipelines/apply-deployment.js';
import { nextWake } from '../../../src/pipelines/choose-next-run.js';
import type { PipelineDefinition, Policy } from '../../../src/pipelines/definition.js';
import type { Answer, HandlerOutcome, Message, PipelineEffect } from '../../../src/pipelines/messages-and-effects.js';
import { readIncoming } from '../../../src/pipelines/read-incoming-messages.js';
import { decide } from '../../../src/pipelines/reducer.js';
import { restore, snapshot } from '../../../src/pipelines/snapshot.js';
import { stateLimits } from '../../../src/pipelines/state-limits.js';
import { eventsPage, pipelineView } from '../../../src/pipelines/view.js';
import { consumer, pipeline, prepare, producer } from './definitions.js';

const start = Date.UTC(2027, 0, 1);
const minute = 60_000;

/** A pipeline without a server; the test supplies the results of `prepare` and of journeys. */
class Line {
  state;
  now = start;
  effects: PipelineEffect[] = [];
  prepares = 0;

  constructor(definition: PipelineDefinition) {
    this.state = newPipeline({ definition, hash: 'h1', deployer: 'me' }, start);
  }

  send(...messages: Message[]): Answer[] {
    const { effects, answers } = decide(this.state, messages, this.now);
    this.effects.push(...effects);
    this.prepares += effects.filter((it) => it.type === 'evaluate' && it.what === 'prepare').length;
    return answers;
  }

  publish(topic: string, id: string, payload: Json = {}): Answer {
    return this.send({ type: 'publish', topic, id, payload, stamp: 's' })[0]!;
  }

  tick(name: string): Answer {
    return this.send({ type: 'tick', producer: name, slot: this.now })[0]!;
  }

  trigger(handler: string): Answer {
    return this.send({ type: 'trigger', handler })[0]!;
  }

  /** Supplies the result of the requested prepare. */
  prepared(value: Json): Answer {
    return this.send({ type: 'evaluated', run: this.state.active!.key, value })[0]!;
  }

  end(outcome: HandlerOutcome = { kind: 'success', output: null }): string {
    const run = this.state.active!.key;
    this.send({ type: 'ended', run, outcome });
    return run;
  }

  after(ms: number): this {
    this.now += ms;
    this.send({ type: 'clock' });
    return this;
  }

  /** The active handler and its events. */
  get running(): string | undefined {
    const { active } = this.state;
    return active && [active.handler, ...active.reservations.map(([, id]) => id)].join(' ');
  }

  get view() {
    return pipelineView(this.state, this.now);
  }

  statuses(topic: string): string[] {
    return eventsPage(this.state, topic, { limit: 100 }).items.map(({ id, status }) => `${id} ${status}`);
  }
}

const error = { code: 'NO', reason: 'no' };
const inbox = (policy: Partial<Policy> = {}) =>
  new Line(pipeline({ poll: producer({ publishes: ['mail'] }) }, { answer: consumer(['mail']) }, policy));
const careful = (policy: Partial<Policy> = {}) =>
  new Line(pipeline({ poll: producer({ publishes: ['mail'] }) }, { answer: consumer(['mail'], { prepare }) }, policy));

describe('producers', () => {
  it('R4-05 R4-06: run when they are due and nothing else runs', () => {
    const line = inbox();
    expect(line.tick('poll')).toMatchObject({ code: 'started' });
    expect(line.effects).toMatchObject([
      { type: 'start', handler: 'poll', input: { slot: '2027-01-01T00:00:00.000Z' } },
    ]);
  });

  it('R4-07 R4-20: are skipped while something runs, not queued; later times are not affected', () => {
    const line = inbox();
    line.publish('mail', 'a');
    expect(line.tick('poll')).toMatchObject({ code: 'skipped' });
    line.end();
    expect(line.running).toBeUndefined();
    expect(line.view.producers.poll).toMatchObject({ skipped: { reason: 'busy', count: 1 } });
    line.now += 5 * minute;
    expect(line.tick('poll')).toMatchObject({ code: 'started' });
  });

  it('GAP-20 count due times without a tick, as after an outage, as missed', () => {
    const line = inbox();
    line.tick('poll');
    line.end();
    line.now += 20 * minute;
    expect(line.tick('poll')).toMatchObject({ code: 'started' });
    expect(line.view.producers.poll).toMatchObject({ skipped: { reason: 'missed', count: 3 } });
  });

  it('R4-08: can be triggered manually at any time, but wait for the active run', () => {
    const line = inbox();
    line.publish('mail', 'a');
    expect(line.trigger('poll')).toMatchObject({ code: 'queued' });
    expect(line.running).toBe('answer a');
    line.end();
    expect(line.running).toBe('poll');
    expect(line.state.active).toMatchObject({ trigger: 'manual' });
  });

  it('X4-01: are queued once each if the policy says so', () => {
    const line = inbox({ producerBusy: 'queue' });
    line.publish('mail', 'a');
    expect(line.tick('poll')).toMatchObject({ code: 'queued' });
    line.now += minute;
    line.tick('poll');
    line.end();
    expect(line.running).toBe('poll');
    line.end();
    expect(line.running).toBeUndefined();
  });

  it('SCH-K13: run once for all times missed in an outage, or not at all if the document says so', () => {
    const missed = (misfire: 'fire_once_on_recovery' | 'skip_missed') => {
      const line = new Line(pipeline({ poll: producer({ misfire }) }, {}));
      const slots = [1, 2, 3].map((i) => start + i * 5 * minute);
      line.now += 60 * minute;
      let runs = 0;
      for (const slot of slots) {
        line.send({ type: 'tick', producer: 'poll', slot });
        if (!line.running) continue;
        runs += 1;
        line.end();
      }
      return [runs, line.view.producers.poll?.skipped?.count];
    };
    expect(missed('fire_once_on_recovery')).toEqual([1, 2]);
    expect(missed('skip_missed')).toEqual([0, 3]);
  });

  it('do not run while a topic that they publish to is full', () => {
    const line = careful({ topicEvents: 1 });
    line.publish('mail', 'a');
    line.prepared(null);
    expect(line.tick('poll')).toMatchObject({ code: 'skipped' });
    expect(line.view.producers.poll).toMatchObject({ skipped: { reason: 'topic_full' } });
  });

  it('run once for a due time, also after a repeated tick', () => {
    const line = inbox();
    line.tick('poll');
    line.end();
    expect(line.tick('poll')).toMatchObject({ code: 'duplicate' });
    expect(line.running).toBeUndefined();
  });
});

describe('consumers', () => {
  it('R4-04 R4-09 R4-15: run at once on the oldest event, one after another, without sleeping', () => {
    const line = inbox();
    line.publish('mail', 'a');
    line.publish('mail', 'b');
    expect(line.running).toBe('answer a');
    line.end();
    expect(line.running).toBe('answer b');
    line.end();
    expect([line.running, line.prepares, line.view.consumers.answer?.state]).toEqual([undefined, 0, 'ready']);
    expect(line.statuses('mail')).toEqual(['a consumed', 'b consumed']);
  });

  it('R4-03 R4-10 R4-11 R4-31: sleep after reserving nothing, until a new event arrives', () => {
    const line = careful();
    line.publish('mail', 'a');
    line.prepared(null);
    expect([line.running, line.prepares]).toEqual([undefined, 1]);
    line.send({ type: 'clock' });
    expect(line.prepares).toBe(1);
    line.publish('mail', 'b');
    expect(line.prepares).toBe(2);
    line.prepared([{ topic: 'mail', ids: ['a', 'b'] }]);
    expect(line.running).toBe('answer a b');
  });

  it('R4-12 R4-17 R4-18: sleep for at most five minutes, then prepare again without a new event', () => {
    const line = careful();
    line.publish('mail', 'a');
    line.prepared([]);
    expect(nextWake(line.state)).toBe(start + 5 * minute);
    line.after(5 * minute - 1);
    expect(line.prepares).toBe(1);
    line.after(1);
    expect(line.prepares).toBe(2);
    line.prepared({ reservations: [{ topic: 'mail', id: 'a' }], data: { why: 'time' } });
    expect(line.state.active).toMatchObject({ trigger: 'timeout', data: { why: 'time' } });
  });

  it('R4-13: are woken by a manual trigger', () => {
    const line = careful();
    expect(line.trigger('answer')).toMatchObject({ code: 'nothing_pending' });
    line.publish('mail', 'a');
    line.prepared(null);
    expect(line.trigger('answer')).toMatchObject({ code: 'started' });
    expect(line.prepares).toBe(2);
  });

  it('R4-14: evaluate prepare no more often than something happens', () => {
    const line = careful();
    let [events, triggers] = [0, 0];
    for (let i = 0; i < 400; i++) {
      line.now += 20_000;
      if (i % 7 === 0) events += line.publish('mail', `m${i}`).ok ? 1 : 0;
      if (i % 11 === 0 && line.trigger('answer').ok) triggers += 1;
      line.send({ type: 'clock' }, { type: 'clock' });
      while (line.state.active) line.prepared(null);
    }
    const elapsed = line.now - start;
    expect(line.prepares).toBeLessThanOrEqual(1 + events + triggers + elapsed / (5 * minute));
    expect(line.prepares).toBeGreaterThan(20);
  });

  it('R4-15: wake at once when the missing part of a batch or match arrives', () => {
    const line = new Line(pipeline({}, { match: consumer(['orders', 'payments'], { prepare }) }));
    line.publish('orders', 'o1');
    line.prepared(null);
    line.publish('payments', 'p1');
    line.prepared([
      { topic: 'orders', id: 'o1' },
      { topic: 'payments', id: 'p1' },
    ]);
    expect(line.running).toBe('match o1 p1');
  });

  it('R4-21 R4-22: are queued once each while something runs', () => {
    const line = careful();
    line.tick('poll');
    line.publish('mail', 'a');
    line.publish('mail', 'b');
    line.trigger('answer');
    line.trigger('answer');
    expect(line.view.consumers.answer).toMatchObject({ queued: true });
    line.end();
    expect(line.prepares).toBe(1);
    line.prepared(null);
    expect([line.running, line.prepares]).toEqual([undefined, 1]);
  });

  it('stay awake if an event arrives while prepare is evaluated', () => {
    const line = careful();
    line.publish('mail', 'a');
    line.publish('mail', 'b');
    line.prepared(null);
    expect([line.prepares, line.view.consumers.answer?.state]).toEqual([2, 'running']);
  });

  it('SCH-K8: sleep after a reservation without events, and fail if an event is not pending', () => {
    const line = careful();
    line.publish('mail', 'a');
    line.prepared({ reservations: [{ topic: 'mail', ids: [] }] });
    expect(line.view.consumers.answer).toMatchObject({ state: 'sleeping' });
    line.trigger('answer');
    line.prepared([{ topic: 'mail', id: 'z' }]);
    expect(line.view.runs[0]).toMatchObject({ status: 'failed', error: { code: 'PREPARE_RESULT_INVALID' } });
    expect(line.statuses('mail')).toEqual(['a pending']);
  });

  it('R4-16: fail on a wake hint unless the policy allows them', () => {
    const line = careful();
    line.publish('mail', 'a');
    line.prepared({ wakeAt: '2027-01-01T01:00:00Z' });
    expect(line.view).toMatchObject({ status: 'paused', runs: [{ error: { code: 'PREPARE_RESULT_INVALID' } }] });
  });

  it('X4-02 SCH-K9: limit a wake hint to between 30 seconds and a day, and use it once', () => {
    const line = careful({ wakeHints: true });
    line.publish('mail', 'a');
    line.prepared({ wakeAt: '2027-01-01T00:00:01Z' });
    expect(nextWake(line.state)).toBe(start + 30_000);
    line.after(30_000);
    line.prepared({ wakeAt: '2027-02-01T00:00:00Z' });
    expect(nextWake(line.state)).toBe(line.now + 24 * 60 * minute);
    line.trigger('answer');
    line.prepared(null);
    expect(nextWake(line.state)).toBe(line.now + 5 * minute);
    expect(nextWake(restore(JSON.parse(JSON.stringify(snapshot(line.state)))))).toBe(line.now + 5 * minute);
  });
});

describe('the order of handlers', () => {
  it('R4-01 R4-19 R4-23 SCH-K4: prefers consumers to producers that are due at the same time', () => {
    const line = inbox();
    const answers = line.send(
      { type: 'tick', producer: 'poll', slot: start },
      { type: 'publish', topic: 'mail', id: 'a', payload: 1, stamp: 's' },
    );
    expect(answers).toMatchObject([{ code: 'skipped' }, { code: 'accepted' }]);
    expect(line.running).toBe('answer a');
    expect(line.effects.filter(({ type }) => type === 'start')).toHaveLength(1);
  });

  it('R4-06: lets a producer run at its time if the consumer before it reserves nothing', () => {
    const line = careful();
    line.send(
      { type: 'publish', topic: 'mail', id: 'a', payload: 1, stamp: 's' },
      { type: 'tick', producer: 'poll', slot: start },
    );
    expect(line.prepares).toBe(1);
    line.prepared(null);
    expect(line.running).toBe('poll');
  });

  it('R4-24 SCH-K4: prefers the consumer with the oldest event, not the first in the document', () => {
    const line = new Line(pipeline({}, { late: consumer(['b']), early: consumer(['a']) }));
    line.send({ type: 'pause' });
    line.publish('a', 'one');
    line.publish('b', 'two');
    line.send({ type: 'resume' });
    expect(line.running).toBe('early one');
    line.end();
    expect(line.running).toBe('late two');
  });

  it('R4-28: continues with the next handler after a committed run', () => {
    const line = inbox();
    line.tick('poll');
    line.end({
      kind: 'success',
      output: {
        publish: [
          { topic: 'mail', id: 'x', payload: { n: 1 } },
          { topic: 'mail', payload: 2 },
        ],
        state: { cursor: 9 },
      },
    });
    expect(line.running).toBe('answer x');
    expect(line.state.producers.poll?.state).toEqual({ cursor: 9 });
    line.end();
    expect(line.state.active?.reservations[0]?.[1]).toMatch(/^poll-[0-9a-f]{20}-1\.2$/);
  });
});

describe('a paused pipeline', () => {
  it('R4-25 R4-26 R4-27: starts no scheduled runs; manual runs leave it paused, and resume continues', () => {
    const line = inbox();
    line.send({ type: 'pause', note: 'lunch' });
    line.publish('mail', 'a');
    expect(line.tick('poll')).toMatchObject({ code: 'skipped' });
    expect([line.running, line.view.producers.poll?.skipped?.reason]).toEqual([undefined, 'paused']);
    expect(line.trigger('answer')).toMatchObject({ code: 'started' });
    line.publish('mail', 'b');
    line.end();
    expect([line.running, line.view.status]).toEqual([undefined, 'paused']);
    line.send({ type: 'resume' });
    expect(line.running).toBe('answer b');
  });

  it('R4-29: results from a `fail` state, after which the events are pending in their old order', () => {
    const line = inbox();
    line.publish('mail', 'a');
    line.publish('mail', 'b');
    line.end({ kind: 'fail', error });
    expect(line.view).toMatchObject({ status: 'paused', pauses: [{ reason: 'failed', note: 'NO: no' }] });
    expect(line.statuses('mail')).toEqual(['a pending', 'b pending']);
    line.send({ type: 'resume' });
    expect(line.running).toBe('answer a');
    expect(line.state.active).toMatchObject({ attempt: 2 });
  });

  const uncertain = { state: 's', call: 'POST s.test/', error: 'NETWORK: closed' };

  it.each(['timeout', 'cancel', 'error', 'terminated', 'fail'] as const)(
    'R4-30 SCH-K1: results from a run with an unknown outcome, which is suspended with its events (%s)',
    (kind) => {
      const line = inbox();
      line.publish('mail', 'a');
      line.publish('mail', 'b');
      const run = line.end({ kind, error, ...(kind === 'fail' && { uncertain }) });
      expect(line.view).toMatchObject({ status: 'paused', suspended: [{ run, error, events: 1 }] });
      expect(line.statuses('mail')).toEqual(['a reserved', 'b pending']);
      expect(line.send({ type: 'resume' })).toMatchObject([{ problem: { code: 'PIPELINE_UNRESOLVED' } }]);
      // A manual trigger never uses reserved events.
      line.trigger('answer');
      expect(line.running).toBe('answer b');
      line.end();
      expect(line.running).toBeUndefined();
    },
  );

  it('GAP-4 describes its start, event, call, known facts and next step', () => {
    const line = inbox();
    line.publish('mail', 'a');
    const run = line.end({ kind: 'fail', error: { code: 'NOT_OK', reason: 'mock said no' }, uncertain });
    const [pause] = line.view.pauses;
    expect(pause).toMatchObject({ reason: 'suspended', run });
    expect(pause?.text).toBe(
      `Suspended since ${pause?.at}: answer holds the event mail a (run ${run}). The call POST s.test/ of the state s was ` +
        'interrupted (NETWORK: closed): it is unknown whether the service processed it. The journey then ended with NOT_OK: ' +
        `mock said no. Find out what happened, then run: journeyman pipeline resolve line ${run} retry|did_not_happen|skip`,
    );
    expect(line.view.consumers.answer?.state).toBe('paused');
    line.send({ type: 'resolve', run, how: 'did_not_happen' });
    const again = line.end({ kind: 'fail', error });
    expect(line.view.pauses).toMatchObject([{ reason: 'failed', run: again }]);
    expect(line.view.pauses[0]?.text).toMatch(
      `answer failed on the event mail a (run ${again}) with NO: no. Its event is pending again. Fix the cause, then run: journeyman pipeline resume line`,
    );
    line.send({ type: 'resume' });
    expect(line.view).toMatchObject({ pauses: [], consumers: { answer: { state: 'running' } } });
  });

  it('SCH-K1: is resolved by retry with the same events and a new key, did_not_happen with pending events, or skip without them', () => {
    const suspended = () => {
      const line = inbox();
      line.publish('mail', 'a');
      const run = line.end({ kind: 'timeout', error });
      line.publish('mail', 'b');
      return { line, run };
    };
    const retry = suspended();
    retry.line.send({ type: 'resolve', run: retry.run, how: 'retry' });
    expect(retry.line.running).toBe('answer a');
    expect(retry.line.state.active?.key).toBe(retry.run.replace(/1$/, '2'));
    retry.line.end();
    expect([retry.line.running, retry.line.view.status]).toEqual(['answer b', 'running']);
    expect(retry.line.view.runs.at(-1)).toMatchObject({ status: 'suspended', resolution: 'retry' });

    const again = suspended();
    again.line.send({ type: 'resolve', run: again.run, how: 'did_not_happen' });
    expect(again.line.running).toBe('answer a');
    expect(again.line.state.active).toMatchObject({ trigger: 'event', attempt: 2 });

    const skip = suspended();
    skip.line.send({ type: 'resolve', run: skip.run, how: 'skip' });
    expect(skip.line.running).toBe('answer b');
    expect(skip.line.statuses('mail')).toEqual(['b reserved', 'a skipped']);
    expect(skip.line.send({ type: 'resolve', run: skip.run, how: 'skip' })).toMatchObject([
      { problem: { code: 'RUN_NOT_SUSPENDED' } },
    ]);
  });

  it('SCH-K10: runs a handler on demand, and only that', () => {
    const line = new Line(pipeline({ one: producer({ state: 1 }), two: producer() }, {}));
    line.send({ type: 'pause' });
    line.trigger('one');
    expect(line.running).toBe('one');
    line.end();
    expect([line.running, line.view.status, line.state.producers.one?.state]).toEqual([undefined, 'paused', 1]);
  });
});

describe('events', () => {
  it('X4-10: are published once per id; while one is pending, its newest payload counts', () => {
    const line = inbox();
    line.send({ type: 'pause' });
    expect(line.publish('mail', 'a', 1)).toMatchObject({ code: 'accepted' });
    expect(line.publish('mail', 'a', 1)).toMatchObject({ code: 'duplicate' });
    expect(line.publish('mail', 'a', 2)).toMatchObject({ code: 'replaced' });
    line.send({ type: 'resume' });
    expect(line.effects).toMatchObject([{ input: { events: [{ id: 'a', payload: 2 }] } }]);
    expect(line.publish('mail', 'a', 3)).toMatchObject({ code: 'duplicate' });
    line.end();
    expect(line.publish('mail', 'a', 4)).toMatchObject({ code: 'duplicate' });
    expect(line.running).toBeUndefined();
  });

  it('are rejected without effect if the topic is full or unknown, or the payload is large or invalid', () => {
    const definition = pipeline({}, { answer: consumer(['mail']) }, { topicEvents: 2, payloadBytes: 20 });
    definition.topics.mail = { schema: { type: 'object' } };
    const line = new Line(definition);
    const code = (answer: Answer) => (answer.ok ? answer.code : answer.problem.code);
    expect(code(line.publish('post', 'a'))).toBe('TOPIC_UNKNOWN');
    expect(code(line.publish('mail', 'a', { text: 'far too much of it' }))).toBe('EVENT_TOO_LARGE');
    expect(code(line.publish('mail', 'a', []))).toBe('EVENT_INVALID');
    expect(code(line.publish('mail', '', {}))).toBe('EVENT_ID_INVALID');
    expect(['a', 'b', 'c'].map((id) => code(line.publish('mail', id)))).toEqual(['accepted', 'accepted', 'TOPIC_FULL']);
    line.end();
    expect(code(line.publish('mail', 'c'))).toBe('accepted');
  });

  it.each([
    ['an undeclared topic', { publish: [{ topic: 'other', payload: 1 }] }, 'PUBLISH_UNDECLARED'],
    ['an invalid event', { publish: [{ topic: 'mail' }] }, 'PUBLISH_INVALID'],
    ['an invalid list', { publish: 'mail' }, 'PUBLISH_INVALID'],
    ['too much state', { state: 'x'.repeat(150_001) }, 'HANDLER_STATE_TOO_LARGE'],
    ['more than fits', { publish: [1, 2, 3].map((payload) => ({ topic: 'mail', payload })) }, 'TOPIC_FULL'],
  ])('are not published if a handler returns %s, which suspends it (R4-30)', (_, output, code) => {
    const line = inbox({ topicEvents: 2 });
    line.tick('poll');
    const run = line.end({ kind: 'success', output });
    expect(line.view).toMatchObject({ status: 'paused', runs: [{ status: 'suspended', error: { code } }] });
    expect([line.statuses('mail'), line.state.producers.poll?.state]).toEqual([[], null]);
    line.send({ type: 'resolve', run, how: 'skip' });
    expect(line.view).toMatchObject({ status: 'running', suspended: [] });
  });

  it('are not consumed again automatically after a consumer returned an invalid result', () => {
    const line = new Line(pipeline({}, { answer: consumer(['mail']) }));
    line.publish('mail', 'a');
    const run = line.end({ kind: 'success', output: { publish: [{ topic: 'mail', payload: 1 }] } });
    expect([line.statuses('mail'), line.state.active]).toEqual([['a reserved'], undefined]);
    expect(line.send({ type: 'resume' })).toMatchObject([{ problem: { code: 'PIPELINE_UNRESOLVED' } }]);
    line.send({ type: 'resolve', run, how: 'skip' });
    expect(line.view).toMatchObject({ status: 'running', topics: { mail: { pending: 0, reserved: 0 } } });
  });

  it('include no tick before its time, which is rejected and does not prevent later ones', () => {
    const line = inbox();
    const early = line.send({ type: 'tick', producer: 'poll', slot: start + 10 * minute });
    expect(early).toMatchObject([{ problem: { code: 'PIPELINE_MESSAGE_INVALID' } }]);
    for (const slot of [9e15, -1, 0.5, '5'])
      expect(() => readIncoming('tick', { producer: 'poll', slot })).toThrow('needs the number "slot"');
    expect(line.tick('poll')).toMatchObject({ code: 'started' });
  });

  it('SCH-K14: trigger nothing if no consumer can reserve them', () => {
    const line = careful();
    for (let i = 0; i < 77; i++) line.publish('mail', `m${i}`);
    line.prepared(null);
    while (line.state.active) line.prepared(null);
    const { prepares } = line;
    for (let i = 0; i < 50; i++) line.after(1_000);
    expect(line.prepares).toBe(prepares);
  });

  it('fit into one message of the server at every limit', () => {
    const { definition, events, carried, runs, settled, data, suspended } = stateLimits;
    const rest = suspended * (data + 3_000);
    expect(2 * definition + events + carried + runs + settled + rest).toBeLessThan(maxPayloadBytes - 20_000);
    const line = inbox();
    line.send({ type: 'pause' });
    const before = JSON.stringify(snapshot(line.state)).length;
    let accepted = 0;
    while (line.publish('mail', `event-${accepted}`, { text: 'x'.repeat(accepted % 200) }).ok) accepted += 1;
    expect(accepted).toBeGreaterThan(5_000);
    expect(JSON.stringify(snapshot(line.state)).length - before).toBeLessThan(events);
  });

  it('cost as much per step with ten thousand pending as with ten', () => {
    const line = inbox();
    line.send({ type: 'pause' });
    for (let i = 0; i < 10_000; i++) expect(line.publish('mail', `event-${i}`, { n: i }).ok).toBe(true);
    expect(JSON.stringify(snapshot(line.state)).length).toBeLessThan(1_900_000);
    line.send({ type: 'resume' });
    for (let i = 0; i < 10_000; i++) line.end();
    expect(line.view.counts).toMatchObject({ committed: 10_000 });
    expect(line.view.runs).toHaveLength(50);
  });
});

describe('deployments', () => {
  const one = pipeline(
    { poll: producer({ publishes: ['mail'], state: 0 }) },
    { answer: consumer(['mail'], { prepare }) },
  );
  const deploy = (definition: PipelineDefinition, hash = 'h2'): Message => ({
    type: 'deploy',
    definition,
    hash,
    deployer: 'me',
  });

  it('apply between runs; handlers keep their state, and sleeping consumers prepare again', () => {
    const line = new Line(one);
    line.tick('poll');
    const two = pipeline(
      { poll: producer({ publishes: ['mail'], state: 5 }), more: producer({ state: 7 }) },
      { answer: consumer(['mail'], { prepare }) },
    );
    expect(line.send(deploy(two))).toMatchObject([{ code: 'waiting' }]);
    expect(line.view.deployment).toMatchObject({ hash: 'h2' });
    line.end({ kind: 'success', output: { state: 3 } });
    expect(line.view).toMatchObject({ hash: 'h2' });
    expect([line.state.producers.poll?.state, line.state.producers.more?.state]).toEqual([3, 7]);
    expect(line.send(deploy(two))).toMatchObject([{ code: 'unchanged' }]);
  });

  it('are rejected if they remove a topic with pending events, or a handler with a suspended run', () => {
    const line = new Line(one);
    line.publish('mail', 'a');
    line.prepared([{ topic: 'mail', id: 'a' }]);
    const other = pipeline({}, { answer: consumer(['post']) });
    expect(line.send(deploy(other))).toMatchObject([{ problem: { code: 'PIPELINE_TOPIC_IN_USE' } }]);
    line.end({ kind: 'timeout', error });
    const renamed = pipeline({}, { reply: consumer(['mail']) });
    expect(line.send(deploy(renamed))).toMatchObject([{ problem: { code: 'PIPELINE_HANDLER_IN_USE' } }]);
    expect(line.view).toMatchObject({ hash: 'h1' });
  });

  it('pause a pipeline whose document its own deployer has removed, until the document returns', () => {
    const line = new Line(one);
    expect(line.send({ type: 'remove', deployer: 'somebody else' })).toMatchObject([{ code: 'unchanged' }]);
    expect(line.view.status).toBe('running');
    line.send({ type: 'remove', deployer: 'me' });
    expect(line.view).toMatchObject({ status: 'paused', pauses: [{ reason: 'removed' }] });
    expect(line.send(deploy(one, 'h1'))).toMatchObject([{ code: 'done' }]);
    expect(line.view.status).toBe('running');
  });
});

describe('the view of a pipeline', () => {
  it('R4-33 R4-34 R4-35: shows what wakes each consumer, the queue depth, the last run and its outcome', () => {
    const line = careful();
    line.publish('mail', 'a');
    expect(line.view.consumers.answer).toMatchObject({ state: 'running' });
    line.prepared(null);
    expect(line.view).toMatchObject({
      topics: { mail: { pending: 1, reserved: 0, subscribers: ['answer'] } },
      consumers: {
        answer: { state: 'sleeping', wakes: { at: '2027-01-01T00:05:00.000Z', topics: ['mail'], hinted: false } },
      },
    });
    line.trigger('answer');
    line.prepared([{ topic: 'mail', id: 'a' }]);
    line.end({ kind: 'success', output: { ok: true } });
    expect(line.view).toMatchObject({
      topics: { mail: { pending: 0 } },
      consumers: { answer: { state: 'ready', last: { at: '2027-01-01T00:00:00.000Z', status: 'committed' } } },
      runs: [
        { handler: 'answer', trigger: 'manual', status: 'committed', output: { ok: true }, input: { data: null } },
      ],
    });
  });

  it('SCH-K7: shows no run of a consumer that reserved nothing', () => {
    const line = careful();
    line.publish('mail', 'a');
    line.prepared(null);
    expect([line.view.runs, line.view.consumers.answer?.last]).toEqual([[], undefined]);
  });

  it('SCH-K6: survives continue-as-new completely, with sleeping consumers and attempts', () => {
    const line = careful();
    line.publish('mail', 'a');
    line.prepared([{ topic: 'mail', id: 'a' }]);
    const { view } = line;
    const key = line.state.active?.key;
    line.state = restore(JSON.parse(JSON.stringify(snapshot(line.state))));
    expect(line.view).toEqual(view);
    line.end({ kind: 'fail', error });
    line.send({ type: 'resume' });
    line.prepared([{ topic: 'mail', id: 'a' }]);
    expect(line.state.active?.key).toBe(key?.replace(/1$/, '2'));
  });
});
