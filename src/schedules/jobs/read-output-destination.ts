import { escapePointer } from '../../base/json/pointer.js';
import { isObject, type Json, type JsonObject, own } from '../../base/json/value.js';
import type { Finding } from '../../base/problems/problem.js';
import { fault } from '../cadence/read-cadence-fields.js';
import { isId, pathFindings } from './check-file-paths-and-ids.js';
import type { TargetRef } from './job-record.js';

/** A destination of output, or findings about its description. */
export type RefReading = { ref: TargetRef; findings: [] } | { ref?: never; findings: Finding[] };

const slackFields = ['channel', 'channelProfileId', 'channelId', 'postingMode', 'threadTs'];
const postingModes = ['channel_post', 'thread_reply'];
const longest = 200;

/** Reads the destination of output. Only its shape is checked; the channel's adapter checks whether it is reachable. */
export function readTargetRef(value: Json, pointer: string): RefReading {
  const findings: Finding[] = [];
  const complain = (at: string, message: string, hint: string) =>
    void findings.push(fault(`${pointer}${at}`, 'TARGET_REF_INVALID', message, hint));
  if (!isObject(value)) {
    complain(
      '',
      'The targetRef is not an object',
      'Give an object with channel and channelProfileId, or null for none.',
    );
    return { findings };
  }
  for (const key of ['channel', 'channelProfileId']) {
    const text = own(value, key);
    if (typeof text !== 'string' || !isId(text))
      complain(`/${key}`, `"${key}" ${text === undefined ? 'is missing' : 'is not usable'}`, 'Name it by its id.');
  }
  if (own(value, 'channel') === 'slack') slack(value, complain);
  findings.push(...pathFindings(value, pointer));
  return findings.length > 0 ? { findings } : { ref: value as TargetRef, findings: [] };
}

function slack(value: JsonObject, complain: (at: string, message: string, hint: string) => void): void {
  for (const key of Object.keys(value))
    if (!slackFields.includes(key))
      complain(
        `/${escapePointer(key.slice(0, 80))}`,
        'A slack targetRef has no such field',
        `Use ${slackFields.join(', ')}.`,
      );
  if (!isText(own(value, 'channelId')))
    complain('/channelId', '"channelId" is needed, as a text', 'Give the id of the Slack channel, like C0123456789.');
  const mode = own(value, 'postingMode');
  if (typeof mode !== 'string' || !postingModes.includes(mode))
    complain('/postingMode', '"postingMode" is needed', `Use ${postingModes.join(' or ')}.`);
  const thread = own(value, 'threadTs');
  if (mode === 'thread_reply' && !isText(thread))
    complain('/threadTs', 'A thread_reply needs "threadTs"', 'Give the timestamp of the message that is answered.');
  if (mode === 'channel_post' && thread !== undefined)
    complain('/threadTs', '"threadTs" is for thread_reply alone', 'Leave it out, or use postingMode thread_reply.');
}

function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== '' && value.length <= longest;
}
