import { afterAll, beforeAll, expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import type { Json, JsonObject } from '../../src/base/json/value.js';
import { httpGateway } from './support/gateway.js';
import { type Rig, rig } from './support/rig.js';

const order = `
apiVersion: v1
kind: Journey
metadata: { name: environment-order, version: 1.0.0 }
spec:
  platform: { config: { shop: { type: string, default: "https://shop.test" } } }
  start: first
  states:
    first: { type: task, task: { kind: "httpCall:v1", method: POST, url: "\${platform.config.shop}/a", resultVar: r }, next: pause }
    pause: { type: wait, wait: { channel: manual, input: { schema: {} } }, next: second }
    second: { type: task, task: { kind: "httpCall:v1", method: POST, url: "\${platform.config.shop}/b", resultVar: r }, next: done }
    done: { type: succeed }
`;

let rigged: Rig;
const urls: string[] = [];
beforeAll(async () => {
  const http = async (input: Json) => {
    urls.push(String((input as JsonObject).url));
    return { ok: true, status: 200, headers: {}, body: {} };
  };
  rigged = await rig({ activities: asActivities({ http }) });
});
afterAll(() => rigged.stop());

it('LESS-8 ENV-2 a run keeps its initial base URL, configured or default', async () => {
  const staging = { JOURNEYMAN_PLATFORM_CONFIG: '{"*": {"shop": "https://staging.test/"}}' };
  const before = await httpGateway(rigged, [order], staging);
  const started = await before.post('/journeys/environment-order/start').finally(() => before.stop());
  expect(started.body).toMatchObject({ phase: 'RUNNING', currentState: 'pause' });

  const after = await httpGateway(rigged, [order]);
  try {
    const ended = await after.post(`/journeys/${started.body.journeyId}/steps/pause`);
    expect(ended.body).toMatchObject({ phase: 'SUCCEEDED' });
    expect(urls).toEqual(['https://staging.test/a', 'https://staging.test/b']);
    const another = await after.post('/journeys/environment-order/start');
    expect(another.body).toMatchObject({ phase: 'RUNNING' });
    expect(urls.at(-1)).toBe('https://shop.test/a');
  } finally {
    await after.stop();
  }
});
