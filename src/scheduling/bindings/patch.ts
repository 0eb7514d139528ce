import { escapePointer } from '../../json/pointer.js';
import { type JsonObject, own } from '../../json/value.js';
import { type Finding, refuse } from '../../problems/problem.js';
import { formatInstant } from '../../time/duration.js';
import { fault, readInstant, readInterval } from '../cadence/read.js';

/** What can be changed in an existing binding: when it runs, and how often in all. */
export interface BindingPatch {
  startAt?: string;
  interval?: string;
  maxRuns?: number;
}

const known = ['startAt', 'interval', 'maxRuns'];

/** Reads a change from outside; refuses with SCHEDULE_INVALID and every finding. */
export function readPatch(body: JsonObject, minIntervalSec: number): BindingPatch {
  const findings: Finding[] = [];
  const patch: BindingPatch = {};
  for (const key of Object.keys(body))
    if (!known.includes(key))
      findings.push(
        fault(
          `/${escapePointer(key.slice(0, 80))}`,
          'SCHEDULE_INVALID',
          `"${key.slice(0, 80)}" cannot be changed`,
          `Use ${known.join(', ')}.`,
        ),
      );
  const startAt = own(body, 'startAt');
  if (typeof startAt === 'string') {
    const read = readInstant(startAt, '/startAt');
    findings.push(...read.findings);
    if (read.instant !== undefined) patch.startAt = formatInstant(read.instant);
  } else if (startAt !== undefined) {
    findings.push(fault('/startAt', 'SCHEDULE_INVALID', '"startAt" is not a text', 'Give an RFC 3339 timestamp.'));
  }
  const interval = own(body, 'interval');
  if (typeof interval === 'string' && interval.startsWith('P')) {
    const bounds = { shortest: minIntervalSec * 1000 };
    findings.push(...readInterval(interval, 0, { pointer: '/interval', bounds }).findings);
    patch.interval = interval;
  } else if (interval !== undefined) {
    const hint = 'Give one like P1D or P1M.';
    findings.push(fault('/interval', 'SCHEDULE_INVALID', '"interval" is not an ISO-8601 duration', hint));
  }
  const maxRuns = own(body, 'maxRuns');
  if (typeof maxRuns === 'number' && Number.isSafeInteger(maxRuns) && maxRuns >= 1) patch.maxRuns = maxRuns;
  else if (maxRuns !== undefined)
    findings.push(
      fault('/maxRuns', 'SCHEDULE_INVALID', '"maxRuns" must be a whole number, at least 1', 'Delete it to end it.'),
    );
  if (findings.length === 0 && Object.keys(patch).length === 0)
    findings.push(fault('', 'SCHEDULE_INVALID', 'Nothing is to be changed', `Give ${known.join(', ')} or several.`));
  if (findings.length > 0)
    refuse('SCHEDULE_INVALID', `${findings[0]!.message}.`, { pointer: findings[0]!.pointer, errors: findings });
  return patch;
}
