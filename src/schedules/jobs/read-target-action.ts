import { escapePointer } from '../../base/json/pointer.js';
import { isObject, type Json, own } from '../../base/json/value.js';
import type { Finding } from '../../base/problems/problem.js';
import { fault } from '../cadence/read-cadence-fields.js';
import { isId, pathFindings } from './check-file-paths-and-ids.js';
import type { TargetAction } from './job-record.js';

/** A target, or findings about its description. */
export type ActionReading = { action: TargetAction; findings: [] } | { action?: never; findings: Finding[] };

/** The fields of each type: its name and its payload. */
const forms = {
  workflow_start: { id: 'workflowId', payload: 'inputs' },
  command_invoke: { id: 'functionId', payload: 'functionArgs' },
} as const;

/** Reads a target. `checkTarget` checks whether the journey or function exists. */
export function readTargetAction(value: Json | undefined, pointer: string): ActionReading {
  const findings: Finding[] = [];
  const complain = (at: string, message: string, hint: string) =>
    void findings.push(fault(`${pointer}${at}`, 'JOB_INVALID', message, hint));
  if (!isObject(value)) {
    const hint =
      'Give {type: workflow_start, workflowId, inputs?} or {type: command_invoke, functionId, functionArgs?}.';
    complain('', value === undefined ? 'The targetAction is missing' : 'The targetAction is not an object', hint);
    return { findings };
  }
  const type = own(value, 'type');
  if (type !== 'workflow_start' && type !== 'command_invoke') {
    complain('/type', 'The type of the targetAction is not known', 'Use workflow_start or command_invoke.');
    return { findings };
  }
  const form = forms[type];
  for (const key of Object.keys(value))
    if (key !== 'type' && key !== form.id && key !== form.payload) {
      const hint = `Use type, ${form.id} and ${form.payload}.`;
      complain(`/${escapePointer(key.slice(0, 80))}`, `A ${type} has no such field`, hint);
    }
  const id = own(value, form.id);
  if (typeof id === 'string' && id !== '' && !isId(id))
    findings.push(
      fault(
        `${pointer}/${form.id}`,
        'PATH_REFUSED',
        `"${form.id}" is not an id`,
        'Use letters, digits, dots and dashes.',
      ),
    );
  else if (typeof id !== 'string' || id === '')
    complain(`/${form.id}`, `"${form.id}" is missing`, 'Name it by its id.');
  const payload = own(value, form.payload);
  if (isObject(payload)) findings.push(...pathFindings(payload, `${pointer}/${form.payload}`));
  else if (payload !== undefined)
    complain(`/${form.payload}`, `"${form.payload}" is not an object`, 'Give an object, or leave it out.');
  if (findings.length > 0) return { findings };
  const action = { type, [form.id]: id, ...(payload !== undefined && { [form.payload]: payload }) };
  return { action: action as unknown as TargetAction, findings: [] };
}
