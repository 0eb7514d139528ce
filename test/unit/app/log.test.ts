import { expect, it } from 'vitest';
import { createLog, failedTask } from '../../../src/app/telemetry/log.js';
import type { Config } from '../../../src/config/config-types.js';

/** The log lines of this format, on a terminal or a pipe. */
function written(format: Config['log']['format'], isTTY: boolean): string {
  let text = '';
  const output = { isTTY, write: (part: string) => (text += part) };
  const log = createLog({ log: { level: 'info', format } }, output);
  log.debug('not wanted');
  const request = { requestId: 'r-1', method: 'GET', path: '/a', status: 200, ms: 3, address: '127.0.0.1' };
  log.info({ ...request, caller: 'sub:two\u001b[31m words' }, 'request');
  log.info({ ...request, caller: 'anonymous', run: 'j-1' }, 'request');
  log.info({ at: '2026-01-01T00:00:00Z', event: 'run.started', orchestratorId: 'main' }, 'run.started');
  log.error({ err: new Error('broken') }, 'Unexpected error');
  return text;
}

it('a terminal gets one line per entry, with control characters escaped', () => {
  process.env.NO_COLOR = '1';
  for (const text of [written('auto', true), written('pretty', false)]) {
    const [request, anonymous, event, error, stack] = text.split('\n');
    expect(request).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} info GET \/a 200 \(3 ms\) caller="sub:two\\u001b\[31m words" requestId=r-1$/,
    );
    expect(anonymous).toMatch(/info GET \/a 200 \(3 ms\) run=j-1 requestId=r-1$/);
    expect(event).toMatch(/info run\.started orchestratorId=main$/);
    expect(error).toMatch(/error Unexpected error$/);
    expect(stack).toBe('    Error: broken');
    expect(text).not.toContain('not wanted');
  }
  delete process.env.NO_COLOR;
});

it('a pipe gets JSON', () => {
  for (const text of [written('auto', false), written('json', true)]) {
    const [request, , event, error] = text.trim().split('\n');
    expect(JSON.parse(request!)).toMatchObject({ level: 30, msg: 'request', path: '/a', status: 200 });
    expect(JSON.parse(event!)).toMatchObject({ event: 'run.started', at: '2026-01-01T00:00:00Z' });
    expect(JSON.parse(error!)).toMatchObject({ level: 50, err: { message: 'broken' } });
  }
});

it('FLT-4 a failed workflow task is logged with its run and cause', () => {
  const failure =
    'Failure { failure: Some(Failure { message: "[TMPRL1103] Attempted to \\"upload\\" payloads", source: "" }), force_cause: PayloadsTooLarge }';
  const entry = {
    level: 'WARN',
    timestampNanos: 0n,
    message: 'Failing workflow task',
    meta: { runId: 'r-1', failure },
  };
  expect(failedTask(entry as never)).toEqual({
    runId: 'r-1',
    cause: 'PayloadsTooLarge',
    reason: '[TMPRL1103] Attempted to "upload" payloads',
  });
  expect(failedTask({ ...entry, message: 'Workflow failed' } as never)).toBeUndefined();
});
