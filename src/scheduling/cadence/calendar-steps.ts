import { addDuration } from '../../time/duration.js';
import { day, type Iso } from './cadence.js';

/** The k-th occurrence: always counted from the anchor, so that 31 January gives 28 February and then 31 March. */
export function step({ anchor, months, days, millis }: Iso, k: number): number {
  return addDuration(anchor, { years: 0, months: months * k, days: days * k, millis: millis * k });
}

/** The number of the first occurrence after `instant`. */
export function stepAfter(iso: Iso, instant: number): number {
  const average = (iso.months * 365.2425 * day) / 12 + iso.days * day + iso.millis;
  let k = Math.max(0, Math.floor((instant - iso.anchor) / average));
  while (k > 0 && step(iso, k - 1) > instant) k--;
  while (step(iso, k) <= instant) k++;
  return k;
}
