import { expect, it } from 'vitest';
import type { TaskEffect, TaskHost } from '../../../../src/engine/task-host.js';
import { executeHttpCall as runner } from '../../../../src/language/tasks/http-call/execute-http-call.js';
import type { HttpCallTask } from '../../../../src/language/tasks/http-call/http-call.js';
import type { HttpRequest } from '../../../../src/language/tasks/http-call/request-and-result-types.js';

const backoff = { kind: 'fixed', baseDelayMs: 0, maxDelayMs: 0, multiplier: 2, jitter: 'none' } as const;

async function asked(maxAttempts: number): Promise<{ request: HttpRequest; budgetMs?: number }> {
  const task = {
    method: 'GET',
    url: 'https://a.example/',
    path: {},
    query: {},
    headers: {},
    accept: 'application/json',
    timeoutMs: 1_000,
    mode: 'requestResponse',
    retry: { maxAttempts, retryOn: ['HTTP_5XX'], backoff },
  } as unknown as HttpCallTask;
  const host = { interpolate: (text: string) => text, callMode: () => undefined } as unknown as TaskHost;
  if (!('buildRequest' in runner)) throw new Error('a call asks');
  const { input, budgetMs } = (await runner.buildRequest(task, host)) as TaskEffect;
  return { request: input as unknown as HttpRequest, ...(budgetMs !== undefined && { budgetMs }) };
}

it('a call with many attempts is paced, with enough time for them', async () => {
  const many = await asked(100);
  expect(many.request.retry).toMatchObject({ maxAttempts: 100, paced: true });
  expect(many.budgetMs! - 100 * (await asked(1)).budgetMs!).toBe(99_000);
  expect((await asked(10)).request.retry).not.toHaveProperty('paced');
});
