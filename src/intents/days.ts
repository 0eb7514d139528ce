/** Names of weekdays, Sunday first, as cron counts them. */
export const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Names of months, January first. */
export const monthNames = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** A pattern for one weekday, long or short, singular or plural. */
export const weekdayPattern =
  "(?:(?:sun|mon|tues|wednes|thurs|fri|satur)day(?:'?s)?|(?:sun|mon|tues?|weds?|thurs?|thu|fri|sat)s?)";

/** A pattern for one month. */
export const monthPattern =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';

/** A pattern for a day of a month: `1st`, `15`, `first`. */
export const monthDayPattern = '(?:\\d{1,2}(?:st|nd|rd|th)?|first|second|third|fourth|fifth)';

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];

/** The number of a weekday, Sunday being 0; NaN if the text is not one. */
export function weekdayOf(text: string): number {
  const index = weekdayNames.findIndex((name) => text.slice(0, 3) === name.slice(0, 3).toLowerCase());
  return index < 0 ? Number.NaN : index;
}

/** The number of a month from 1 on. */
export function monthOf(text: string): number {
  return monthNames.findIndex((name) => text.slice(0, 3) === name.slice(0, 3).toLowerCase()) + 1;
}

/** The day that `1st`, `15` or `first` names; NaN if no month has it. */
export function monthDayOf(text: string): number {
  const word = ordinals.indexOf(text);
  const value = word >= 0 ? word + 1 : Number.parseInt(text, 10);
  return value >= 1 && value <= 31 ? value : Number.NaN;
}

/** Which one in a month: 1 to 5, or -1 for the last. */
export function rankOf(text: string): number {
  return text === 'last' ? -1 : monthDayOf(text);
}
