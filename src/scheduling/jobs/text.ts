import { isObject, type Json, type JsonObject } from '../../json/value.js';

/** What is said in a channel about an output: its `text`, else the output itself if it is a text, else its JSON. */
export function textOf(output: Json): string {
  if (isObject(output) && typeof output.text === 'string') return output.text;
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/** What goes along with that text, unseen: the `draft` that its answer continues. */
export function noteOf(output: Json): JsonObject | undefined {
  return isObject(output) && isObject(output.draft) ? output.draft : undefined;
}
