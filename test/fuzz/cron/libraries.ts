import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';

/** The result of a library: times in order, and whether it stopped too early. */
export interface Found {
  times: number[];
  stuck: boolean;
}

/** A library to compare with: returns the times after `after` and up to `until`, at most `most`; undefined if it rejects the expression. */
export interface Library {
  name: 'cron-parser' | 'croner';
  find(expression: string, zone: string, after: number, until: number): Found | undefined;
}

/** The number of times requested from a library. */
export const most = 500;

export const libraries: Library[] = [
  {
    name: 'cron-parser',
    find(expression, zone, after, until) {
      const parsed = undefinedIfRejected(() =>
        CronExpressionParser.parse(expression, { tz: zone, currentDate: new Date(after) }),
      );
      return parsed && collected(after, until, () => parsed.next().getTime());
    },
  },
  {
    name: 'croner',
    find(expression, zone, after, until) {
      const parsed = undefinedIfRejected(() => new Cron(expression, { timezone: zone, mode: '5-part' }));
      return parsed && collected(after, until, (last) => parsed.nextRun(new Date(last))?.getTime());
    },
  },
];

function undefinedIfRejected<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** A library may fail with an error, or return earlier times again. */
function collected(after: number, until: number, next: (last: number) => number | undefined): Found {
  const times: number[] = [];
  let last = after;
  while (times.length < most) {
    let time: number | undefined;
    try {
      time = next(last);
    } catch {
      return { times, stuck: true };
    }
    if (time === undefined || time > until) return { times, stuck: false };
    if (time <= last) return { times, stuck: true };
    times.push(time);
    last = time;
  }
  return { times, stuck: false };
}
