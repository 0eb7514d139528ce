import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scheduleActivities } from '../../activities/schedule/scheduled-run-and-maintenance.js';
import type { AdmissionRequest } from '../../src/schedules/bindings/binding-record.js';
import { TemporalSchedules } from '../../src/temporal/schedules/bindings/temporal-bindings.js';
import { type HttpGateway, httpGateway } from './support/gateway.js';
import { type Rig, rig } from './support/rig.js';
import { binding, counting } from './support/schedules.js';

const asking = `
apiVersion: v1
kind: Journey
metadata: { name: asking, version: 1.0.0 }
spec:
  start: ask
  states:
    ask: { type: wait, wait: { channel: manual, input: { schema: true } }, next: done }
    done: { type: succeed }
`;

describe('responses to callers', () => {
  let rigged: Rig;
  let gateway: HttpGateway;
  let admit = (): void => undefined;
  const admitted = new Promise<void>((resolve) => {
    admit = resolve;
  });
  beforeAll(async () => {
    let real: ReturnType<typeof scheduleActivities> | undefined;
    const scheduleAdmits = async (run: AdmissionRequest) => {
      await admitted;
      return await real!.scheduleAdmits(run);
    };
    rigged = await rig({ activities: { scheduleAdmits } });
    real = scheduleActivities(rigged.client);
    gateway = await httpGateway(rigged, [asking]);
  });
  afterAll(async () => {
    admit();
    await gateway.stop();
    await rigged.stop();
  });

  it('FLT-8 the status of a manually started run is available before its first workflow task', async () => {
    await rigged.start(counting({ startAt: '2090-01-01T00:00:00Z' }), { user: 'early', n: 0 });
    const schedules = new TemporalSchedules(rigged.client, rigged.config);
    const { executionId } = await schedules.runNow(binding('early'), 'once');
    const path = `/journeys/${encodeURIComponent(executionId)}`;
    expect(await gateway.get(path)).toMatchObject({ status: 200, body: { phase: 'RUNNING', currentState: 'tick' } });
    admit();
    await rigged.client.workflow.getHandle(executionId).result();
    expect(await gateway.get(path)).toMatchObject({ status: 200, body: { phase: 'SUCCEEDED' } });
  });

  it('HOME-3 a submission before the first workflow task of a run reaches its first step', async () => {
    const idle = await rig({ worker: false });
    const started = asking.replace('spec:', 'spec:\n  lifecycle: { startMode: async }');
    const { journeyId: id } = await idle.start(started);
    const submitted = idle.runs.submit({ id, stepId: 'ask', payload: {}, caller: 'test', headers: {} });
    await idle.restartWorker({ worker: true });
    expect(await submitted).toMatchObject({ phase: 'SUCCEEDED' });
    await idle.stop();
  });

  it.each([
    ['over the payload limit', 110_000],
    ['over the message limit', 200_000],
  ])('FLT-8 a body that grows beyond the server’s limits is 413: %s', async (_, count) => {
    const body = { d: Array.from({ length: count }, () => 1e20) };
    const sent = `{"d":[${Array.from({ length: count }, () => '1e20').join(',')}]}`;
    const tooLarge = { status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } };
    expect(await gateway.send('/journeys/asking/start', sent)).toMatchObject(tooLarge);
    const { journeyId } = await rigged.start(asking);
    expect(await gateway.send(`/journeys/${journeyId}/steps/ask`, sent)).toMatchObject(tooLarge);
    expect(await rigged.start(asking, body).catch((error) => error.problem)).toMatchObject(tooLarge.body);
  });

  it('FLT-8 a step’s idempotency key is recognised after the end of its run', async () => {
    const { journeyId } = await rigged.start(asking);
    const submit = (said: string, idempotencyKey = 'k') =>
      rigged.runs
        .submit({ id: journeyId, stepId: 'ask', payload: { said }, caller: 'test', headers: {}, idempotencyKey })
        .catch((error) => error.problem);
    const first = await submit('yes');
    expect(first).toMatchObject({ phase: 'SUCCEEDED' });
    expect(await submit('yes')).toMatchObject({ phase: 'SUCCEEDED', outcome: first.outcome });
    expect(await submit('no')).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', status: 422 });
    expect(await submit('no', 'another')).toMatchObject({ code: 'STEP_NOT_ACTIVE', status: 409 });
  });
});
