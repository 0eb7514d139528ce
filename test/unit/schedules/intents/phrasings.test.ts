import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/value.js';
import { interpret, scheduled } from './support.js';

const cases = readFileSync(new URL('phrasings.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' => ') as [string, string]);

function outcome(utterance: string): string {
  const result = interpret(utterance);
  if ('none' in result) return 'none';
  if ('clarify' in result) {
    const { code, options } = result.clarify;
    return options ? `${code} [${options.map(({ label }) => label).join(' | ')}]` : code;
  }
  const { functionId, functionArgs } = result;
  const verb = functionId.replace('schedule.', '');
  if (verb === 'list') return functionArgs.state === undefined ? verb : `${verb} ${functionArgs.state}`;
  if (verb === 'update') return `${verb} ${functionArgs.jobId} ${JSON.stringify(functionArgs.patch)}`;
  if (verb !== 'create') return `${verb} ${functionArgs.jobId}`;
  return `${scheduled(utterance)}; ${target(functionArgs)}`;
}

function target({ targetAction, targetRef }: JsonObject): string {
  const { workflowId, functionId, inputs, functionArgs } = targetAction as JsonObject;
  const given = (inputs ?? functionArgs) as JsonObject | undefined;
  const posts = workflowId === 'post-message' && given !== undefined;
  const what = posts ? `"${given.text}"` : `${workflowId ?? functionId}${given ? ` ${JSON.stringify(given)}` : ''}`;
  if (targetRef === undefined) return what;
  const { channelId, postingMode } = targetRef as JsonObject;
  return `${what} → ${channelId}${postingMode === 'thread_reply' ? ' thread' : ''}`;
}

describe('R3-19 R3-20 R3-21 Common phrasings', () => {
  it.each(cases)('%s', (utterance, expected) => {
    expect(outcome(utterance)).toBe(expected);
  });
});
