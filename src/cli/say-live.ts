import { readFileSync } from 'node:fs';
import { safe } from '../app/terminal.js';
import { copy, isObject, type Json, type JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { type Said, sayFunctionId } from '../service/functions/say.js';
import { type AutomationParts, automationParts, printer, type Scoped, terminalCaller } from './automation.js';

/** How something is said to an orchestrator from a terminal. */
export interface LiveOptions extends Scoped {
  draft?: string;
  answer?: string;
  yes?: true;
}

/** Says it to the orchestrator itself, through the same function as HTTP and channels; nothing is changed without `--yes`. */
export async function sayLive(
  words: readonly string[],
  options: LiveOptions,
  { out, open }: Pick<AutomationParts, 'out' | 'open'> = automationParts,
): Promise<void> {
  const args: JsonObject = {
    ...(words.length > 0 && { utterance: words.join(' ') }),
    ...(options.draft !== undefined && { draft: draftIn(options.draft) }),
    ...(options.answer !== undefined && { answer: options.answer }),
    ...(options.yes && { act: true }),
    ...(options.profile !== undefined && { channelProfileId: options.profile }),
  };
  const { automation, close } = await open(options);
  try {
    const said = (await automation.functions.invoke(sayFunctionId, args, terminalCaller(automation, options))) as Said;
    printer(out)(options, said, textOf);
    process.exitCode = said.invocation ? 0 : 1;
  } finally {
    await close();
  }
}

/** The file may hold the draft alone, or everything that was printed with it. */
function draftIn(path: string): JsonObject {
  try {
    const value = copy(JSON.parse(readFileSync(path, 'utf8')) as Json);
    const draft = isObject(value) && isObject(value.draft) ? value.draft : value;
    if (isObject(draft)) return draft;
  } catch (error) {
    return refuse('INTENT_INVALID', `${path} cannot be used: ${(error as Error).message}`);
  }
  return refuse('INTENT_INVALID', `${path} holds no draft.`);
}

function textOf({ text, draft, invocation }: Said): string {
  const next = invocation
    ? 'Nothing was done yet: the same with --yes does it.'
    : 'To answer: print this with --format json into a file, then --draft <file> --answer <words>.';
  const lines = text.split('\n').map(safe).join('\n');
  return `${lines}${draft ? `\n\n${next}` : ''}`;
}
