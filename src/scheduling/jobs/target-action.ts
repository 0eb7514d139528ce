import { escapePointer } from '../../json/pointer.js';
import { isObject, type Json, own } from '../../json/value.js';
import type { Finding } from '../../problems/problem.js';
import { fault } from '../cadence/read.js';
import { isId, pathFindings } from './paths.js';
import type { TargetAction } from './record.js';

/** A target, or what is wrong with its description. */
export type ActionReading = { action: TargetAction; findings: [] } | { action?: never; findings: Finding[] };

/** What each type is called by, and what it is given. */
const forms = {
  workflow_start: { id: 'workflowId', payload: 'inputs' },
  command_invoke: { id: 'functionId', payload: 'functionArgs' },
} as const;

/** Reads what is to run. Whether there is such a journey or function is for `checkTarget` to say. */
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
