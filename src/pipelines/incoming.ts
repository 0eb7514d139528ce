import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { canonical, isObject, type Json, type JsonObject, own } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import type { Message, Resolution } from './message.js';

/** What people and gateways may say to a pipeline. */
export type Incoming = Extract<
  Message,
  { type: 'publish' | 'tick' | 'trigger' | 'pause' | 'resume' | 'resolve' | 'remove' }
>;

const resolutions: readonly Resolution[] = ['retry', 'did_not_happen', 'skip'];
const longestNote = 500;
const longestStamp = 16;
/** The end of time, as `Date` knows it. */
const lastInstant = 8_640_000_000_000_000;

/** How each message is written, for whoever got it wrong. */
const forms: Record<Incoming['type'], string> = {
  publish: '{"topic": "orders", "id": "o-17", "payload": {}}',
  tick: '{"producer": "poll", "slot": 1767225600000}',
  trigger: '"poll", or {"handler": "poll", "requestId": "r-1"}',
  pause: 'nothing, or a text that says why',
  resume: 'nothing',
  resolve: '{"run": "answer-0123456789abcdef0123-1", "how": "retry"}',
  remove: '{"deployer": "…"}',
};

/** Reads what came from outside as a message; refuses with PIPELINE_MESSAGE_INVALID, because the reducer trusts what it is given. */
export function readIncoming(type: string, given: unknown): Incoming {
  if (!Object.hasOwn(forms, type)) return invalid(`A pipeline does not know '${type.slice(0, 40)}'.`);
  const kind = type as Incoming['type'];
  const value = (given ?? null) as Json;
  const body: JsonObject = isObject(value) ? value : {};
  const text = (name: string): string => {
    const it = own(body, name);
    return typeof it === 'string' ? it : invalid(`${kind} needs the text "${name}".`, kind);
  };
  switch (kind) {
    case 'publish': {
      const payload = own(body, 'payload');
      if (payload === undefined) return invalid('publish needs "payload".', kind);
      const stamp = own(body, 'stamp');
      return {
        type: kind,
        topic: text('topic'),
        id: text('id'),
        payload,
        // The same event told again must have the same stamp, whoever tells it.
        stamp: typeof stamp === 'string' ? stamp.slice(0, longestStamp) : digestOf(payload),
      };
    }
    case 'tick': {
      const slot = own(body, 'slot');
      if (typeof slot !== 'number' || !Number.isSafeInteger(slot) || slot < 0 || slot > lastInstant)
        return invalid('tick needs the number "slot", a time in milliseconds.', kind);
      return { type: kind, producer: text('producer'), slot };
    }
    case 'trigger': {
      const handler = typeof value === 'string' ? value : text('handler');
      const request = own(body, 'requestId');
      return { type: kind, handler, ...(typeof request === 'string' && { requestId: request.slice(0, 255) }) };
    }
    case 'pause': {
      const note = typeof value === 'string' ? value : own(body, 'note');
      return { type: kind, ...(typeof note === 'string' && note !== '' && { note: note.slice(0, longestNote) }) };
    }
    case 'resume':
      return { type: kind };
    case 'resolve': {
      const how = resolutions.find((it) => it === own(body, 'how'));
      return how
        ? { type: kind, run: text('run'), how }
        : invalid(`resolve needs "how": ${resolutions.join(', ')}.`, kind);
    }
    case 'remove':
      return { type: kind, deployer: text('deployer') };
  }
}

function digestOf(payload: Json): string {
  return bytesToHex(sha256(utf8ToBytes(canonical(payload)))).slice(0, longestStamp);
}

function invalid(detail: string, type?: Incoming['type']): never {
  return refuse('PIPELINE_MESSAGE_INVALID', detail, type && { hint: `Send ${forms[type]}.` });
}
