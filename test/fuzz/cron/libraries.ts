import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';

/** What a library finds: times in order, and whether it went no further although it should. */
export interface Found {
  times: number[];
  stuck: boolean;
}

/** A library to compare with: the times after `after` and up to `until`, as many as `most`; undefined when it refuses. */
export interface Library {
  name: 'cron-parser' | 'croner';
  find(expression: string, zone: string, after: number, until: number): Found | undefined;
}

/** As many times as a library is asked for. */
export const most = 500;

export const libraries: Library[] = [
  {
    name: 'cron-parser',
    find(expression, zone, after, until) {
      const parsed = unlessRefused(() =>
        CronExpressionParser.parse(expression, { tz: zone, currentDate: new Date(after) }),
      );
      return parsed && collected(after, until, () => parsed.next().getTime());
    },
  },
  {
    name: 'croner',
    find(expression, zone, after, until) {
      const parsed = unlessRefused(() => new Cron(expression, { timezone: zone, mode: '5-part' }));
      return parsed && collected(after, until, (last) => parsed.nextRun(new Date(last))?.getTime());
    },
  },
];

function unlessRefused<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** A library may give up with an error, or come back to times that it has named before. */
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
