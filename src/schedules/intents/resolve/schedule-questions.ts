import type { Json } from '../../../base/json/value.js';
import { readCadence } from '../../cadence/cadence-json.js';
import { describeCadence } from '../../cadence/describe-cadence.js';
import type { IntentContext } from '../intent-types.js';
import type { Choice, ParsedRequest, Question } from '../parsed-request-types.js';
import { splitWords } from '../split-words.js';
import { weekdayField, weekdaysOf } from '../time/calendar-recurrence-phrases.js';
import { amAndPm, type ClockTime, contradictsPart, inDayPart, twelveHourText } from '../time/clock-time-phrases.js';
import { emptyWhen, type FixedSchedule, type Recurrence, type When } from '../time/time-expression.js';
import { readTimePhrases } from '../time/time-phrases.js';
import { zoneExpression } from '../time/zone-phrases.js';
import { momentText } from './local-time.js';

/** A schedule, or the question that has to be answered first. */
export type ResolvedSchedule = FixedSchedule | { question: Question };

const example = 'for example America/Los_Angeles';

/** Turns a time expression into a schedule. Holds the context, and builds the questions and the requests that their answers lead to. */
export class ScheduleResolver {
  constructor(
    readonly when: When,
    readonly context: IntentContext,
    /** Zone to use if the utterance names none. */
    readonly defaultZone: string | undefined,
    /** Builds the request with another time expression. */
    readonly rebuild: (when: When) => ParsedRequest,
    private readonly resolveWith: (when: When, rebuild: (when: When) => ParsedRequest) => ResolvedSchedule,
  ) {}

  private resolve(when: When): ResolvedSchedule {
    return this.resolveWith(when, this.rebuild);
  }

  ask(question: Question): ResolvedSchedule {
    return { question };
  }

  /** Builds an option. Its value is the resulting schedule, or `otherwise` while that needs another answer. */
  choice(label: string, when: When, otherwise: Json = label, whole = false): Choice {
    const resolved = this.resolve(when);
    return { label, value: 'question' in resolved ? otherwise : valueFor(resolved, whole), next: this.rebuild(when) };
  }

  /** Resolves a nested time expression; `outer` puts an answer about it back into the whole. */
  resolveNested(inner: When, outer: (inner: When) => When): ResolvedSchedule {
    return this.resolveWith(inner, (when) => this.rebuild(outer(when)));
  }

  /** Describes the schedule in words; empty while a question is open. */
  scheduleText(when: When): { label?: string } {
    const resolved = this.resolve(when);
    if ('question' in resolved) return {};
    const { cadence } = readCadence(
      { type: resolved.scheduleType, ...resolved.schedule },
      { now: this.context.now, allowPast: true },
    );
    if (!cadence) return {};
    if (cadence.kind === 'once') {
      const zone = when.zone && 'zone' in when.zone ? when.zone.zone : (this.defaultZone ?? 'UTC');
      return { label: `once at ${momentText(zone, cadence.at)}` };
    }
    const text = describeCadence(cadence);
    if (cadence.kind === 'cron') return { label: text.replace(new RegExp(`,? ${cadence.zone}$`), '') };
    return { label: resolved.schedule.anchorAt === undefined ? text.replace(/ from .*/, '') : text };
  }

  /** Parser for free-text answers that replace these parts of the time expression, and whatever else they mention; the rest stays. */
  replacing(...replaced: (keyof When)[]): Pick<Question, 'parseAnswer'> {
    const rest: When = { ...this.when };
    for (const key of replaced) delete rest[key];
    if (replaced.includes('recurrence')) rest.recurrence = {};
    return {
      parseAnswer: (answer) => {
        const more = /^(?:and|also|plus) (?:also )?(?:on )?(.+)$/i.exec(answer.trim())?.[1];
        const also = more === undefined ? undefined : readAnswer(more, emptyWhen());
        const { weekdays } = this.when.recurrence;
        if (also && weekdays !== undefined) return this.rebuild(withMoreDays(rest, weekdays, also));
        const added = readAnswer(answer, rest);
        if (added) return this.rebuild(added);
        const said = readAnswer(answer, emptyWhen());
        return said && this.rebuild(mergeWhen(rest, said));
      },
    };
  }

  /** Parser for answers that name more times of day. */
  addingTimes(): Pick<Question, 'parseAnswer'> {
    const { times = [], ...rest } = this.when;
    return {
      parseAnswer: (answer) => {
        const said = readAnswer(answer, emptyWhen());
        const timesOnly = said?.times && !said.date && Object.keys(said.recurrence).length === 0;
        return timesOnly
          ? this.rebuild({ ...rest, ...said, recurrence: rest.recurrence, times: [...times, ...said.times!] })
          : this.replacing('times').parseAnswer!(answer);
      },
    };
  }

  /** Parser for answers that name days: they are added to the days that the recurrence has. */
  addingDays(): Pick<Question, 'parseAnswer'> {
    const { recurrence } = this.when;
    const monthly = recurrence.every?.unit === 'month' || recurrence.every?.unit === 'quarter';
    return {
      parseAnswer: (answer) => {
        const numbers = monthly ? dayNumbers(answer) : undefined;
        const said = numbers ? { recurrence: { monthDays: numbers } } : readAnswer(answer, emptyWhen());
        if (!said) return undefined;
        const { date, recurrence: days, ...others }: When = said;
        const weekdays = days.weekdays ?? (date?.kind === 'weekday' && !date.weeks ? String(date.weekday) : undefined);
        const monthDays = days.monthDays ?? (date?.kind === 'dayOfMonth' && !date.next ? [date.day] : undefined);
        const more: Recurrence | undefined =
          weekdays !== undefined && !monthly && Object.keys(days).every((key) => key === 'weekdays')
            ? { weekdays: weekdayField([...weekdaysOf(recurrence.weekdays ?? weekdays), ...weekdaysOf(weekdays)]) }
            : monthDays && recurrence.every?.unit !== 'week'
              ? { monthDays: [...new Set([...(recurrence.monthDays ?? []), ...monthDays])].sort((a, b) => a - b) }
              : undefined;
        return more
          ? this.rebuild({ ...this.when, ...others, recurrence: { ...recurrence, ...more } })
          : this.replacing('date').parseAnswer!(answer);
      },
    };
  }

  /** Resolves times of day, or asks about AM and PM; `put` builds the time expression with the answer. */
  resolveTimes(
    when: When,
    said = when.times,
    put = (times: ClockTime[]): When => ({ ...when, times }),
  ): { times: ClockTime[] } | { question: Question } {
    if (!said) {
      const zone = effectiveZone(this);
      const question = `At what time should it run${zone === undefined ? '' : ` (${zone})`}?`;
      return { question: { code: 'MISSING_TIME', field: 'schedule.time', question, ...this.replacing('times') } };
    }
    // A time that contradicts the part of the day, as in "every morning at 5pm", is as doubtful as one without AM and PM.
    const contradicts = said.some((time) => contradictsPart(time, when.part));
    const times = said.map((time) =>
      contradictsPart(time, when.part) ? { ...time, ambiguous: true as const } : inDayPart(time, when.part),
    );
    const doubtful = times.findIndex(({ ambiguous }) => ambiguous);
    if (doubtful < 0) return { times };
    const readings = amAndPm(times[doubtful]!);
    const [am, pm] = readings.map(twelveHourText) as [string, string];
    const choices = readings.map((reading) => {
      const { part, ...clear } = put(times.map((time, i) => (i === doubtful ? reading : time)));
      return this.choice(twelveHourText(reading), contradicts || part === undefined ? clear : { ...clear, part });
    });
    const parseAnswer = (answer: string) => {
      const half = /^\s*(?:in the )?(a\.?m|p\.?m|morning|afternoon|evening)\.?\s*$/i.exec(answer)?.[1]?.toLowerCase();
      if (half !== undefined) return choices[/^am|^a\.|^morning/.test(half) ? 0 : 1]!.next;
      if (said !== when.times) return undefined;
      // "on Mondays" keeps the time, whose half of the day is still open.
      const daysOnly = readAnswer(answer, emptyWhen())?.times === undefined;
      return (daysOnly ? this.replacing() : this.replacing('times', 'part')).parseAnswer!(answer);
    };
    const question = `Did you mean ${am} or ${pm}${this.zoneNote()}?`;
    return { question: { code: 'AMBIGUOUS_MERIDIEM', field: 'schedule.time', question, choices, parseAnswer } };
  }

  private zoneNote(): string {
    const { zone: said } = this.when;
    if (said && 'abbreviation' in said) return ` (${said.abbreviation})`;
    const zone = effectiveZone(this);
    return zone === undefined ? '' : ` (${zone})`;
  }

  /** Continues in the effective zone, or asks for it. `time` is the time of day shown in the question. */
  withZone<T>(time: ClockTime | undefined, then: (zone: string) => T): T | { question: Question } {
    const zone = effectiveZone(this);
    if (zone !== undefined) return then(zone);
    const { zone: said } = this.when;
    const parseAnswer = (answer: string) => {
      const found = zoneIn(answer);
      return found === undefined ? undefined : this.rebuild({ ...this.when, zone: { zone: found } });
    };
    const field = 'schedule.timezone';
    if (said && 'abbreviation' in said) {
      const choices = said.options.map(([label, id]) => ({
        label: `${label} (${id})`,
        value: id,
        next: this.rebuild({ ...this.when, zone: { zone: id } }),
      }));
      return {
        question: { code: 'AMBIGUOUS_TIMEZONE', field, question: `Which ${said.abbreviation}?`, choices, parseAnswer },
      };
    }
    const what = time ? `is ${twelveHourText(time)}` : 'should it run';
    return {
      question: { code: 'MISSING_TIMEZONE', field, question: `In which time zone ${what}? (${example})`, parseAnswer },
    };
  }
}

/** A time expression with the weekdays of an answer added: "and Wednesdays, at 8am". */
function withMoreDays(before: When, weekdays: string, { recurrence, date, ...said }: When): When {
  const more = recurrence.weekdays ?? (date?.kind === 'weekday' ? String(date.weekday) : undefined);
  const all = more === undefined ? weekdays : weekdayField([...weekdaysOf(weekdays), ...weekdaysOf(more)]);
  return { ...before, ...said, recurrence: { ...before.recurrence, ...recurrence, weekdays: all } };
}

/** A time expression with the times and weekdays of a correction added: "and at 5pm", "also on Saturdays". */
export function addWhen(before: When, said: When): When {
  const { weekdays, monthDays } = before.recurrence;
  const days = said.date !== undefined || said.delay !== undefined || Object.keys(said.recurrence).length > 0;
  // "and on Saturdays at 10am" is a second schedule.
  if (before.times && said.times && days) return { ...said, other: before };
  const dates = said.date?.kind === 'dayOfMonth' ? [said.date.day] : said.recurrence.monthDays;
  if (monthDays && dates) {
    const all = [...new Set([...monthDays, ...dates])].sort((a, b) => a - b);
    return { ...before, recurrence: { ...before.recurrence, monthDays: all } };
  }
  // So is "and July 1" after "every January 1", and "and Friday" after "tomorrow".
  const single = before.date !== undefined || before.delay !== undefined || before.fixed !== undefined;
  const second = said.date && weekdays === undefined && Object.keys(before.recurrence).length > 0;
  if (second || (single && days)) return { ...(before.times && { times: before.times }), ...said, other: before };
  const { times, ...rest } = weekdays === undefined ? mergeWhen(before, said) : withMoreDays(before, weekdays, said);
  const all = said.times && before.times ? [...before.times, ...said.times] : times;
  return { ...rest, ...(all && { times: all }) };
}

/** Merges an answer into a time expression: it replaces the days, times or zone that it mentions. */
export function mergeWhen(before: When, answer: When): When {
  const { zone } = before;
  const repeats = before.recurrence.weekdays !== undefined && answer.date?.kind === 'weekday' && !answer.date.weeks;
  const { date, ...undated } = answer;
  // After "every Saturday", "Sunday" is every Sunday, and after "the 1st of every month", "the 15th" is of every month.
  const monthly = before.recurrence.monthDays && date?.kind === 'dayOfMonth' && !date.next ? [date.day] : undefined;
  const { recurrence, ...said }: When = repeats
    ? { ...undated, recurrence: { weekdays: String((date as { weekday: number }).weekday) } }
    : monthly
      ? { ...undated, recurrence: { ...before.recurrence, monthDays: monthly } }
      : answer;
  if (said.fixed || said.cron !== undefined || said.delay !== undefined || said.other)
    return { ...(zone && { zone }), ...said, recurrence };
  const limits = Object.keys(recurrence).every((key) => key === 'months' || key === 'except');
  if (said.date === undefined && limits)
    return { ...before, ...said, recurrence: { ...before.recurrence, ...recurrence } };
  const { date: _, delay: __, cron: ___, fixed: ____, ...rest } = before;
  return { ...rest, ...said, recurrence };
}

/** Days of the month in an answer: "15", "1 and 15", "the 1st". */
function dayNumbers(answer: string): number[] | undefined {
  const words = answer
    .toLowerCase()
    .split(/[\s,&]+/)
    .filter((word) => word !== '' && !/^(?:on|the|and|day)$/.test(word));
  const days = words.map((word) => (/^\d{1,2}(?:st|nd|rd|th)?\.?$/.test(word) ? Number.parseInt(word, 10) : 0));
  return days.length > 0 && days.every((day) => day >= 1 && day <= 31) ? days : undefined;
}

/** The zone from the utterance, else the default; undefined if it has to be asked for. */
export function effectiveZone({ when: { zone }, defaultZone }: ScheduleResolver): string | undefined {
  if (zone) return 'zone' in zone ? zone.zone : undefined;
  return defaultZone;
}

/** The zone named by an answer. */
function zoneIn(answer: string): string | undefined {
  const said = zoneExpression(answer);
  return 'zone' in said ? said.zone : undefined;
}

/** Value of an option that results in this schedule. */
function valueFor({ scheduleType, schedule }: FixedSchedule, whole: boolean): Json {
  if (whole) return { scheduleType, schedule };
  return scheduleType === 'once' ? schedule.runAt! : schedule;
}

/** Parses a free-text answer about time, with or without its preposition. */
export function readAnswer(answer: string, from: When): When | undefined {
  const words = splitWords(answer)?.words ?? [];
  if (words.length === 0) return undefined;
  for (const lead of [[], ['at'], ['on'], ['every'], ['on', 'the'], ['in']]) {
    const when = readTimePhrases([...lead, ...words], from);
    if (when && when !== from) return when;
  }
  return undefined;
}
