import { describe, expect, it } from 'vitest';
import { trendOf } from '../../reliability/steady/trend.js';

const samples = (value: (minute: number) => number) =>
  Array.from({ length: 60 }, (_, i) => ({ minute: i / 2, value: value(i / 2) }));

describe('the trend of a soak', () => {
  it('is the slope of the second half only', () => {
    const { level, perMinute, growth } = trendOf(samples((minute) => (minute < 15 ? minute * 100 : 200 + minute)));
    expect(perMinute).toBeCloseTo(1);
    expect(level).toBeCloseTo(222.25);
    expect(growth).toBeCloseTo(14.5 / 222.25);
  });

  it('is flat for a sawtooth, and for a level with a few peaks', () => {
    expect(Math.abs(trendOf(samples((minute) => 200 + ((minute * 2) % 4))).growth)).toBeLessThan(0.01);
    expect(trendOf(samples((minute) => (minute % 5 === 0 ? 900 : 200))).growth).toBe(0);
  });

  it('requires samples', () => {
    expect(() => trendOf(samples(() => 1).slice(0, 5))).toThrow('5 samples are too few');
  });
});
