import type { Frame, Question } from './frame.js';
import { type Resolved, resolve } from './resolve.js';
import type { Clarify, IntentContext, IntentResult } from './types.js';
import { understand } from './understand.js';
import { longestUtterance, split } from './words.js';

/** What an utterance comes to, in its context: one call of a schedule function, one question, or nothing. Never throws. */
export function intentOf(utterance: string, context: IntentContext): IntentResult {
  const frame = frameOf(utterance, context);
  return frame ? resultOf(resolve(frame, context)) : { none: true, reason: 'UTTERANCE_TOO_LONG' };
}

/** What an utterance asks for; undefined when it is too long to look at. */
export function frameOf(utterance: string, context: IntentContext): Frame | undefined {
  const spoken = utterance.length > longestUtterance ? undefined : split(withChannels(utterance, context));
  return spoken && understand(spoken.words, spoken.quotes, context);
}

/** Slack writes a channel as `<#C100|team>` or `<#C100>`. */
function withChannels(utterance: string, { channels }: IntentContext): string {
  return utterance.replace(/<#(\w{1,40})(?:\|([\w-]{0,80}))?>/g, (_, id: string, name?: string) => {
    const known = channels.find(([, it]) => it === id)?.[0];
    return ` ${known ?? `#${name || id}`} `;
  });
}

/** What is told to the outside. */
export function resultOf(resolved: Resolved): IntentResult {
  if (!resolved) return { none: true, reason: 'NO_SCHEDULE_INTENT' };
  return 'question' in resolved ? { clarify: clarifyOf(resolved.question) } : resolved;
}

function clarifyOf({ code, field, question, choices }: Question): Clarify {
  const options = choices?.map(({ label, value }) => ({ label, value }));
  return { code, field, question, ...(options && { options }) };
}
