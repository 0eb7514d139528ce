import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { canonical, isObject, type Json, type JsonObject, own } from '../base/json/value.js';
import { refuse } from '../base/problems/problem.js';
import type { Deliver, Message, Resolution } from './messages-and-effects.js';

/** Messages that people and gateways may send to a pipeline. */
export type Incoming = Extract<
  Message,
  { type: 'publish' | 'deliver' | 'tick' | 'trigger' | 'pause' | 'resume' | 'resolve' | 'remove' }
>;

const resolutions: readonly Resolution[] = ['retry', 'did_not_happen', 'skip'];
const longestNote = 500;
const longestStamp = 16;
/** The last instant of `Date`. */
const lastInstant = 8_640_000_000_000_000;

/** Forms of the messages, for hints. */
const forms: Record<Incoming['type'], string> = {
  publish: '{"topic": "orders", "id": "o-17", "payload": {}}',
  deliver: 'what a worker read from Kafka',
  tick: '{"producer": "poll", "slot": 1767225600000}',
  trigger: '"poll", or {"handler": "poll", "requestId": "r-1"}',
  pause: 'nothing, or a text that says why',
  resume: 'nothing',
  resolve: '{"run": "answer-0123456789abcdef0123-1", "how": "retry"}',
  remove: '{"deployer": "…"}',
};

/** Reads a message from outside. Refuses invalid ones with PIPELINE_MESSAGE_INVALID: the reducer trusts its messages. */
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
        // Each delivery of an event must have the same stamp.
        stamp: typeof stamp === 'string' ? stamp.slice(0, longestStamp) : digestOf(payload),
      };
    }
    case 'deliver':
      return readDelivery(body);
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

function readDelivery(body: JsonObject): Deliver {
  const counts = ['partition', 'from', 'until', 'start', 'end'].map((name) => own(body, name));
  const kafka = own(body, 'kafka') ?? null;
  const texts = [own(body, 'topic'), own(body, 'topicId'), own(kafka, 'topic'), own(kafka, 'group')];
  const events = own(body, 'events');
  const fault = own(body, 'fault');
  const isValid =
    counts.every(isOffset) &&
    texts.every((it) => typeof it === 'string') &&
    Array.isArray(events) &&
    events.every((it) => Array.isArray(it) && it.length === 2 && isOffset(it[0])) &&
    (fault === undefined || (isOffset(own(fault, 'offset')) && faultCodes.includes(own(fault, 'code') as string)));
  return isValid
    ? ({ ...body, type: 'deliver' } as unknown as Deliver)
    : invalid('The delivery is incomplete.', 'deliver');
}

const faultCodes: readonly string[] = ['EVENT_INVALID', 'EVENT_TOO_LARGE'];

function isOffset(value: Json | undefined): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function digestOf(payload: Json): string {
  return bytesToHex(sha256(utf8ToBytes(canonical(payload)))).slice(0, longestStamp);
}

function invalid(detail: string, type?: Incoming['type']): never {
  return refuse('PIPELINE_MESSAGE_INVALID', detail, type && { hint: `Send ${forms[type]}.` });
}
