import type { Place } from '../document/place.js';
import { didYouMean } from '../document/suggest.js';
import type { Reading } from './reading.js';

/** A place that names the callback URL of a step. */
export interface CallbackMention {
  readonly place: Place;
  /** Absent where the step is only known at run time. */
  readonly step?: string | undefined;
}

/** The URLs, and the step where the text names one; both languages quote names in their own ways. */
const mention = new RegExp(
  [
    /\bplatform\s*\.\s*run\s*(?:\.\s*|\[\s*)["'`]?callbacks\b["'`]?\s*\]?/,
    /(?:\s*\.\s*(?:([A-Za-z_][\w-]*)|`([^`]+)`|"([^"]+)"|'([^']+)')|\s*\[\s*(?:"([^"]+)"|'([^']+)')\s*\])?/,
  ]
    .map(({ source }) => source)
    .join(''),
  'g',
);

/** Notes what the expression at `place` says about callback URLs. */
export function noteCallbacks(place: Place, expr: string, { callbacks }: Pick<Reading, 'callbacks'>): void {
  const at = place.has('expr') ? place.at('expr') : place;
  for (const [, ...steps] of expr.matchAll(mention)) callbacks.push({ place: at, step: steps.find(Boolean) });
}

/** The URLs are an extension of ours; and one of a step that is not there would never come. */
export function checkCallbacks({ callbacks }: Pick<Reading, 'callbacks'>, steps: ReadonlySet<string>): void {
  for (const { place, step } of callbacks) {
    if (!place.report.compat) place.error('STEP_EXTENSION', 'The language knows no callback URLs.');
    if (step !== undefined && !steps.has(step))
      place.error(
        'CALLBACK_STEP_UNKNOWN',
        `There is no step "${step}" that could be called back.`,
        didYouMean(step, steps),
      );
  }
}
