import type { WebClient } from '@slack/web-api';
import { isObject, type Json, type JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { asked } from './client.js';

/** Where in Slack: a channel, or a thread in it. */
export interface Place {
  readonly channelId: string;
  readonly threadTs?: string;
}

/** One of our own messages. */
export interface Found {
  readonly ts: string;
  readonly executionId: string;
  readonly note?: JsonObject;
}

/** The type of the metadata that our messages carry. */
const eventType = 'journeyman_message';

/** What a message carries so that it is found again, with its note. Slack takes no deep values there. */
export function metadataOf(executionId: string, note: JsonObject | undefined) {
  return {
    event_type: eventType,
    event_payload: { execution_id: executionId, ...(note && { note: JSON.stringify(note) }) },
  };
}

/** Our message of an execution, if it was said already. */
export async function findOwn(
  client: WebClient,
  place: Place,
  wanted: { botId: string; executionId: string; since: number },
): Promise<Found | undefined> {
  for await (const found of ownMessages(client, place, wanted.botId, wanted.since)) {
    if (found.executionId === wanted.executionId) return found;
  }
  return undefined;
}

/** The last of our messages in a thread before another message. */
export async function lastOwn(
  client: WebClient,
  place: Place,
  { botId, before }: { botId: string; before: string | undefined },
): Promise<Found | undefined> {
  let last: Found | undefined;
  for await (const found of ownMessages(client, place, botId)) {
    if (before !== undefined && Number(found.ts) >= Number(before)) continue;
    if (last === undefined || Number(found.ts) > Number(last.ts)) last = found;
  }
  return last;
}

/** Messages can be long, and an answer has at most `http.responseLimit` bytes. */
const pageSize = 50;
const mostPages = 100;
/** Slack's clock is not ours. */
const skewSec = 120;

async function* ownMessages(client: WebClient, { channelId, threadTs }: Place, botId: string, since?: number) {
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const query = {
      channel: channelId,
      include_all_metadata: true,
      limit: pageSize,
      ...(since !== undefined && { oldest: String(Math.floor(since / 1000) - skewSec) }),
      ...(cursor !== undefined && { cursor }),
    };
    const answer = await asked(
      threadTs === undefined
        ? client.conversations.history(query)
        : client.conversations.replies({ ...query, ts: threadTs }),
    );
    for (const message of answer.messages ?? []) {
      const found = message.bot_id === botId ? readOwn(message) : undefined;
      if (found) yield found;
    }
    cursor = answer.response_metadata?.next_cursor || undefined;
    if (cursor === undefined) return;
  }
  refuse('CHANNEL_REFUSED', `There are more than ${pageSize * mostPages} messages to look through.`, {
    reason: 'history_too_long',
  });
}

function readOwn({ ts, metadata }: { ts?: string; metadata?: unknown }): Found | undefined {
  const { event_type, event_payload } = (metadata ?? {}) as { event_type?: unknown; event_payload?: unknown };
  if (event_type !== eventType || !isObject(event_payload)) return undefined;
  const { execution_id: executionId, note: written } = event_payload;
  if (ts === undefined || typeof executionId !== 'string') return undefined;
  const note = readNote(written);
  return { ts, executionId, ...(note && { note }) };
}

/** A note as it was written; undefined when it is none of ours. */
function readNote(written: Json | undefined): JsonObject | undefined {
  if (typeof written !== 'string') return undefined;
  try {
    const value = JSON.parse(written) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
