import { describe, expect, it } from 'vitest';
import { FairQueue, Used } from '../../../src/temporal/fair-thread.js';

/** A thread whose work takes as long as it says, by a clock of its own. */
function thread() {
  let clock = 0;
  const queue = new FairQueue(() => clock);
  const order: string[] = [];
  return {
    order,
    queue,
    wait: (ms: number) => {
      clock += ms;
    },
    run: (name: string, used: Used, ms: number) =>
      queue.take(used, async () => {
        order.push(name);
        await Promise.resolve();
        clock += ms;
      }),
  };
}

describe('FLT-5 whose turn it is in a worker’s thread', () => {
  it('is that of whoever has used it least of late', async () => {
    const { order, run } = thread();
    const [heavy, other, light] = [new Used(), new Used(), new Used()];
    await run('heavy', heavy, 200);
    await run('other', other, 100);
    await Promise.all([
      run('under way', new Used(), 10),
      run('heavy', heavy, 200),
      run('other', other, 1),
      run('light', light, 1),
    ]);
    expect(order.slice(2)).toEqual(['under way', 'light', 'other', 'heavy']);
  });

  it('is that of whoever came first, where all have used it alike', async () => {
    const { order, run } = thread();
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => run(name, new Used(), 5)));
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });

  it('comes in the end, however many light runs there are', async () => {
    const { order, run } = thread();
    const heavy = new Used();
    await run('heavy', heavy, 400);
    const first = run('light', new Used(), 10);
    const late = run('heavy again', heavy, 1);
    // Another light one is always there.
    let lights = Promise.resolve();
    const next = (left: number): void => {
      if (left > 0) lights = run('light', new Used(), 10).then(() => next(left - 1));
    };
    next(1_000);
    next(1_000);
    await Promise.all([first, late]);
    expect(order.indexOf('heavy again')).toBeLessThan(400);
    await lights;
  });

  it('is every second one that of whoever has waited too long, so that light runs still pass', async () => {
    const { order, run, wait } = thread();
    const heavies = Array.from({ length: 10 }, () => new Used());
    for (const used of heavies) await run('before', used, 100);
    order.length = 0;
    const all = [run('under way', new Used(), 10), ...heavies.map((used) => run('overdue', used, 10))];
    wait(5_000);
    all.push(run('light', new Used(), 10), run('light', new Used(), 10));
    await Promise.all(all);
    expect(order.slice(0, 5)).toEqual(['under way', 'overdue', 'light', 'overdue', 'light']);
  });

  it('is that of whose task began long ago, although it asked just now: a replay is many turns', async () => {
    const { order, queue, run, wait } = thread();
    const replaying = new Used();
    await run('before', replaying, 500);
    wait(4_000);
    const first = run('under way', new Used(), 1);
    const light = run('light', new Used(), 1);
    const replay = queue.take(replaying, async () => void order.push('replay'), 500);
    await Promise.all([first, light, replay]);
    expect(order).toEqual(['before', 'under way', 'replay', 'light']);
  });

  it('goes on after work that fails', async () => {
    const queue = new FairQueue();
    const failing = queue.take(new Used(), () => Promise.reject(new Error('broken')));
    const after = queue.take(new Used(), async () => 'goes on');
    await expect(failing).rejects.toThrow('broken');
    await expect(after).resolves.toBe('goes on');
  });

  it('never belongs to two at once', async () => {
    const queue = new FairQueue();
    let inside = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    const all: Promise<void>[] = [];
    for (let i = 0; i < 50; i++) {
      all.push(queue.take(new Used(), work));
      if (i % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
  });
});
