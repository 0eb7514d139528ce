import { expect, it } from 'vitest';
import { asActivities } from '../../activities/effects-as-activities.js';
import { rig } from './support/rig.js';

const polling = `
apiVersion: v1
kind: Journey
metadata: { name: polling, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: poll
  states:
    poll: { type: task, task: { kind: "httpCall:v1", method: POST, url: "https://x.test/job", body: {}, resultVar: job }, next: poll }
`;

it('FLT-6 a poll without a pause ends when its call budget is exhausted, despite continue-as-new', async () => {
  let calls = 0;
  const rigged = await rig({
    env: {
      JOURNEYMAN_LIMITS_CALLS: '40',
      JOURNEYMAN_LIMITS_CALLS_PER_MINUTE: '0',
      JOURNEYMAN_LIMITS_HISTORY_EVENTS: '60',
    },
    activities: asActivities({
      http: async () => {
        calls += 1;
        return { ok: true, status: 200, headers: {}, body: { state: 'RUNNING' } };
      },
    }),
  });
  const { journeyId } = await rigged.start(polling);
  const handle = rigged.client.workflow.getHandle(journeyId);
  await expect(handle.result()).rejects.toMatchObject({
    cause: { type: 'STEP_LIMIT_EXCEEDED', message: 'More than 40 calls and timers, and more than 0 a minute.' },
  });
  expect(calls).toBe(40);
  const { events } = await handle.fetchHistory();
  expect(events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId).not.toBe('');
  await rigged.stop();
});
