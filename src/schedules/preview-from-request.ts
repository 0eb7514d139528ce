import { escapePointer } from '../base/json/pointer.js';
import { type Json, type JsonObject, own } from '../base/json/value.js';
import { type Finding, refuse } from '../base/problems/problem.js';
import { zoneFault } from '../base/time/zones.js';
import { cadenceJson, readCadence } from './cadence/cadence-json.js';
import { describeCadence } from './cadence/describe-cadence.js';
import { fault, type InstantReading, readInstant } from './cadence/read-cadence-fields.js';
import { type PreviewedRun, preview } from './preview-cadence-runs.js';

const mostRuns = 100;
const known = ['cadence', 'count', 'from', 'timezone'];

/** Previews the coming runs of a cadence: `{cadence, count?, from?, timezone?}`. Contacts no server and creates nothing. */
export function previewOf(
  body: JsonObject,
  now: number,
): { cadence: string; schedule: JsonObject; runs: PreviewedRun[] } {
  const findings: Finding[] = [];
  for (const key of Object.keys(body)) if (!known.includes(key)) findings.push(unknown(key.slice(0, 80)));
  const count = own(body, 'count') ?? 10;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > mostRuns)
    findings.push(fault('/count', 'SCHEDULE_INVALID', '"count" is not usable', `Give a number from 1 to ${mostRuns}.`));
  const zone = own(body, 'timezone') ?? 'UTC';
  const wrong =
    typeof zone === 'string' ? zoneFault(zone) : { message: '"timezone" is not a text', hint: 'Name an IANA zone.' };
  if (wrong) findings.push(fault('/timezone', 'CADENCE_ZONE_UNKNOWN', wrong.message, wrong.hint));
  const start = startOf(own(body, 'from'), now);
  findings.push(...start.findings);
  const read = readCadence(own(body, 'cadence'), { now: start.instant ?? now, pointer: '/cadence' });
  findings.push(...read.findings);
  if (findings.length > 0)
    refuse('SCHEDULE_INVALID', `${findings[0]!.message}.`, { pointer: findings[0]!.pointer, errors: findings });
  const cadence = read.cadence!;
  const after = (start.instant ?? now) - 1;
  return {
    cadence: describeCadence(cadence),
    schedule: cadenceJson(cadence),
    runs: preview(cadence, after, count as number, zone as string),
  };
}

function startOf(from: Json | undefined, now: number): InstantReading {
  if (from === undefined) return { instant: now, findings: [] };
  if (typeof from === 'string') return readInstant(from, '/from');
  const hint = 'Give an RFC 3339 timestamp, like 2027-01-31T09:00:00Z.';
  return { findings: [fault('/from', 'SCHEDULE_INVALID', '"from" is not a text', hint)] };
}

function unknown(key: string): Finding {
  return fault(`/${escapePointer(key)}`, 'SCHEDULE_INVALID', `"${key}" is not known`, `Use ${known.join(', ')}.`);
}
