import type { Json } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';

/** Whether a predicate holds; a result other than true and false ends the run. */
export function isTrue(answer: Json): boolean {
  if (typeof answer !== 'boolean') {
    refuse('PREDICATE_NOT_BOOLEAN', 'A predicate returned a value other than true or false.', {
      hint: 'Compare explicitly, for example `context.flag == true`.',
    });
  }
  return answer;
}
