import { describe, expect, it } from 'vitest';
import { localMinute, pastText } from '../../../src/console/ui/time-texts.js';

describe('times in the console', () => {
  it('never show a past time as a future one', () => {
    const now = Date.parse('2030-01-01T12:00:00Z');
    expect(pastText('2030-01-01T12:00:01Z', now)).toBe('now');
    expect(pastText('2030-01-01T11:57:00Z', now)).toBe('3 minutes ago');
  });

  it('fill a field for local times to the minute, from any instant', () => {
    const minute = localMinute('2026-11-18T05:50:07.191Z');
    expect(minute).toMatch(/^2026-11-1[789]T\d\d:\d\d$/);
    expect(localMinute(minute)).toBe(minute);
    expect(Date.parse(minute) % 3_600_000).toBe(Date.parse('2026-11-18T05:50:00Z') % 3_600_000);
    expect(localMinute('soon')).toBe('');
  });
});
