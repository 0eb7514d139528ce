import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { type Output, safe, safeJson } from '../../app/safe-terminal-text.js';
import { copy, isObject, type Json, type JsonObject } from '../../base/json/value.js';
import { ProblemError, refuse } from '../../base/problems/problem.js';
import {
  answerDraft,
  type ConversationReply,
  type Draft,
  intentOf,
  say,
} from '../../schedules/intents/conversation.js';
import type { IntentContext } from '../../schedules/intents/intent-types.js';
import { readContext } from '../../schedules/intents/read-intent-context.js';
import { remarks, summarizeCall } from '../../schedules/intents/summarize-call.js';
import { type SayResult, sayFunctionId } from '../../service/functions/plain-english-function.js';
import {
  type AutomationDeps,
  automationDeps,
  printer,
  type Scoped,
  scopedCommand,
  terminalCaller,
} from '../job/orchestrator-command-helpers.js';
import { type Questions, terminalQuestions } from '../run/ask-for-body.js';
import { previewText } from './schedule-text.js';

interface Options extends SayOptions {
  context?: string;
  jsonl?: true;
  format: 'text' | 'json';
}

const examples = `
The command prints the resulting call of a schedule function with its next three runs, or a question that needs an answer. With --yes
the call is made. On a terminal, the command reads the answer, and whether to make the call; an empty line ends it. It connects to
Temporal directly, like \`job\`.

With --context nothing is sent. The file describes the known objects: {now, timezone, orchestratorId, channelProfileId,
conversation, channels, workflows, functions, jobs}; "now" defaults to the current time.

Examples:
  $ journeyman schedule say 'run hello every Friday at 9am Rome time' --yes
  $ journeyman schedule say 'post hello in #team every Friday at 9am' --profile slack_main
  $ journeyman schedule say 'post hello in #team every Friday at 9am' --context context.json
  $ journeyman schedule say --draft draft.json --answer '5:00 PM' --context context.json
  $ journeyman schedule say --jsonl < requests.jsonl

With --jsonl, each line {id, utterance, context} is answered by one line {id, …}, in order.
Exit codes: 0 a call; 1 a question, no result, or an invalid request.`;

/** `journeyman schedule say`: turns a request in plain English into a call. */
export function sayCommand(
  out: Output,
  lines: () => AsyncIterable<string> = standardInput,
  open: AutomationDeps['open'] = automationDeps.open,
  questions: Questions = terminalQuestions,
): Command {
  return scopedCommand('say', 'Describe a schedule in plain English and print the resulting call.')
    .argument('[words...]', 'what to schedule, list, update, pause, resume, delete or run')
    .option('--context <file>', 'JSON file with the context, for offline use')
    .option('--jsonl', 'read one request {id, utterance, context} per line, answer one line each')
    .option('--draft <file>', 'JSON file with the draft of an open question')
    .option('--answer <text>', 'the answer to that question: the number, label or value of an option, or text')
    .option('--yes', 'make the call')
    .addHelpText('after', examples)
    .action(async (words: string[], options: Options, self: Command) => {
      if (options.jsonl) {
        for await (const line of answered(lines())) {
          if (out.write(`${line}\n`) === false && out === process.stdout)
            await new Promise((resolve) => process.stdout.once('drain', resolve));
        }
        return;
      }
      if (words.length === 0 && options.draft === undefined) self.error('error: specify a request or --draft');
      if (options.context === undefined) return await sayLive(words, options, { out, open }, questions);
      if (options.yes) self.error('error: --yes cannot be used with --context');
      const context = contextFrom(options.context);
      let said =
        options.draft === undefined
          ? say(words.join(' '), context)
          : answerDraft(jsonFile(options.draft), answerOf(options.answer), context);
      while ('clarify' in said.result && options.format === 'text' && questions.canAsk) {
        const answer = await questions.ask(`${questionText(said.result.clarify, undefined)}\n> `);
        if (answer.trim() === '') break;
        said = answerDraft(said.draft as unknown as Json, answerOf(answer), context);
      }
      out.write(`${options.format === 'json' ? safeJson(said, 2) : saidText(said, context)}\n`);
      process.exitCode = 'functionId' in said.result ? 0 : 1;
    });
}

function standardInput(): AsyncIterable<string> {
  return createInterface({ input: process.stdin });
}

async function* answered(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) if (line.trim() !== '') yield answerLine(line);
}

/** Answers one line of input with one line of output, including invalid input. */
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

/** Reads the context from a file; `now` defaults to the current time. */
function contextFrom(path: string): IntentContext {
  const value = jsonFile(path);
  const now = isObject(value) && value.now === undefined ? { now: new Date().toISOString() } : {};
  return readContext(isObject(value) ? { ...value, ...now } : value);
}

/** Parses an answer as JSON if it is an object, as values of options may be; else as text. */
function answerOf(text = ''): Json {
  if (!text.trim().startsWith('{')) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The result as text. */
function saidText({ result, draft }: ConversationReply, context: IntentContext): string {
  if ('none' in result) return `Not a request about schedules (${result.reason}).`;
  if ('clarify' in result) return questionText(result.clarify, draft);
  const { cadence, next, notices } = summarizeCall(result, context)!;
  const call = `${safe(result.functionId)} ${safeJson(result.functionArgs, 2)}`;
  const times = cadence === undefined ? '' : `\n\n${previewText({ cadence, runs: next ?? [] })}`;
  return `${call}${times}${notices.map((notice) => `\n\n${remarks[notice]}`).join('')}`;
}

function questionText(
  { code, question, options = [] }: Extract<ConversationReply['result'], { clarify: unknown }>['clarify'],
  draft: Draft | undefined,
): string {
  const choices = options.map(({ label, value }, i) => `\n  ${i + 1}. ${safe(label)}  ${safeJson(value)}`).join('');
  return `${safe(question)} (${code})${choices}${draft ? `\n\nTo answer, save this as the draft:\n${safeJson(draft)}` : ''}`;
}

/** Options of `schedule say`. */
interface SayOptions extends Scoped {
  draft?: string;
  answer?: string;
  yes?: true;
}

/** Sends the request to the orchestrator, through the same function as HTTP and channels; without `--yes` nothing changes. */
async function sayLive(
  words: readonly string[],
  options: SayOptions,
  { out, open }: Pick<AutomationDeps, 'out' | 'open'>,
  questions: Questions,
): Promise<void> {
  const settings: JsonObject = {
    ...(options.yes && { act: true }),
    ...(options.profile !== undefined && { channelProfileId: options.profile }),
  };
  const args: JsonObject = {
    ...settings,
    ...(words.length > 0 && { utterance: words.join(' ') }),
    ...(options.draft !== undefined && { draft: draftIn(options.draft) }),
    ...(options.answer !== undefined && { answer: options.answer }),
  };
  const { automation, close } = await open(options);
  try {
    const invoke = async (given: JsonObject) =>
      (await automation.functions.invoke(sayFunctionId, given, terminalCaller(automation, options))) as SayResult;
    let said = await invoke(args);
    while (said.draft && options.format === 'text' && questions.canAsk) {
      const answer = await questions.ask(`${linesOf(said)}\n> `);
      if (answer.trim() === '') break;
      said = await invoke({ ...settings, draft: said.draft, answer });
    }
    printer(out)(options, said, textOf);
    process.exitCode = said.invocation ? 0 : 1;
  } finally {
    await close();
  }
}

/** Reads a draft from a file: the draft alone, or the whole printed result. */
function draftIn(path: string): JsonObject {
  try {
    const value = copy(JSON.parse(readFileSync(path, 'utf8')) as Json);
    const draft = isObject(value) && isObject(value.draft) ? value.draft : value;
    if (isObject(draft)) return draft;
  } catch (error) {
    return refuse('INTENT_INVALID', `${path} cannot be used: ${(error as Error).message}`);
  }
  return refuse('INTENT_INVALID', `${path} does not contain a draft.`);
}

function textOf({ text, draft, invocation }: SayResult): string {
  const next = invocation
    ? 'Nothing was changed. Repeat with --yes to make the call.'
    : 'To answer, save the output of --format json to a file, then use --draft <file> --answer <text>.';
  return `${linesOf({ text })}${draft ? `\n\n${next}` : ''}`;
}

function linesOf({ text }: Pick<SayResult, 'text'>): string {
  return text.split('\n').map(safe).join('\n');
}
