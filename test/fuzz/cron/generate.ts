import { type Transition, transitions } from '../../../src/schedules/cadence/zone-transitions.js';
import type { Random } from '../dataweave/random.js';

/** A cron expression, its zone, and a change of the zone's clock around which to compare. */
export interface CronCase {
  expression: string;
  zone: string;
  change: Transition;
}

/** Zones with every kind of change: an hour, half an hour, two; at midnight; a whole day skipped. */
const zones = [
  'America/Los_Angeles',
  'America/New_York',
  'America/Havana',
  'America/Nuuk',
  'America/Santiago',
  'America/St_Johns',
  'Europe/Berlin',
  'Europe/London',
  'Africa/Cairo',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Antarctica/Troll',
  'Pacific/Apia',
  'Pacific/Chatham',
];

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const days = 'sun mon tue wed thu fri sat'.split(' ');
const hour = 3_600_000;

interface Field {
  low: number;
  high: number;
  names?: string[];
  /** A value that the clock shows around its change, so that expressions match it. */
  near: number;
}

/** A random expression, usually one that runs around a change of its zone's clock. */
export function cronCase(random: Random): CronCase {
  const zone = random.pick(zones);
  // Samoa skipped a day in 2011; elsewhere the coming years are relevant.
  const from = zone === 'Pacific/Apia' ? Date.UTC(2010, 0, 1) : Date.UTC(2026, 5, 1);
  const change = random.pick([...transitions(zone, from, from + 5 * 365 * 24 * hour)]);
  const local = new Date(change.at + random.pick([change.before, change.after]) + (random.below(5) - 3) * hour);
  const minute = { low: 0, high: 59, near: random.pick([0, 15, 30, 45, random.below(60)]) };
  const fields: [number, Field][] = [
    [0.1, minute],
    [0.25, { low: 0, high: 23, near: local.getUTCHours() }],
    [0.6, { low: 1, high: 31, near: local.getUTCDate() }],
    [0.65, { low: 1, high: 12, names: months, near: local.getUTCMonth() + 1 }],
    [0.55, { low: 0, high: 6, names: days, near: local.getUTCDay() }],
  ];
  const expression = fields.map(([any, field]) => (random.chance(any) ? '*' : fieldText(random, field))).join(' ');
  return { expression: random.chance(0.06) ? odd(random, expression) : expression, zone, change };
}

function fieldText(random: Random, field: Field): string {
  const items = random.weighted([
    [12, 1],
    [4, 2],
    [2, 3],
  ]);
  // Other libraries reject lists with overlapping items, so only a few overlap.
  if (items === 1 || random.chance(0.1)) return Array.from({ length: items }, () => itemText(random, field)).join(',');
  const values = new Set([field.near]);
  while (values.size < items) values.add(field.low + random.below(field.high - field.low + 1));
  return [...values].map((value) => name(random, field, value)).join(',');
}

function itemText(random: Random, field: Field): string {
  const { low, high, near } = field;
  const value = random.chance(0.6) ? near : low + random.below(high - low + 1);
  const from = low + random.below(value - low + 1);
  const to = value + random.below(high - value + 1);
  const step = 1 + random.below(Math.min(12, high - low));
  const span = `${name(random, field, from)}-${name(random, field, to)}`;
  return random.weighted([
    [6, name(random, field, value)],
    [3, span],
    [2, `${span}/${step}`],
    [2, `*/${step}`],
  ]);
}

function name(random: Random, { names, low }: Field, value: number): string {
  if (!names || random.chance(0.5)) return random.chance(0.1) && names === days && value === 0 ? '7' : String(value);
  const short = names[value - low]!;
  return random.pick([short, short.toUpperCase()]);
}

/** Syntax of other schedulers that we reject or interpret differently. */
function odd(random: Random, expression: string): string {
  const fields = expression.split(' ');
  const put = (at: number, text: string) => fields.with(at, text).join(' ');
  return random.pick([
    `0 ${expression}`,
    fields.slice(1).join(' '),
    '@daily',
    put(0, '5/15'),
    put(1, '22-3'),
    put(4, 'fri-mon'),
    put(4, 'fri-sun'),
    put(4, 'monday'),
    put(4, 'mon#1'),
    put(4, '5L'),
    put(4, '8'),
    put(2, 'L'),
    put(2, '?'),
    put(2, '15W'),
    put(0, '*/90'),
    put(0, '60'),
    `${fields[0]} ${fields[1]} 31 2 *`,
    `${fields[0]} ${fields[1]} 31 4,6 *`,
  ]);
}
