import type { Frame, Question } from './frame.js';
import { type Resolved, resolve } from './resolve.js';
import type { Clarify, IntentContext, IntentResult } from './types.js';
import { understand } from './understand.js';
import { split } from './words.js';

/** What an utterance comes to, in its context: one call of a schedule function, one question, or nothing. Never throws. */
export function intentOf(utterance: string, context: IntentContext): IntentResult {
  const frame = frameOf(utterance, context);
  return frame ? resultOf(resolve(frame, context)) : { none: true, reason: 'UTTERANCE_TOO_LONG' };
}

/** What an utterance asks for; undefined when it is too long to look at. */
export function frameOf(utterance: string, context: IntentContext): Frame | undefined {
  const spoken = split(utterance);
  return spoken && understand(spoken.words, spoken.quotes, context);
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
