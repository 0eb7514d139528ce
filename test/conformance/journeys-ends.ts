import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { internalError } from '../../src/engine/outcome.js';
import { hasKafka } from '../support/services.js';
import { expectedRefusals } from './journeys-load-expected.js';
import { type Section, shared, type Tally } from './section.js';

/** The expected outcomes of some public journeys; every other valid one succeeds on at least one path. */
const failures: Readonly<Record<string, string>> = {
  'email-verification': 'INVALID_VERIFICATION_CODE',
  'http-compensation': 'ORDER_FAILED',
  'http-custom-error-envelope': 'https://example.com/probs/order-error',
  'http-failure-branch': 'DOWNSTREAM_ERROR',
  // Errors in their own logic: an expression on null, and a placeholder for a missing value.
  'transform-pipeline': internalError,
  'cache-user-profile': 'INTERPOLATION_MISSING',
};

/** Waits for the morning at night. */
const keepsHours = 'business-hours-payment-authorization';
/** Only publishes. */
const needsKafka = 'event-publish-kafka';

/** The outcomes of runs of each public journey over HTTP on a real server, in the earlier sections. */
const seen = new Map<string, Set<string>>();

/** Records the outcome of a run: `SUCCEEDED`, its error code, or `REFUSED`. */
export function noteEnd(journey: string, end: string): void {
  seen.set(journey, (seen.get(journey) ?? new Set()).add(end));
}

/** Every public journey by name: whether it had its expected outcome over HTTP on a real server. */
async function account(): Promise<Tally> {
  const tally: Tally = { passed: 0, failures: [], remarks: [], unsupported: new Map() };
  const files = await readdir(new URL('corpus/journeys/', shared));
  for (const file of files.sort()) {
    const name = file.replace(/\.journey\.ya?ml$/, '');
    const expected = expectedRefusals.has(name) ? 'REFUSED' : (failures[name] ?? 'SUCCEEDED');
    const ends = [...(seen.get(name) ?? [])].sort();
    if (ends.length === 0 && name === needsKafka && !hasKafka)
      tally.unsupported?.set(`${name}: no broker is available`, 1);
    else if (ends.includes(expected) || (name === keepsHours && ends.includes('RUNNING'))) {
      tally.passed++;
      tally.remarks?.push(`${name}: ${ends.join(', ')}`);
    } else tally.failures.push({ id: name, line: `must end as ${expected}, ended as ${ends.join(', ') || 'nothing'}` });
  }
  return tally;
}

export const journeyEndSections: Section[] = [
  {
    name: 'journeys: outcomes over HTTP on a real server',
    run: async () => {
      if (!existsSync(new URL('corpus/journeys/', shared)))
        return { skipped: 'the shared corpus is not here (../shared/corpus/journeys)' };
      return seen.size === 0 ? { skipped: 'no journey was run on a real server' } : await account();
    },
  },
];
