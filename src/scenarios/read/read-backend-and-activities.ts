import type { Place } from '../../base/document/placed-value.js';
import {
  describeType,
  ifDefined,
  isBlock,
  list,
  optionalBoolean,
  optionalInteger,
  optionalOneOf,
  text,
} from '../../base/document/read-fields.js';
import { addDuration } from '../../base/time/duration.js';
import { activityOperation } from '../../language/tasks/external/virtual-activity.js';
import { workflowOperation } from '../../language/tasks/external/virtual-workflow.js';
import type { Reply } from '../../language/tasks/task-kind.js';
import { CallPattern } from '../call-pattern.js';
import type { BackendRule } from '../scripted-backend.js';
import { readDuration, readPattern, textMap } from './durations-and-call-patterns.js';

/** Fields of a rule and of a reply, for the reader and for the published schema. */
export const ruleFields = ['call', 'operation', 'reply', 'replies'] as const;
export const replyFields = ['status', 'headers', 'body', 'after', 'fail'] as const;

/** A list of rules: how a rule names its calls, and how their replies are written. */
interface RuleForm {
  readonly name: string;
  readonly fields: readonly string[];
  pattern(rule: Place): CallPattern | undefined;
  reply(place: Place): Reply | undefined;
}

const services: RuleForm = { name: 'backend', fields: ruleFields, pattern: readPattern, reply: readReply };

/** Fields of a rule of an activity and of its reply, for the reader and for the published schema. */
export const activityRuleFields = ['activity', 'reply', 'replies'] as const;
export const activityReplyFields = ['value', 'error', 'after', 'fail'] as const;
const activityErrorFields = ['type', 'message', 'details', 'nonRetryable'] as const;

const activities: RuleForm = {
  name: 'activities',
  fields: activityRuleFields,
  pattern: (rule) => {
    const type = text(rule.at('activity'), 'FIELD_REQUIRED', 'activity');
    return type === undefined ? undefined : CallPattern.operation(activityOperation(type));
  },
  reply: (place) => readExternalReply(place, 'notStarted'),
};

/** Fields of a rule of a workflow, for the reader and for the published schema. Its replies are those of an activity. */
export const workflowRuleFields = ['workflow', 'journey', 'reply', 'replies'] as const;

const workflows: RuleForm = {
  name: 'workflows',
  fields: workflowRuleFields,
  pattern: (rule) => {
    if (rule.has('workflow') && rule.has('journey'))
      rule.at('journey').error('FIELD_TYPE', 'A rule has either workflow or journey.', undefined, 'key');
    const field = rule.has('journey') ? 'journey' : 'workflow';
    const name = text(rule.at(field), 'FIELD_REQUIRED', field);
    if (name === undefined) return undefined;
    return CallPattern.operation(workflowOperation(field === 'journey' ? { journey: name } : { workflow: name }));
  },
  reply: (place) => readExternalReply(place, 'terminated'),
};

/** Reads `backend`: replies of services. */
export function readBackend(place: Place): BackendRule[] {
  return list(place, 'FIELD_TYPE', 'backend').flatMap((rule) => readRule(rule, services) ?? []);
}

/** Reads `activities`: results of activities of other workers. */
export function readActivities(place: Place): BackendRule[] {
  return list(place, 'FIELD_TYPE', 'activities').flatMap((rule) => readRule(rule, activities) ?? []);
}

/** Reads `workflows`: results of workflows of other workers, and of other journeys. */
export function readWorkflows(place: Place): BackendRule[] {
  return list(place, 'FIELD_TYPE', 'workflows').flatMap((rule) => readRule(rule, workflows) ?? []);
}

function readRule(place: Place, { name, fields, pattern, reply }: RuleForm): BackendRule | undefined {
  if (!place.object) {
    place.error('FIELD_TYPE', `A rule of ${name} must be an object, not ${describeType(place.value)}.`);
    return undefined;
  }
  place.only(fields);
  const calls = pattern(place);
  const single = place.at('reply');
  const several = place.at('replies');
  if ((single.value === undefined) === (several.value === undefined)) {
    place.error(
      'SCENARIO_REPLY',
      'A rule needs either reply or replies.',
      'replies are sent in order; the last one is repeated.',
    );
    return undefined;
  }
  const places = several.value === undefined ? [single] : list(several, 'FIELD_TYPE', 'replies');
  if (places.length === 0) several.error('SCENARIO_REPLY', 'replies needs at least one reply.');
  const replies = places.flatMap((it) => reply(it) ?? []);
  return calls && replies.length > 0 ? { calls, replies } : undefined;
}

function isReply(place: Place, fields: readonly string[]): boolean {
  if (!isBlock(place, 'FIELD_TYPE', 'A reply')) {
    if (place.value === undefined || place.value === null) place.error('FIELD_TYPE', 'A reply must be an object.');
    return false;
  }
  place.only(fields);
  return true;
}

function readExternalReply(place: Place, otherEnd: string): Reply | undefined {
  if (!isReply(place, activityReplyFields)) return undefined;
  const error = place.at('error');
  const given = (['value', 'error', 'fail'] as const).filter((name) => place.has(name));
  if (given.length > 1)
    place
      .at(given[1]!)
      .error(
        'SCENARIO_REPLY',
        'A reply has one of value, error and fail; the value is null by default.',
        undefined,
        'key',
      );
  if (isBlock(error, 'FIELD_TYPE', 'error')) {
    error.only(activityErrorFields);
    optionalBoolean(error.at('nonRetryable'), 'FIELD_TYPE', 'error.nonRetryable');
    text(error.at('type'), 'FIELD_REQUIRED', 'error.type');
  }
  const fail = optionalOneOf(place.at('fail'), ['timeout', otherEnd] as const, 'SCENARIO_REPLY', 'fail');
  const after = readDuration(place.at('after'), 'after');
  return {
    status: error.object ? 500 : 200,
    headers: {},
    ...ifDefined('body', error.object ? error.value : place.at('value').value),
    afterMs: after ? addDuration(0, after) : 0,
    ...(fail !== undefined && { fail: fail === 'timeout' ? fail : 'network' }),
  };
}

function readReply(place: Place): Reply | undefined {
  if (!isReply(place, replyFields)) return undefined;
  const status = optionalInteger(place.at('status'), 'SCENARIO_REPLY', 'status', 100) ?? 200;
  if (status > 599) place.at('status').error('SCENARIO_REPLY', 'status must be an HTTP status, 100 to 599.');
  const after = readDuration(place.at('after'), 'after');
  const headers = textMap(place.at('headers'), 'headers');
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...ifDefined('body', place.at('body').value),
    afterMs: after ? addDuration(0, after) : 0,
    ...ifDefined('fail', optionalOneOf(place.at('fail'), ['timeout', 'network'] as const, 'SCENARIO_REPLY', 'fail')),
  };
}
