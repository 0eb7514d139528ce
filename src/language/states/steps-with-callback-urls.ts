import type { Definition } from '../../engine/definition/definition.js';
import { itemsKey } from '../../engine/steps/item-callback-urls.js';
import { stepUses } from './graph-traversal.js';

const found = new WeakMap<Definition, readonly string[]>();

/** Matches a mention of `run.callbacks` in the JSON of a definition, in which the quotes of an expression are escaped. */
const mention = /\brun\s*(?:\.|\[)\s*\\*["'`]?callbacks\b/;

/** The steps whose callback URLs a journey may hand out, as keys of `callbacks`: all steps, if it names `platform.run.callbacks` anywhere. */
export function callbackSteps(definition: Definition): readonly string[] {
  let steps = found.get(definition);
  if (steps === undefined) {
    steps = mention.test(JSON.stringify(definition))
      ? [...stepUses(definition)].flatMap(([id, use]) => [
          ...(use.alone ? [id] : []),
          ...(use.inItems ? [itemsKey(id)] : []),
        ])
      : [];
    found.set(definition, steps);
  }
  return steps;
}
