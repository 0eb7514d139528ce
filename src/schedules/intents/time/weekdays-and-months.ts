/** Names of weekdays, Sunday first, as in cron. */
export const englishWeekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Names of months, January first. */
export const englishMonths =
  'January February March April May June July August September October November December'.split(' ');

/** Pattern of one weekday, long or short, singular or plural. */
export const weekdayPattern =
  "(?:(?:sun|mon|tues|wednes|thurs|fri|satur)day(?:'?s)?|(?:sun|mon|tues?|weds?|thurs?|thu|fri|sat)s?)";

/** Pattern of one month. */
export const monthPattern =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';

/** Pattern of a day of the month: `1st`, `15`, `first`. */
export const monthDayPattern = '(?:\\d{1,2}(?:st|nd|rd|th)?|first|second|third|fourth|fifth)';

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Number of a weekday, Sunday is 0; NaN if the text is not a weekday. */
export function weekdayOf(text: string): number {
  const index = englishWeekdays.findIndex((name) => text.slice(0, 3) === name.slice(0, 3).toLowerCase());
  return index < 0 ? Number.NaN : index;
}

/** Number of a month, January is 1; 0 if the text is not a month. */
export function monthOf(text: string): number {
  return englishMonths.findIndex((name) => text.slice(0, 3) === name.slice(0, 3).toLowerCase()) + 1;
}

/** Number of a day of the month; NaN if it is out of range. */
export function monthDayOf(text: string): number {
  const word = ordinals.indexOf(text);
  const value = word >= 0 ? word + 1 : Number.parseInt(text, 10);
  return value >= 1 && value <= 31 ? value : Number.NaN;
}

/** Rank within a month: 1 to 5, or -1 for the last. */
export function rankOf(text: string): number {
  return text === 'last' ? -1 : monthDayOf(text);
}
