import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { clockChange } from '../../../src/console/ui/clock-change.js';

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Sydney', 'Pacific/Auckland', 'Pacific/Honolulu', 'UTC'];

describe('the calendar', () => {
  it.each(zones)('marks the local days of clock changes in %s', (zone) => {
    for (let at = DateTime.utc(2026, 1, 1); at.year === 2026; at = at.plus({ days: 1 })) {
      const day = at.toISODate()!;
      const local = DateTime.fromISO(day, { zone });
      const change = local.plus({ days: 1 }).offset - local.offset;
      expect([day, clockChange(zone, day)]).toEqual([day, change]);
    }
  });
});
