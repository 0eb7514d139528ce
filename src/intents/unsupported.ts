import { day } from '../scheduling/cadence/cadence.js';
import { list } from '../scheduling/cadence/wording.js';
import type { ClockTime } from './clock.js';
import { dayIn } from './dates.js';
import { monthNames, weekdayNames } from './days.js';
import { instantsOf, momentText, rfc, wallTime } from './local-time.js';
import { datesText, daysText, summary, timesText } from './recurrence-text.js';
import { type Recurrence, unitSeconds as seconds } from './recurrence-type.js';
import { type Settled, type Settling, zoneFor } from './settling.js';
import type { When } from './when.js';

/** A question with options for what no cadence can say; undefined when there is nothing of the kind. */
export function unsupported(when: When, at: Settling): Settled | undefined {
  const { recurrence } = when;
  const { every, nth, lastDay, beyond, weekdays, ...rest } = recurrence;
  const ask = (what: string, ...alternatives: [string, When][]): Settled =>
    at.ask({
      code: 'UNSUPPORTED_RECURRENCE',
      field: 'schedule',
      question: `${what} Which of these?`,
      choices: alternatives.map(([label, other]) => at.choice(label, other, label, true)),
      ...at.anew('recurrence', 'end', 'start'),
    });
  const on = (other: Recurrence, more: Partial<When> = {}): When => ({ ...when, ...more, recurrence: other });
  const atTime = timesText(when);
  if (nth) {
    const name = nth.weekday === 7 ? 'weekday' : weekdayNames[nth.weekday]!;
    const which = list(nth.ranks.map((rank) => ['last', '', 'first', 'second', 'third', 'fourth', 'fifth'][rank + 1]!));
    const near = nth.ranks.map((rank) => (rank < 0 ? 28 : rank * 7 - 6));
    const field = nth.weekday === 7 ? '1-5' : String(nth.weekday);
    return ask(
      `"${which[0]!.toUpperCase()}${which.slice(1)} ${name} of the month" is not expressible in 5-field cron.`,
      [`every ${name}${atTime}`, on({ weekdays: field })],
      [`${datesText(near)}${atTime}`, on({ monthDays: near })],
    );
  }
  if (lastDay)
    return ask(
      '"Last day of the month" is not expressible in 5-field cron.',
      [`the 28th${atTime}`, on({ monthDays: [28] })],
      [`the 1st${atTime}`, on({ monthDays: [1] })],
    );
  if (beyond !== undefined)
    return ask(`${beyond} are not expressible in cron.`, [
      `${daysText(weekdays!)}${atTime}`,
      on({ weekdays: weekdays!, ...rest }),
    ]);
  if (when.end) {
    const { end: _, ...endless } = when;
    return ask('A schedule has no end of its own.', [`${summary(endless, at)} until it is deleted`, endless]);
  }
  const alternating = alternation(when, at, ask, on);
  if (alternating) return alternating;
  if (every?.unit === 'month' && every.count > 1 && every.count <= 12 && rest.monthDays) {
    if (12 % every.count !== 0)
      return ask(`Every-${every.count}-months schedules are not expressible in cron.`, [
        `${datesText(rest.monthDays)} of every month${atTime}`,
        on({ monthDays: rest.monthDays }),
      ]);
    const phases = Array.from({ length: every.count }, (_, i) =>
      Array.from({ length: 12 / every.count }, (__, k) => i + 1 + k * every.count),
    );
    return ask(
      `Every-${every.count}-months schedules need their months.`,
      ...phases.map((months): [string, When] => [
        `${datesText(rest.monthDays!)} of ${list(months.map((month) => monthNames[month - 1]!))}${atTime}`,
        on({ days: `${rest.monthDays!.join(',')} ${months.join(',')} *` }),
      ]),
    );
  }
  return undefined;
}

type Ask = (what: string, ...alternatives: [string, When][]) => Settled;

/** Every other Tuesday, every third day at nine. */
function alternation(when: When, at: Settling, ask: Ask, on: (other: Recurrence) => When): Settled | undefined {
  const { every, weekdays } = when.recurrence;
  if (!every || every.count < 2 || !Number.isInteger(every.count) || (every.unit !== 'day' && every.unit !== 'week'))
    return undefined;
  if (weekdays === undefined && !when.times) return undefined;
  if (every.count * seconds[every.unit] > 31_536_000) return undefined;
  const days = every.count * (every.unit === 'week' ? 7 : 1);
  const plain =
    weekdays !== undefined
      ? on({ weekdays })
      : every.unit === 'day'
        ? on({ every: { count: 1, unit: 'day' } })
        : undefined;
  const kind = every.count === 2 ? `Every-other-${every.unit}` : `Every-${every.count}-${every.unit}s`;
  const alternatives: [string, When][] = plain
    ? [[`${plain.recurrence.weekdays === undefined ? 'every day' : daysText(weekdays!)}${timesText(when)}`, plain]]
    : [];
  const zone = zoneFor(at);
  const time = when.times?.length === 1 && !when.times[0]!.bare ? when.times[0]! : undefined;
  if (zone !== undefined && time && (weekdays === undefined || /^\d$/.test(weekdays))) {
    const anchor = nextShowing(zone, time, at.context.now, weekdays === undefined ? undefined : Number(weekdays));
    alternatives.push([
      `every ${days} days from ${momentText(zone, anchor)} (fixed interval; local time moves with DST)`,
      {
        ...when,
        fixed: { scheduleType: 'interval', schedule: { everySeconds: days * seconds.day, anchorAt: rfc(anchor) } },
      },
    ]);
  } else alternatives.push([`every ${days} days`, on({ every: { count: days * seconds.day, unit: 'second' } })]);
  return ask(`${kind} schedules are not expressible in cron.`, ...alternatives);
}

/** The next instant at which the clock shows a time, on a weekday if one is given. */
function nextShowing(zone: string, time: ClockTime, now: number, weekday?: number): number {
  for (let date = dayIn(zone, now); ; date += day) {
    if (weekday !== undefined && new Date(date).getUTCDay() !== weekday) continue;
    const found = instantsOf(zone, wallTime(date, time)).find((instant) => instant > now);
    if (found !== undefined) return found;
  }
}
