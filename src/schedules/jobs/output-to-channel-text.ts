import { isObject, type Json, type JsonObject } from '../../base/json/value.js';

/** The text that a channel gets for an output: its `text`, else the output itself if it is a text, else its JSON. */
export function channelText(output: Json): string {
  if (isObject(output) && typeof output.text === 'string') return output.text;
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/** The hidden metadata of that text: the `draft` that a reply continues. */
export function draftNoteOf(output: Json): JsonObject | undefined {
  return isObject(output) && isObject(output.draft) ? output.draft : undefined;
}
