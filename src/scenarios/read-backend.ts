import { describe, given, isBlock, list, optionalInteger, optionalOneOf } from '../document/fields.js';
import type { Place } from '../document/place.js';
import type { Reply } from '../tasks/virtual.js';
import { addDuration } from '../time/duration.js';
import type { BackendRule } from './backend.js';
import { duration, readPattern, textMap } from './read-values.js';

/** Fields of a rule and of a reply, for the reader and for the published schema. */
export const ruleFields = ['call', 'operation', 'reply', 'replies'] as const;
export const replyFields = ['status', 'headers', 'body', 'after', 'fail'] as const;

/** `backend`: what services answer. */
export function readBackend(place: Place): BackendRule[] {
  return list(place, 'FIELD_TYPE', 'backend').flatMap((rule) => readRule(rule) ?? []);
}

function readRule(place: Place): BackendRule | undefined {
  if (!place.object) {
    place.error('FIELD_TYPE', `A rule of backend is an object, not ${describe(place.value)}.`);
    return undefined;
  }
  place.only(ruleFields);
  const calls = readPattern(place);
  const single = place.at('reply');
  const several = place.at('replies');
  if ((single.value === undefined) === (several.value === undefined)) {
    place.error(
      'SCENARIO_REPLY',
      'A rule needs either reply or replies.',
      'replies are given in order, the last one again and again.',
    );
    return undefined;
  }
  const places = several.value === undefined ? [single] : list(several, 'FIELD_TYPE', 'replies');
  if (places.length === 0) several.error('SCENARIO_REPLY', 'replies needs at least one reply.');
  const replies = places.flatMap((it) => readReply(it) ?? []);
  return calls && replies.length > 0 ? { calls, replies } : undefined;
}

function readReply(place: Place): Reply | undefined {
  if (!isBlock(place, 'FIELD_TYPE', 'A reply')) {
    if (place.value === undefined || place.value === null) place.error('FIELD_TYPE', 'A reply is an object.');
    return undefined;
  }
  place.only(replyFields);
  const status = optionalInteger(place.at('status'), 'SCENARIO_REPLY', 'status', 100) ?? 200;
  if (status > 599) place.at('status').error('SCENARIO_REPLY', 'status must be an HTTP status, 100 to 599.');
  const after = duration(place.at('after'), 'after');
  const headers = textMap(place.at('headers'), 'headers');
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...given('body', place.at('body').value),
    afterMs: after ? addDuration(0, after) : 0,
    ...given('fail', optionalOneOf(place.at('fail'), ['timeout', 'network'] as const, 'SCENARIO_REPLY', 'fail')),
  };
}
