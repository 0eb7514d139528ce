import { describe, expect, it } from 'vitest';
import { FairQueue, Used } from '../../../src/temporal/fair-thread.js';

/** A thread whose work takes as long as it says, by a clock of its own. */
function thread() {
  let clock = 0;
  const queue = new FairQueue(() => clock);
  const order: string[] = [];
  return {
    order,
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
