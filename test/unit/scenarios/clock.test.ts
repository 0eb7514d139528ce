import { describe, expect, it } from 'vitest';
import { type Effect, Interrupted } from '../../../src/engine/host.js';
import { VirtualHost } from '../../../src/scenarios/virtual/simulation.js';
import { flushPromises, TooManyEvents, VirtualClock } from '../../../src/scenarios/virtual/virtual-clock.js';

describe('the virtual clock', () => {
  it('jumps from event to event, in the order of due time and then of scheduling', async () => {
    const clock = new VirtualClock(1000);
    const seen: string[] = [];
    for (const [at, name] of [
      [5000, 'c'],
      [2000, 'a'],
      [5000, 'd'],
      [3000, 'b'],
    ] as const) {
      clock.at(at, () => seen.push(`${name}@${clock.now()}`));
    }
    while (await clock.advance());
    expect(seen).toEqual(['a@2000', 'b@3000', 'c@5000', 'd@5000']);
    expect(clock.idle).toBe(true);
  });

  it('runs past events now, and cancelled ones never', async () => {
    const clock = new VirtualClock(1000);
    const seen: number[] = [];
    clock.at(1, () => seen.push(clock.now()));
    clock.at(2000, () => seen.push(clock.now()))();
    while (await clock.advance());
    expect(seen).toEqual([1000]);
  });

  it('settles promises before it advances', async () => {
    const clock = new VirtualClock(0);
    const seen: string[] = [];
    clock.at(1, () => {
      Promise.resolve()
        .then(() => undefined)
        .then(() => clock.at(1, () => seen.push('still at 1')));
    });
    clock.at(2, () => seen.push('at 2'));
    while (await clock.advance());
    expect(seen).toEqual(['still at 1', 'at 2']);
  });

  it('throws on an endless loop', async () => {
    const clock = new VirtualClock(0, 50);
    const again = (): void => void clock.at(clock.now() + 1, again);
    again();
    await expect(async () => {
      while (await clock.advance());
    }).rejects.toThrow(TooManyEvents);
  });
});

describe('scopes of the virtual host', () => {
  const effect: Effect = { name: 'x', input: null, label: 'x', safe: true, alone: true, budgetMs: 1000 };

  function host() {
    const clock = new VirtualClock(0);
    const stopped: string[] = [];
    const effects = {
      perform: (_: Effect, stop: (onStop: () => void) => void) =>
        new Promise<never>(() => stop(() => stopped.push('effect'))),
    };
    return { clock, stopped, host: new VirtualHost(clock, effects) };
  }

  it('interrupt sleeps, effects and inner scopes, with the cause', async () => {
    const { clock, host: it, stopped } = host();
    const inner = it.scope.fork().fork();
    const ends = [inner.sleepUntil(10, 'a'), inner.perform(effect), inner.interrupted].map((promise) =>
      promise.then(
        () => 'done',
        (error: Interrupted) => [error instanceof Interrupted, error.cause],
      ),
    );
    it.scope.interrupt('deadline');
    expect(await Promise.all(ends)).toEqual([
      [true, 'deadline'],
      [true, 'deadline'],
      [true, 'deadline'],
    ]);
    expect(inner.interruption).toBe('deadline');
    expect(stopped).toEqual(['effect']);
    expect(clock.idle).toBe(true);
  });

  it('do not interrupt outer scopes, and keep the first cause', async () => {
    const { clock, host: it } = host();
    const inner = it.scope.fork();
    const outer = it.scope.sleepUntil(10, 'outer');
    inner.interrupt('superseded');
    inner.interrupt('cancel');
    expect([inner.interruption, it.scope.interruption]).toEqual(['superseded', undefined]);
    await flushPromises();
    await clock.advance();
    await expect(outer).resolves.toBeUndefined();
  });

  it('start nothing after an interruption', async () => {
    const { host: it } = host();
    it.scope.interrupt('cancel');
    await expect(it.scope.fork().sleepUntil(5, 'x')).rejects.toBeInstanceOf(Interrupted);
    await expect(it.scope.perform(effect)).rejects.toBeInstanceOf(Interrupted);
  });

  it('create the same ids for the same seed', () => {
    const make = (seed: number) => {
      const it = new VirtualHost(new VirtualClock(0), { perform: async () => null }, { seed });
      return [it.uuid(), it.uuid(), it.random()];
    };
    expect(make(1)).toEqual(make(1));
    expect(make(1)).not.toEqual(make(2));
    expect(make(1)[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
