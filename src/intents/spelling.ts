/** Words about time with the ways in which they are often misspelled. */
const misspellings: Record<string, string> = {
  'every day': 'everyday',
  every: 'evry evrey eveyr everry ervery eveery',
  day: 'dya',
  tomorrow: 'tommorow tommorrow tomorow tomorrw tmrw tmr',
  monday: 'modnay mondya mnoday moday',
  tuesday: 'tusday teusday tuesady tuseday tuesdya',
  wednesday: 'wensday wednsday wednesay wedensday wedesday wendesday',
  thursday: 'thrusday thurday thursdya thusday thurdsay',
  friday: 'firday fridya frdiay friady fryday',
  saturday: 'saterday satruday saturady saturdya',
  sunday: 'sudnay sundya sunady',
  weekday: 'wekday weekdya weekady',
  minute: 'minuet mintue miunte minuite',
  hour: 'huor hrou',
  month: 'motnh mounth',
  midnight: 'midnigth midnite',
};
const right = new Map(
  Object.entries(misspellings).flatMap(([word, wrong]) => wrong.split(' ').map((it) => [it, word] as const)),
);

/** A phrase with its misspelled words about time put right. Only what is read as a time is changed, never a text. */
export function spelledRight(phrase: string): string {
  return phrase.replace(/[a-z]{3,}/g, (word) => {
    const singular = right.get(word.replace(/s$/, ''));
    return right.get(word) ?? (singular === undefined ? word : `${singular}s`);
  });
}
