import fc from 'fast-check';
import type { Cadence, Cron } from '../../../../../src/schedules/cadence/cadence.js';
import {
  type CadenceReading,
  readCron,
  readInterval,
} from '../../../../../src/schedules/cadence/read-cadence-fields.js';
import { transitions } from '../../../../../src/schedules/cadence/zone-transitions.js';

const day = 86_400_000;

/** The instant at which schedules in tests are created. */
export const madeAt = Date.UTC(2026, 5, 1);

/** Zones with every kind of clock change: by an hour, half an hour or two; at midnight; east, west and none. */
export const zones = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Europe/London',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Africa/Cairo',
  'America/Havana',
  'America/Santiago',
  'America/St_Johns',
  'Antarctica/Troll',
  'Atlantic/Azores',
  'America/Nuuk',
  'Asia/Beirut',
  'Pacific/Chatham',
  'Asia/Kathmandu',
  'Asia/Tokyo',
];

/** The cadence of a valid text. */
export function good(reading: CadenceReading): Cadence {
  if (!reading.cadence) throw new Error(JSON.stringify(reading.findings));
  return reading.cadence;
}

/** A valid cron. */
export function cron(expression: string, zone = 'UTC'): Cron {
  return good(readCron(expression, zone)) as Cron;
}

/** A valid interval from an RFC 3339 anchor. */
export function interval(value: string | number, anchor: string): Cadence {
  return good(readInterval(value, Date.parse(anchor)));
}

const sortedList = (low: number, high: number, maxLength: number) =>
  fc
    .uniqueArray(fc.integer({ min: low, max: high }), { minLength: 1, maxLength })
    .map((values) => values.sort((a, b) => a - b).join());

const stepped = (low: number, high: number) =>
  fc
    .tuple(fc.integer({ min: low, max: high - 1 }), fc.integer({ min: 1, max: Math.min(12, high - low) }))
    .map(([from, step]) => `${from}-${high}/${step}`);

const minuteText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('0', '30', '15', '45', '*/30', '*/15', '*/20', '0,30', '5-50/15') },
  { weight: 2, arbitrary: sortedList(0, 59, 4) },
  { weight: 1, arbitrary: fc.constantFrom('*', '*/7') },
);
const hourText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('0', '1', '2', '3', '23', '0,1', '1-3', '22-23') },
  { weight: 2, arbitrary: fc.constantFrom('*', '*/2', '1-23/2', '*/3', '*/5') },
  { weight: 2, arbitrary: fc.oneof(sortedList(0, 23, 5), stepped(0, 23)) },
);
const dayOfMonthText = fc.oneof(
  { weight: 5, arbitrary: fc.constant('*') },
  { weight: 1, arbitrary: fc.oneof(sortedList(1, 28, 5), fc.constantFrom('31', '*/2', '1,15', '8-14', '25-31')) },
);
const monthText = fc.oneof(
  { weight: 5, arbitrary: fc.constant('*') },
  { weight: 1, arbitrary: fc.constantFrom('mar,oct', 'apr,nov', '*/2', '3-11', 'sep-dec', 'jan') },
);
const dayOfWeekText = fc.oneof(
  { weight: 4, arbitrary: fc.constant('*') },
  { weight: 2, arbitrary: fc.constantFrom('sun', 'sat', 'mon-fri', 'fri-sun', '0,6', '*/2', 'thu') },
);

/** Cron expressions with a zone, mostly in the hours of clock changes. */
export const crons: fc.Arbitrary<Cron> = fc
  .tuple(minuteText, hourText, dayOfMonthText, monthText, dayOfWeekText, fc.constantFrom(...zones))
  .map(([m, h, dom, mon, dow, zone]) => readCron(`${m} ${h} ${dom} ${mon} ${dow}`, zone).cadence as Cron | undefined)
  .filter((read) => read !== undefined);

const anchors = fc.integer({ min: madeAt - 900 * day, max: madeAt + 300 * day });

/** Plain intervals of elapsed time. */
export const everys: fc.Arbitrary<Cadence> = fc
  .tuple(fc.oneof(fc.integer({ min: 10, max: 100_000 }), fc.integer({ min: 100_000, max: 31_536_000 })), anchors)
  .map(([seconds, anchor]) => good(readInterval(seconds, anchor)));

/** Durations with months and years, some also with days and hours. */
export const isos: fc.Arbitrary<Cadence> = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: 1, max: 30 }).map((months) => `P${months}M`),
      fc.constantFrom('P1M', 'P1Y', 'P2Y', 'P3M', 'P6M', 'P1Y6M', 'P1M1D', 'P2M15D', 'P1MT6H', 'P1Y1M1DT1H1M1S'),
    ),
    anchors,
    fc.option(fc.constantFrom(28, 29, 30, 31), { nil: undefined }),
  )
  .map(([text, anchor, late]) => {
    const moved = late === undefined ? anchor : Date.UTC(2024, late === 29 ? 1 : 0, late, 9, 30);
    return good(readInterval(text, moved));
  });

export const cadences: fc.Arbitrary<Cadence> = fc.oneof(
  { weight: 4, arbitrary: crons },
  { weight: 1, arbitrary: everys },
  { weight: 1, arbitrary: isos },
);

/** A period for comparisons, mostly around a change of the clock if there is a zone. */
export function windowOf(cadence: Cadence, pick: number): { after: number; until: number } {
  const spread = 4 * 365 * day;
  if (cadence.kind === 'cron') {
    const changes = [...transitions(cadence.zone, madeAt, madeAt + spread)];
    if (changes.length > 0 && pick < 0.9) {
      const { at } = changes[Math.floor((pick / 0.9) * changes.length)]!;
      return { after: at - 1.5 * day, until: at + 3 * day };
    }
    const after = madeAt + Math.floor(pick * 1000) * day;
    return { after, until: after + 60 * day };
  }
  const after = madeAt + Math.floor(pick * 1000) * day;
  return { after, until: after + (cadence.kind === 'iso' ? 3 * 365 * day : 5 * day) };
}
