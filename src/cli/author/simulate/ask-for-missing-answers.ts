import { createInterface } from 'node:readline/promises';
import { parse } from 'yaml';
import { type Output, safe } from '../../../app/safe-terminal-text.js';
import { isObject, type Json } from '../../../base/json/value.js';
import { formatInstant } from '../../../base/time/instant.js';
import { validate } from '../../../json-schema/validate.js';
import { violationText } from '../../../json-schema/violation-messages.js';
import type { Reply } from '../../../language/tasks/task-kind.js';
import type { AnswerSource } from '../../../scenarios/simulate/simulate.js';
import { shortJson } from '../../../scenarios/simulate/timeline.js';

/** Asks a question and returns the trimmed answer. */
export type Prompt = (question: string) => Promise<string>;

/** Asks on the terminal. */
export function terminalPrompt(): { ask: Prompt; close(): void } {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return { ask: async (question) => (await lines.question(question)).trim(), close: () => lines.close() };
}

/** Asks the user for replies and submissions that the script lacks; samples of schemas are the defaults. */
export function promptAnswers(ask: Prompt, out: Output): AnswerSource {
  return {
    async call({ method, url, operation, body }, sample) {
      const about = `${method} ${url}${operation === undefined ? '' : ` (${operation})`}`;
      out.write(`\n${safe(`${about}${body === null ? '' : ` with ${shortJson(body)}`}`)}\n`);
      const fallback = sample ?? { status: 200, headers: {}, body: {}, afterMs: 0 };
      for (;;) {
        const text = await ask(
          `  Reply: status and body, timeout, or network [${fallback.status} ${shortJson(fallback.body)}] `,
        );
        const reply = text === '' ? fallback : readReply(text);
        if (reply) return reply;
        out.write('  For example 200 {"id": 7}, or 404, or timeout.\n');
      }
    },
    async step(step, schema, sample, dueAt) {
      const until = dueAt === undefined ? '' : `, until ${formatInstant(dueAt)}`;
      out.write(`\n${safe(`${step} waits for a submission${until}`)}\n`);
      for (;;) {
        const shown = sample === undefined ? '' : ` [${shortJson(sample)}]`;
        const text = await ask(`  Submission: JSON or YAML, wait, or cancel${shown} `);
        if (text === 'wait' || text === 'cancel') return text;
        if (text === '' && sample === undefined) continue;
        const payload = text === '' ? sample! : readValue(text);
        const faults = payload === undefined ? [] : validate(schema, payload).map(violationText);
        if (payload !== undefined && faults.length === 0) return { submit: payload };
        for (const { pointer, message } of faults) out.write(`  ${safe(`${pointer || 'It'} ${message}`)}\n`);
      }
    },
  };
}

/** Asks for the input of a journey. */
export async function promptInput(ask: Prompt, out: Output, sample: Json | undefined): Promise<Json> {
  for (;;) {
    const shown = sample === undefined ? ' [{}]' : ` [${shortJson(sample)}]`;
    const text = await ask(`Input: JSON or YAML${shown} `);
    const value = text === '' ? (sample ?? {}) : readValue(text);
    if (isObject(value)) return value;
    out.write('  It must be an object, like {"amount": 5}.\n');
  }
}

function readReply(text: string): Reply | undefined {
  const base: Reply = { status: 200, headers: {}, afterMs: 0 };
  if (text === 'timeout' || text === 'network') return { ...base, fail: text };
  const [, status, rest = ''] = /^(?:([1-5]\d\d)(?:\s+|$))?(.*)$/s.exec(text) ?? [];
  const body = rest === '' ? undefined : readValue(rest);
  if (rest !== '' && body === undefined) return undefined;
  return { ...base, status: Number(status ?? 200), ...(body !== undefined && { body }) };
}

function readValue(text: string): Json | undefined {
  try {
    return (parse(text, { maxAliasCount: 0 }) ?? null) as Json;
  } catch {
    return undefined;
  }
}
