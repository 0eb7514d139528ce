import type { Definition } from '../definition/definition.js';
import { stepIds } from './graphs.js';

const found = new WeakMap<Definition, readonly string[]>();

/** How expressions and texts name the URLs; in JSON, the quotes of an expression have backslashes before them. */
const mention = /\brun\s*(?:\.|\[)\s*\\*["'`]?callbacks\b/;

/** The steps whose callback URLs a journey may hand out: all of them, if it names `platform.run.callbacks` anywhere. */
export function callbackSteps(definition: Definition): readonly string[] {
  let steps = found.get(definition);
  if (steps === undefined) {
    steps = mention.test(JSON.stringify(definition)) ? [...stepIds(definition)] : [];
    found.set(definition, steps);
  }
  return steps;
}
