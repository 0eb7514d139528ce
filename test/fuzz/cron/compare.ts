import type { Cron } from '../../../src/schedules/cadence/cadence.js';
import { firstMatch, movedTo, timeMatches } from '../../../src/schedules/cadence/cron-occurrences.js';
import { countBetween, enumerate, nextAfter } from '../../../src/schedules/cadence/occurrences.js';
import { readCron } from '../../../src/schedules/cadence/read-cadence-fields.js';
import type { CronFields } from '../../../src/schedules/cadence/read-cron-fields.js';
import {
  offsetAt,
  otherInstantOfLocalTime,
  type Transition,
  transitions,
} from '../../../src/schedules/cadence/zone-transitions.js';
import type { CronCase } from './generate.js';
import { type Library, most } from './libraries.js';

const minute = 60_000;
const hour = 60 * minute;

/** The rules by which we differ from others, as named in docs/cadences.md. */
export const rules = [
  'gap',
  'overlap',
  'star day',
  'odd change',
  'sunday range',
  'overlapping list',
  'full name',
  'foreign notation',
  'number of fields',
  'step',
  'backward range',
  'impossible date',
] as const;

type Rule = (typeof rules)[number];

/** A difference, and the rule of docs/cadences.md that explains it; undefined if it is unexplained. */
export interface Difference {
  rule: Rule | undefined;
  what: string;
}

/** Every difference between us and a library for one expression, around a change of its zone's clock and far from it. */
export function differences({ expression, zone, change }: CronCase, library: Library): Difference[] {
  const { cadence, findings } = readCron(expression, zone);
  const label = `${library.name} ${expression} ${zone}`;
  if (!cadence) {
    if (!library.find(expression, zone, change.at, change.at)) return [];
    return [{ rule: refusedByUs.get(findings[0]!.code), what: `${label}: only we refuse, ${findings[0]!.code}` }];
  }
  const cron = cadence as Cron;
  const out: Difference[] = [];
  for (const { after, until } of comparedRanges(cron, change)) {
    const theirs = library.find(expression, zone, after, until);
    if (!theirs) return [{ rule: refusalRule(expression, library), what: `${label}: only they refuse` }];
    const { times, stuck } = theirs;
    const last = times.at(-1) ?? after;
    const ours = enumerate(cron, after, { until: stuck || times.length === most ? last : until });
    const [known, found] = [new Set(times), new Set(ours)];
    const add = (side: string, time: number, rule: Rule | undefined) =>
      out.push({ rule, what: `${label}: ${side} at ${new Date(time).toISOString()}` });
    const next = nextAfter(cron, last);
    if (stuck && next !== undefined && next <= until)
      add('they are stuck', last, stuckRule(cron, [last, next], library));
    for (const time of ours) if (!known.has(time)) add('only we run', time, oursOnly(cron, time, library));
    for (const time of times) if (!found.has(time)) add('only they run', time, theirsOnly(cron, time, library));
  }
  return out;
}

/** Thirty hours around the change, or four for frequent expressions; and the next eight times a year later, if they are near. */
function comparedRanges(cron: Cron, { at }: Transition): { after: number; until: number }[] {
  const wide = 30 * hour;
  const around = countBetween(cron, at - wide, at + wide) <= 150 ? wide : 4 * hour;
  const later = at + 365 * 24 * hour + 17 * minute;
  const eighth = enumerate(cron, later, { count: 8 }).at(-1) ?? later;
  const near = Math.min(eighth, later + 400 * 24 * hour);
  return [
    { after: at - around, until: at + around },
    { after: later, until: near },
  ];
}

const refusedByUs = new Map<string, Rule>([
  ['CADENCE_CRON_UNSUPPORTED', 'foreign notation'],
  ['CADENCE_CRON_FIELD_COUNT', 'number of fields'],
  ['CADENCE_CRON_STEP', 'step'],
  ['CADENCE_CRON_BACKWARDS', 'backward range'],
  ['CADENCE_CRON_NEVER', 'impossible date'],
]);

function refusalRule(expression: string, { name }: Library): Rule | undefined {
  const fields = expression.split(' ');
  if (/monday/.test(expression)) return 'full name';
  if (sundayRange.test(fields[4]!)) return 'sunday range';
  if (name === 'cron-parser' && fields.some((field) => field.includes(','))) return 'overlapping list';
  return undefined;
}

/** A range that starts or ends with Sunday. */
const sundayRange = /\b(?:sun|0|7)-|-(?:sun|0|7)/i;

function oursOnly(cron: Cron, time: number, { name }: Library): Rule | undefined {
  if (movedTo(cron, time).length > 0) return 'gap';
  if (otherInstantOfLocalTime(cron.zone, time) !== undefined) return 'overlap';
  // A difference here is their error: the clock shows a matching time, and shows it once.
  if (!timeMatches(cron.fields, time + offsetAt(cron.zone, time))) return undefined;
  return name === 'cron-parser' && changesNear(cron, time).some(isOdd) ? 'odd change' : undefined;
}

/** They never reach our next time: the change that blocks them is near it, or near the time where they stopped. */
function stuckRule(cron: Cron, around: number[], { name }: Library): Rule | undefined {
  const odd = around.some((time) => changesNear(cron, time).some(isOdd));
  return name === 'cron-parser' && odd ? 'odd change' : undefined;
}

function theirsOnly(cron: Cron, time: number, { name }: Library): Rule | undefined {
  const { fields, zone, expression } = cron;
  const local = time + offsetAt(zone, time);
  if (timeMatches(fields, local)) return otherInstantOfLocalTime(zone, time) === undefined ? undefined : 'overlap';
  const [, , ofMonth = '', , ofWeek = ''] = expression.split(' ');
  const star = (ofMonth.startsWith('*') || ofWeek.startsWith('*')) && ofMonth !== '*' && ofWeek !== '*';
  const readings = star ? [fields, { ...fields, eitherDay: true }] : [fields];
  if (readings.some((reading) => timeMatches(reading, local))) return 'star day';
  const changes = changesNear(cron, time);
  if (readings.some((reading) => changes.some((change) => isInGap(reading, change, time)))) return 'gap';
  if (name === 'croner' && sundayRange.test(ofWeek)) return 'sunday range';
  return name === 'cron-parser' && changes.some(isOdd) ? 'odd change' : undefined;
}

/** Whether a run replaces a time that the clock skipped: at the end of the gap, or shifted by the gap or by an hour. */
function isInGap(fields: CronFields, { at, before, after }: Transition, time: number): boolean {
  const gap = after - before;
  if (gap <= 0 || time < at || time >= at + gap) return false;
  const local = time + after;
  if (time === at && firstMatch(fields, at + before, at + after) !== undefined) return true;
  return [gap, hour].some((shift) => timeMatches(fields, local - shift));
}

function changesNear({ zone }: Cron, time: number): Transition[] {
  return [...transitions(zone, time - 30 * hour, time + 30 * hour)];
}

/** The clock is not at a whole hour before or after it, or it happens at midnight. */
function isOdd({ at, before, after }: Transition): boolean {
  return [before, after].some((offset) => offset % hour !== 0 || (at + offset) % (24 * hour) === 0);
}
