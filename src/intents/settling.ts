import type { Json } from '../json/value.js';
import { describe } from '../scheduling/cadence/describe.js';
import { readCadence } from '../scheduling/cadence/wire.js';
import { type ClockTime, halves, inPart, twelveHour } from './clock.js';
import type { Choice, Frame, Question } from './frame.js';
import type { IntentContext } from './types.js';
import { type FixedSchedule, nothingSaid, readWhole, type When } from './when.js';
import { split } from './words.js';
import { saidZone } from './zones.js';

/** A schedule, or the one question that is in its way. */
export type Settled = FixedSchedule | { question: Question };

const example = 'for example America/Los_Angeles';

/** What settling a time needs: what is known, what to do with answers, and how to ask. */
export class Settling {
  constructor(
    readonly when: When,
    readonly context: IntentContext,
    /** The zone when none was said. */
    readonly usualZone: string | undefined,
    /** The frame that says `when` instead. */
    readonly rebuild: (when: When) => Frame,
    private readonly settleWithin: (when: When, rebuild: (when: When) => Frame) => Settled,
  ) {}

  private settle(when: When): Settled {
    return this.settleWithin(when, this.rebuild);
  }

  ask(question: Question): Settled {
    return { question };
  }

  /** An option whose value is the schedule it leads to; `otherwise` while that still depends on something. */
  choice(label: string, when: When, otherwise: Json = label, whole = false): Choice {
    const settled = this.settle(when);
    return { label, value: 'question' in settled ? otherwise : valueFor(settled, whole), leads: this.rebuild(when) };
  }

  /** Settles something within this, whose answers lead back here. */
  within(inner: When, outer: (inner: When) => When): Settled {
    return this.settleWithin(inner, (when) => this.rebuild(outer(when)));
  }

  /** What was said, as a sentence; undefined while something is open. */
  described(when: When): { label?: string } {
    const settled = this.settle(when);
    if ('question' in settled) return {};
    const { cadence } = readCadence(
      { type: settled.scheduleType, ...settled.schedule },
      { now: this.context.now, allowPast: true },
    );
    return cadence ? { label: describe(cadence).replace(cadence.kind === 'cron' ? ` ${cadence.zone}` : '', '') } : {};
  }

  /** Answers in words replace what was said in these places. */
  anew(...replaced: (keyof When)[]): Pick<Question, 'free'> {
    const rest: When = { ...this.when };
    for (const key of replaced) delete rest[key];
    if (replaced.includes('recurrence')) rest.recurrence = {};
    return {
      free: (answer) => {
        const when =
          readAnswer(answer, rest) ??
          readAnswer(answer, this.when.zone ? { ...nothingSaid(), zone: this.when.zone } : nothingSaid());
        return when && this.rebuild(when);
      },
    };
  }

  /** Times of day without doubt, or the question about them; `put` says them instead. */
  clock(
    when: When,
    said = when.times,
    put = (times: ClockTime[]): When => ({ ...when, times }),
  ): { times: ClockTime[] } | { question: Question } {
    if (!said) {
      const zone = zoneFor(this);
      const question = `At what time should it run${zone === undefined ? '' : ` (${zone})`}?`;
      return { question: { code: 'MISSING_TIME', field: 'schedule.time', question, ...this.anew('times') } };
    }
    const times = said.map((time) => inPart(time, when.part));
    const doubtful = times.findIndex(({ bare }) => bare);
    if (doubtful < 0) return { times };
    const readings = halves(times[doubtful]!);
    const [am, pm] = readings.map(twelveHour) as [string, string];
    const choices = readings.map((reading) =>
      this.choice(twelveHour(reading), put(times.map((time, i) => (i === doubtful ? reading : time)))),
    );
    const free = (answer: string) => {
      const half = /^\s*(?:in the )?(a\.?m|p\.?m|morning|afternoon|evening)\.?\s*$/i.exec(answer)?.[1]?.toLowerCase();
      if (half !== undefined) return choices[/^am|^a\.|^morning/.test(half) ? 0 : 1]!.leads;
      return said === when.times ? this.anew('times').free!(answer) : undefined;
    };
    const question = `Did you mean ${am} or ${pm}${this.zoneNote()}?`;
    return { question: { code: 'AMBIGUOUS_MERIDIEM', field: 'schedule.time', question, choices, free } };
  }

  private zoneNote(): string {
    const { zone: said } = this.when;
    if (said && 'abbreviation' in said) return ` (${said.abbreviation})`;
    const zone = zoneFor(this);
    return zone === undefined ? '' : ` (${zone})`;
  }

  /** Goes on in the zone that counts, or asks for it. `time` is what the zone is needed for. */
  zoned<T>(time: ClockTime | undefined, then: (zone: string) => T): T | { question: Question } {
    const zone = zoneFor(this);
    if (zone !== undefined) return then(zone);
    const { zone: said } = this.when;
    const free = (answer: string) => {
      const found = zoneIn(answer);
      return found === undefined ? undefined : this.rebuild({ ...this.when, zone: { zone: found } });
    };
    const field = 'schedule.timezone';
    if (said && 'abbreviation' in said) {
      const choices = said.options.map(([label, id]) => ({
        label: `${label} (${id})`,
        value: id,
        leads: this.rebuild({ ...this.when, zone: { zone: id } }),
      }));
      return {
        question: { code: 'AMBIGUOUS_TIMEZONE', field, question: `Which ${said.abbreviation}?`, choices, free },
      };
    }
    const what = time ? `is ${twelveHour(time)}` : 'should it run';
    return {
      question: { code: 'MISSING_TIMEZONE', field, question: `In which time zone ${what}? (${example})`, free },
    };
  }
}

/** The zone that counts: the one that was said, else the usual one; undefined when it has to be asked for. */
export function zoneFor({ when: { zone }, usualZone }: Settling): string | undefined {
  if (zone) return 'zone' in zone ? zone.zone : undefined;
  return usualZone;
}

/** The zone that an answer names. */
function zoneIn(answer: string): string | undefined {
  const said = saidZone(answer);
  return 'zone' in said ? said.zone : undefined;
}

/** The value of an option that leads to this schedule. */
function valueFor({ scheduleType, schedule }: FixedSchedule, whole: boolean): Json {
  if (whole) return { scheduleType, schedule };
  return scheduleType === 'once' ? schedule.runAt! : schedule;
}

/** An answer in words about time, with the preposition that people leave out. */
function readAnswer(answer: string, from: When): When | undefined {
  const words = split(answer)?.words ?? [];
  if (words.length === 0) return undefined;
  for (const lead of [[], ['at'], ['on'], ['every'], ['on', 'the'], ['in']]) {
    const when = readWhole([...lead, ...words], from);
    if (when && when !== from) return when;
  }
  return undefined;
}
