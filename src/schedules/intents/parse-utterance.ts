import type { IntentContext } from './intent-types.js';
import { parseRequest } from './parse/parse-request.js';
import { readPartial } from './parse/partial-requests.js';
import type { ParsedRequest } from './parsed-request-types.js';
import { longestUtterance, splitWords } from './split-words.js';

/** Parses an utterance; undefined if it is too long. */
export function parseUtterance(utterance: string, context: IntentContext): ParsedRequest | undefined {
  const spoken = utterance.length > longestUtterance ? undefined : splitWords(expandChannelLinks(utterance, context));
  return spoken && parseRequest(spoken.words, spoken.quotes, context);
}

/** Parses the first utterance of a conversation: one that is not a complete request may still result in a question. */
export function parseFirst(utterance: string, context: IntentContext): ParsedRequest | undefined {
  const request = parseUtterance(utterance, context);
  const partial = request?.intent === 'none' && readPartial(expandChannelLinks(utterance, context), context);
  return partial || request;
}

/** Replaces Slack's channel links, `<#C100|team>` or `<#C100>`, by channel names. */
function expandChannelLinks(utterance: string, { channels }: IntentContext): string {
  return utterance.replace(/<#(\w{1,40})(?:\|([\w-]{0,80}))?>/g, (_, id: string, name?: string) => {
    const known = channels.find(([, it]) => it === id)?.[0];
    return ` ${known ?? `#${name || id}`} `;
  });
}
