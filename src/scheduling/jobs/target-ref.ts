import { escapePointer } from '../../json/pointer.js';
import { isObject, type Json, type JsonObject, own } from '../../json/value.js';
import type { Finding } from '../../problems/problem.js';
import { fault } from '../cadence/read.js';
import { isId, pathFindings } from './paths.js';
import type { TargetRef } from './record.js';

/** A place for output, or what is wrong with its description. */
export type RefReading = { ref: TargetRef; findings: [] } | { ref?: never; findings: Finding[] };

const slackFields = ['channel', 'channelProfileId', 'channelId', 'postingMode', 'threadTs'];
const postingModes = ['channel_post', 'thread_reply'];
const longest = 200;

/** Reads where output goes. The shape alone: whether a channel can be reached is for its adapter to find out. */
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
