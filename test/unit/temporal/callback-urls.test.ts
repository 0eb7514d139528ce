import { afterEach, expect, it, vi } from 'vitest';
import { load } from '../../../src/language/load-journey.js';
import { callbackUrls, isCallbackToken } from '../../../src/temporal/runs/callback-urls.js';
import { doc } from '../language/cases/case.js';

const client = undefined as never;
const secrets = { 'secret://journeyman/callbacks': { env: 'CALLBACK_TEST_SECRET' } };
const { definition } = load({
  text: doc({
    states: `a:
  type: webhook
  webhook: { input: { schema: true } }
  next: end
end: { type: succeed, output: { expr: platform.run.callbacks.a } }`,
  }),
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it.each([
  [undefined, [true, true, true]],
  [30, [true, true, false]],
])(
  'LESS-5 a callback URL is valid as long as its step waits, or for gateway.callbackDays: %s',
  async (callbackDays, expected) => {
    vi.stubEnv('CALLBACK_TEST_SECRET', 'the secret of callbacks');
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ['Date'] });
    const gateway = {
      publicUrl: 'https://journeys.test',
      ...(callbackDays !== undefined && { callbackDays }),
    } as never;
    const urls = await callbackUrls(client, { gateway, secrets }, { id: 'run-1' }, definition!);
    const token = new URL(String(urls!.a)).searchParams.get('callback')!;
    const answers = [];
    for (const day of [1, 30, 31 + 365]) {
      vi.setSystemTime(Date.UTC(2030, 0, day));
      answers.push(await isCallbackToken(client, { secrets }, { run: 'run-1', address: 'a', token }));
    }
    expect(answers).toEqual(expected);
    expect(await isCallbackToken(client, { secrets }, { run: 'run-2', address: 'a', token })).toBe(false);
  },
);
