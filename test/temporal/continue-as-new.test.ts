import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rig, rig } from './support/rig.js';

/** Counts in one branch with a timer in each iteration, while another branch waits for a person with a long timeout. */
const polling = `
apiVersion: v1
kind: Journey
metadata: { name: polling, version: 1.0.0 }
spec:
  start: ask
  states:
    ask: { type: wait, wait: { channel: manual, input: { schema: true } }, next: both }
    both:
      type: parallel
      parallel:
        branches:
          - name: poll
            start: turn
            states:
              turn: { type: timer, timer: { duration: PT0.01S }, next: count }
              count:
                type: transform
                transform: { mapper: { lang: dataweave, expr: "context ++ { n: (context.n default 0) + 1 }" }, target: { kind: context } }
                next: enough
              enough:
                type: choice
                choices: [{ when: { predicate: { lang: dataweave, expr: "context.n < 60" } }, next: turn }]
                default: end
              end: { type: succeed }
          - name: person
            start: answer
            states:
              answer: { type: wait, wait: { channel: manual, input: { schema: { type: object } }, timeoutSec: 86400, onTimeout: end }, next: end }
              end: { type: succeed }
        join: { strategy: allOf, mapper: { lang: dataweave, expr: "{ n: branches.poll.n, said: branches.person.payload.said }" }, resultVar: both }
      next: done
    done: { type: succeed, outputVar: both }
`;

describe('a long run continues as new', () => {
  let rigged: Rig;
  beforeAll(async () => {
    rigged = await rig({ env: { JOURNEYMAN_LIMITS_HISTORY_EVENTS: '60' } });
  });
  afterAll(() => rigged.stop());

  it('and keeps branches, waits, step keys and signals', async () => {
    const { journeyId } = await rigged.start(polling);
    const submit = (stepId: string, payload: string, key: string) =>
      rigged.runs.submit({
        id: journeyId,
        stepId,
        payload: { said: payload },
        caller: 'test',
        headers: {},
        idempotencyKey: key,
      });
    const first = await submit('ask', 'go', 'key-1');
    const handle = rigged.client.workflow.getHandle(journeyId);
    const firstRun = (await handle.describe()).runId;
    await expect.poll(async () => (await handle.describe()).runId).not.toBe(firstRun);

    expect(await submit('ask', 'go', 'key-1')).toMatchObject({ steps: first.steps, phase: 'RUNNING' });
    await expect(submit('ask', 'other', 'key-1')).rejects.toMatchObject({
      problem: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    await expect.poll(async () => (await rigged.runs.status(journeyId)).steps).toEqual(['answer']);
    await submit('answer', 'hello', 'key-2');
    expect(await handle.result()).toMatchObject({ phase: 'SUCCEEDED', output: { n: 60, said: 'hello' } });
    expect((await rigged.runs.result(journeyId)).outcome.output).toEqual({ n: 60, said: 'hello' });
  });
});
