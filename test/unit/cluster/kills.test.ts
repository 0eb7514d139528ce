import { describe, expect, it } from 'vitest';
import { killOrder, killPoints } from '../../cluster/kills.js';
import { Random } from '../../fuzz/dataweave/random.js';

describe('Rolling kills of the cluster test', () => {
  const members = ['postgresql', 'frontend', 'history', 'worker'];

  it('reach every process once before any twice, in an order determined by the seed', () => {
    const order = killOrder(members, 10, new Random(7));
    expect([...order.slice(0, 4)].sort()).toEqual([...members].sort());
    expect([...order.slice(4, 8)].sort()).toEqual([...members].sort());
    expect(order).toHaveLength(10);
    expect(killOrder(members, 10, new Random(7))).toEqual(order);
    const others = Array.from({ length: 20 }, (_, seed) => killOrder(members, 10, new Random(seed)).join());
    expect(new Set(others).size).toBeGreaterThan(1);
  });

  it('leave the load undisturbed before the first and after the last', () => {
    expect(killPoints(2_000, 4)).toEqual([300, 650, 1_000, 1_350]);
  });
});
