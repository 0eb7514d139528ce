import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { jsonText, type Output, safe } from '../app/terminal.js';
import { answerDraft, type Draft, type Said, say } from '../intents/answer.js';
import { readContext } from '../intents/context.js';
import { intentOf } from '../intents/intent.js';
import { readBack } from '../intents/read-back.js';
import type { IntentContext } from '../intents/types.js';
import { isObject, type Json } from '../json/value.js';
import { ProblemError, refuse } from '../problems/problem.js';
import { type AutomationParts, automationParts, scopedCommand } from './automation.js';
import { type LiveOptions, sayLive } from './say-live.js';
import { previewText } from './schedule-text.js';

interface Options extends LiveOptions {
  context?: string;
  jsonl?: true;
  format: 'text' | 'json';
}

const examples = `
The command prints the call of a schedule function that the words come to, with its next three runs, or the question that is open. With --yes
the call is made. It talks to the Temporal service itself, like \`job\`.

With --context nothing is sent anywhere. The file says what can be spoken about: {now, timezone, orchestratorId, channelProfileId,
conversation, channels, workflows, functions, jobs}; without "now" it is this moment.

Examples:
  $ journeyman schedule say 'run hello every Friday at 9am Rome time' --yes
  $ journeyman schedule say 'post hello in #team every Friday at 9am' --profile slack_main
  $ journeyman schedule say 'post hello in #team every Friday at 9am' --context context.json
  $ journeyman schedule say --draft draft.json --answer '5:00 PM' --context context.json
  $ journeyman schedule say --jsonl < requests.jsonl

With --jsonl each line {id, utterance, context} is answered by one line {id, …}, in order.
Exit codes: 0 a call; 1 a question, nothing, or a request that cannot be used.`;

/** `journeyman schedule say`: what words about a schedule come to. */
export function sayCommand(
  out: Output,
  lines: () => AsyncIterable<string> = standardInput,
  open: AutomationParts['open'] = automationParts.open,
): Command {
  return scopedCommand('say', 'Say in plain English what should run when; print what it comes to.')
    .argument('[words...]', 'what to schedule, list, change, pause, resume, delete or run')
    .option('--context <file>', 'JSON file that says what can be spoken about')
    .option('--jsonl', 'read one request {id, utterance, context} per line, answer one line each')
    .option('--draft <file>', 'JSON file with the draft of a question, to go on with it')
    .option('--answer <text>', 'the answer to that question: the label or value of an option, or words')
    .option('--yes', 'do what it comes to')
    .addHelpText('after', examples)
    .action(async (words: string[], options: Options, self: Command) => {
      if (options.jsonl) {
        for await (const line of answered(lines())) {
          if (out.write(`${line}\n`) === false && out === process.stdout)
            await new Promise((resolve) => process.stdout.once('drain', resolve));
        }
        return;
      }
      if (words.length === 0 && options.draft === undefined) self.error('error: say something, or go on with --draft');
      if (options.context === undefined) return await sayLive(words, options, { out, open });
      if (options.yes) self.error('error: --yes is not for --context, which does nothing');
      const context = contextFrom(options.context);
      const said =
        options.draft === undefined
          ? say(words.join(' '), context)
          : answerDraft(jsonFile(options.draft), answerOf(options.answer), context);
      out.write(`${options.format === 'json' ? jsonText(said, 2) : saidText(said, context)}\n`);
      process.exitCode = 'functionId' in said.result ? 0 : 1;
    });
}

function standardInput(): AsyncIterable<string> {
  return createInterface({ input: process.stdin });
}

async function* answered(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) if (line.trim() !== '') yield answerLine(line);
}

/** One line out for one line in, whatever it holds. */
export function answerLine(line: string): string {
  let id: Json = null;
  try {
    const request = JSON.parse(line) as Json;
    if (!isObject(request)) throw new Error('a request is a JSON object');
    id = request.id ?? null;
    if (typeof request.utterance !== 'string') throw new Error('utterance must be a text');
    return JSON.stringify({ id, ...intentOf(request.utterance, readContext(request.context)) });
  } catch (error) {
    const code = error instanceof ProblemError ? { code: error.problem.code } : {};
    return JSON.stringify({ id, error: (error as Error).message, ...code });
  }
}

function jsonFile(path: string): Json {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Json;
  } catch (error) {
    return refuse('INTENT_INVALID', `${path} cannot be used: ${(error as Error).message}`);
  }
}

/** The context of a file; the moment of the call where it names none. */
function contextFrom(path: string): IntentContext {
  const value = jsonFile(path);
  const now = isObject(value) && value.now === undefined ? { now: new Date().toISOString() } : {};
  return readContext(isObject(value) ? { ...value, ...now } : value);
}

/** An answer as JSON where it is an object, as an option's value may be; else as words. */
function answerOf(text = ''): Json {
  if (!text.trim().startsWith('{')) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** What came of it, for people. */
function saidText({ result, draft }: Said, context: IntentContext): string {
  if ('none' in result) return `Nothing to do with schedules (${result.reason}).`;
  if ('clarify' in result) return questionText(result.clarify, draft);
  const { cadence, next, notices } = readBack(result, context)!;
  const call = `${safe(result.functionId)} ${jsonText(result.functionArgs, 2)}`;
  const times = cadence === undefined ? '' : `\n\n${previewText({ cadence, runs: next ?? [] })}`;
  return `${call}${times}${notices.map((notice) => `\n\n${remarks[notice]}`).join('')}`;
}

const remarks = { JOB_IS_PAUSED_STAYS_PAUSED: 'The job is paused and stays paused.' };

function questionText(
  { code, question, options = [] }: Extract<Said['result'], { clarify: unknown }>['clarify'],
  draft: Draft | undefined,
): string {
  const choices = options.map(({ label, value }) => `\n  ${safe(label)}  ${jsonText(value)}`).join('');
  return `${safe(question)} (${code})${choices}${draft ? `\n\nTo answer, keep this as the draft:\n${jsonText(draft)}` : ''}`;
}
