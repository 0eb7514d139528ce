import { expect, it } from 'vitest';
import type { TaskEffect, TaskHost } from '../../../src/engine/task-host.js';
import { interpreterVersion } from '../../../src/engine/version.js';
import type { HttpCallTask } from '../../../src/tasks/http-call/read.js';
import type { HttpRequest } from '../../../src/tasks/http-call/request.js';
import { runner } from '../../../src/tasks/http-call/run.js';

const backoff = { kind: 'fixed', baseDelayMs: 0, maxDelayMs: 0, multiplier: 2, jitter: 'none' } as const;

async function asked(maxAttempts: number, interpreter: number): Promise<{ request: HttpRequest; budgetMs?: number }> {
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
  const host = { interpreter, interpolate: (text: string) => text, callMode: () => undefined } as unknown as TaskHost;
  if (!('ask' in runner)) throw new Error('a call asks');
  const { input, budgetMs } = (await runner.ask(task, host)) as TaskEffect;
  return { request: input as unknown as HttpRequest, ...(budgetMs !== undefined && { budgetMs }) };
}

it('a call with many attempts is paced, and has the time for it; a run that began before goes on as it was', async () => {
  const now = await asked(100, interpreterVersion);
  const before = await asked(100, 4);
  expect(now.request.retry).toMatchObject({ maxAttempts: 100, paced: true });
  expect(before.request.retry).not.toHaveProperty('paced');
  expect(now.budgetMs! - before.budgetMs!).toBe(99_000);
  expect((await asked(10, interpreterVersion)).request.retry).not.toHaveProperty('paced');
});
