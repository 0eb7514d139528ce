import { describe, expect, it, vi } from 'vitest';
import { FairQueue, RecentThreadUse } from '../../../src/temporal/worker/fair-workflow-thread.js';

/** A thread with a virtual clock, whose work takes a given time. */
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
    run: (name: string, used: RecentThreadUse, ms: number) =>
      queue.take(used, async () => {
        order.push(name);
        await Promise.resolve();
        clock += ms;
      }),
  };
}

describe('FLT-5 the next turn in a worker’s thread', () => {
  it('belongs to the run that has used it least recently', async () => {
    const { order, run } = thread();
    const [heavy, other, light] = [new RecentThreadUse(), new RecentThreadUse(), new RecentThreadUse()];
    await run('heavy', heavy, 200);
    await run('other', other, 100);
    await Promise.all([
      run('under way', new RecentThreadUse(), 10),
      run('heavy', heavy, 200),
      run('other', other, 1),
      run('light', light, 1),
    ]);
    expect(order.slice(2)).toEqual(['under way', 'light', 'other', 'heavy']);
  });

  it('belongs to the first in the queue if their use is equal', async () => {
    const { order, run } = thread();
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => run(name, new RecentThreadUse(), 5)));
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });

  it('eventually belongs to a heavy run, however many light runs there are', async () => {
    const { order, run } = thread();
    const heavy = new RecentThreadUse();
    await run('heavy', heavy, 400);
    const first = run('light', new RecentThreadUse(), 10);
    const late = run('heavy again', heavy, 1);
    // There is always another light run.
    let lights = Promise.resolve();
    const next = (left: number): void => {
      if (left > 0) lights = run('light', new RecentThreadUse(), 10).then(() => next(left - 1));
    };
    next(1_000);
    next(1_000);
    await Promise.all([first, late]);
    expect(order.indexOf('heavy again')).toBeLessThan(400);
    await lights;
  });

  it('belongs to an overdue run every second time, so light runs also continue', async () => {
    const { order, run, wait } = thread();
    const heavies = Array.from({ length: 10 }, () => new RecentThreadUse());
    for (const used of heavies) await run('before', used, 100);
    order.length = 0;
    const all = [run('under way', new RecentThreadUse(), 10), ...heavies.map((used) => run('overdue', used, 10))];
    wait(5_000);
    all.push(run('light', new RecentThreadUse(), 10), run('light', new RecentThreadUse(), 10));
    await Promise.all(all);
    expect(order.slice(0, 5)).toEqual(['under way', 'overdue', 'light', 'overdue', 'light']);
  });

  it('belongs to a task that began long ago, although it has just been queued: a replay has many turns', async () => {
    const { order, queue, run, wait } = thread();
    const replaying = new RecentThreadUse();
    await run('before', replaying, 500);
    wait(4_000);
    const first = run('under way', new RecentThreadUse(), 1);
    const light = run('light', new RecentThreadUse(), 1);
    const replay = queue.take(replaying, async () => void order.push('replay'), 500);
    await Promise.all([first, light, replay]);
    expect(order).toEqual(['before', 'under way', 'replay', 'light']);
  });

  it('starts after work that failed', async () => {
    const queue = new FairQueue();
    const failing = queue.take(new RecentThreadUse(), () => Promise.reject(new Error('broken')));
    const after = queue.take(new RecentThreadUse(), async () => 'goes on');
    await expect(failing).rejects.toThrow('broken');
    await expect(after).resolves.toBe('goes on');
  });

  it('never overlaps another', async () => {
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
      all.push(queue.take(new RecentThreadUse(), work));
      if (i % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
  });
});

describe('NEW-27 a turn that does not end', () => {
  it('is reported after a minute', async () => {
    vi.useFakeTimers();
    try {
      const stuck = vi.fn();
      const queue = new FairQueue(undefined, stuck);
      await queue.take(new RecentThreadUse(), async () => undefined);
      await vi.advanceTimersByTimeAsync(120_000);
      expect(stuck).not.toHaveBeenCalled();
      void queue.take(new RecentThreadUse(), () => new Promise(() => undefined));
      await vi.advanceTimersByTimeAsync(59_000);
      expect(stuck).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1_001);
      expect(stuck).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
    }
  });
});
