import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rig, rig } from './support/rig.js';

const journey = (spec: string) => `
apiVersion: v1
kind: Journey
metadata: { name: time, version: 1.0.0 }
spec:
${spec}
`;

const raced = journey(`
  start: race
  states:
    race:
      type: parallel
      parallel:
        branches:
          - name: quick
            start: nap
            states:
              nap: { type: timer, timer: { duration: PT0.2S }, next: woke }
              woke:
                type: transform
                transform: { mapper: { lang: jsonata, expr: "{ 'winner': 'quick' }" }, target: { kind: context } }
                next: end
              end: { type: succeed }
          - name: slow
            start: month
            states:
              month: { type: timer, timer: { duration: P1M }, next: end }
              end: { type: succeed }
        join: { strategy: anyOf }
      next: done
    done: { type: succeed }
`);

describe('time', () => {
  let it_: Rig;
  beforeAll(async () => {
    it_ = await rig();
  });
  afterAll(() => it_.stop());

  it('JL-A4 the first branch wins; the others are cancelled with their timers', async () => {
    const { journeyId } = await it_.start(raced, { kept: true });
    const handle = it_.client.workflow.getHandle(journeyId);
    expect(await handle.result()).toMatchObject({ phase: 'SUCCEEDED', output: { winner: 'quick' } });
    const events = (await handle.fetchHistory()).events ?? [];
    expect(events.filter((event) => event.timerCanceledEventAttributes)).toHaveLength(1);
  });

  it('shows the timer state and its due time', async () => {
    const text = journey(`
  start: rest
  states:
    rest: { type: timer, timer: { until: "2099-01-01T00:00:00Z" }, next: done }
    done: { type: succeed }
`);
    const view = await it_.start(text);
    expect(view.status).toMatchObject({
      currentState: 'rest',
      activeStates: [{ state: 'rest', type: 'timer', dueAt: '2099-01-01T00:00:00.000Z' }],
    });
    expect(await it_.runs.status(view.journeyId)).toMatchObject({ phase: 'RUNNING', status: { currentState: 'rest' } });
  });

  it('a run ends at its deadline in any waiting state, and never resumes', async () => {
    const text = journey(`
  execution: { maxDurationSec: 1, onTimeout: { errorCode: SLOW, reason: Took too long } }
  start: rest
  states:
    rest: { type: timer, timer: { duration: P1D }, next: done }
    done: { type: succeed }
`);
    const { journeyId } = await it_.start(text);
    await expect(it_.client.workflow.getHandle(journeyId).result()).rejects.toThrow();
    expect((await it_.runs.result(journeyId)).outcome).toMatchObject({
      terminationKind: 'Timeout',
      error: { code: 'SLOW' },
    });
  });

  it('pure states add no history events', async () => {
    const text = journey(`
  start: count
  states:
    count:
      type: transform
      transform: { mapper: { lang: jsonata, expr: "{ 'n': context.n + 1 }" }, target: { kind: context } }
      next: enough
    enough:
      type: choice
      choices: [{ when: { predicate: { lang: jsonata, expr: "context.n < 500" } }, next: count }]
      default: done
    done: { type: succeed }
`);
    const { journeyId, outcome } = await it_.start(text, { n: 0 });
    expect(outcome).toMatchObject({ output: { n: 500 } });
    const { events } = await it_.client.workflow.getHandle(journeyId).fetchHistory();
    expect(events?.length).toBe(7);
  });
});
