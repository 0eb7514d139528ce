import { describe, expect, it } from 'vitest';
import { localMinute, pastText, timeInZones } from '../../../src/console/ui/time-texts.js';

describe('times in the console', () => {
  it('never show a past time as a future one', () => {
    const now = Date.parse('2030-01-01T12:00:00Z');
    expect(pastText('2030-01-01T12:00:01Z', now)).toBe('now');
    expect(pastText('2030-01-01T11:57:00Z', now)).toBe('3 minutes ago');
  });

  it('have their date in the zone of the schedule and in that of the reader', () => {
    const at = '2026-12-07T08:00:00Z';
    expect(timeInZones(at, 'UTC', 'UTC')).toBe('Mon, 7 Dec 2026, 08:00 UTC');
    expect(timeInZones(at, 'Europe/Berlin', 'UTC')).toBe('Mon, 7 Dec 2026, 09:00 Europe/Berlin (08:00 UTC)');
    expect(timeInZones('2026-12-07T23:30:10Z', 'Europe/Berlin', 'UTC')).toBe(
      'Tue, 8 Dec 2026, 00:30:10 Europe/Berlin (Mon, 7 Dec 2026, 23:30:10 UTC)',
    );
  });

  it('fill a field for local times to the minute, from any instant', () => {
    const minute = localMinute('2026-11-18T05:50:07.191Z');
    expect(minute).toMatch(/^2026-11-1[789]T\d\d:\d\d$/);
    expect(localMinute(minute)).toBe(minute);
    expect(Date.parse(minute) % 3_600_000).toBe(Date.parse('2026-11-18T05:50:00Z') % 3_600_000);
    expect(localMinute('soon')).toBe('');
  });
});
