import { didYouMean } from '../../base/document/did-you-mean.js';
import type { Place } from '../../base/document/placed-value.js';
import type { StepUse } from '../../engine/steps/step-address.js';
import type { Reading } from './document-reading-state.js';

/** A place that names the callback URL of a step. */
export interface CallbackMention {
  readonly place: Place;
  /** Absent where the step is only known at run time. */
  readonly step?: string | undefined;
  /** Whether it is in an item of a map. */
  readonly inItem: boolean;
}

/** Matches `platform.run.callbacks` and the step id after it, if any, in the quoting styles of both expression languages. */
const mention = new RegExp(
  [
    /\bplatform\s*\.\s*run\s*(?:\.\s*|\[\s*)["'`]?callbacks\b["'`]?\s*\]?/,
    /(?:\s*\.\s*(?:([A-Za-z_][\w-]*)|`([^`]+)`|"([^"]+)"|'([^']+)')|\s*\[\s*(?:"([^"]+)"|'([^']+)')\s*\])?/,
  ]
    .map(({ source }) => source)
    .join(''),
  'g',
);

/** Records the callback URLs that the expression at `place` mentions. */
export function recordCallbacks(
  place: Place,
  expr: string,
  { callbacks }: Pick<Reading, 'callbacks'>,
  bindings: readonly string[],
): void {
  const inItem = bindings.includes('item');
  for (const [, ...steps] of expr.matchAll(mention)) callbacks.push({ place, step: steps.find(Boolean), inItem });
}

/** Refuses callback URLs in strict mode, where they are an extension, those of steps that do not exist, and outside of items those of items. */
export function checkCallbacks(
  { callbacks }: Pick<Reading, 'callbacks'>,
  steps: ReadonlySet<string>,
  uses: ReadonlyMap<string, StepUse>,
): void {
  for (const { place, step, inItem } of callbacks) {
    if (!place.report.compat) place.error('STEP_EXTENSION', 'The language has no callback URLs.');
    if (step !== undefined && !steps.has(step))
      place.error(
        'CALLBACK_STEP_UNKNOWN',
        `There is no step "${step}" that could be called back.`,
        didYouMean(step, steps),
      );
    else if (
      step !== undefined &&
      !inItem &&
      uses.get(step)?.alone === false &&
      place.pointer.startsWith('/spec/states/')
    )
      place.error(
        'CALLBACK_STEP_UNKNOWN',
        `"${step}" waits in the items of a map, and each item has a URL of its own.`,
        'Read it in a state of the item.',
      );
  }
}
