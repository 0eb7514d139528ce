import { describe, expect, it } from 'vitest';
import { sayFunction } from '../../../src/service/functions/plain-english-function.js';
import { automation, twoScopes } from '../../support/automation.js';
import { gateway } from './harness.js';

async function open() {
  const { orchestrators, channelProfiles } = twoScopes;
  const slack_main = { ...channelProfiles.slack_main!, timezone: 'Europe/Rome' };
  const rig = automation({ orchestrators, channelProfiles: { ...channelProfiles, slack_main } });
  rig.functions.register(sayFunction({ ...rig, library: rig.targets.library, channels: {} }));
  const app = await gateway({ automation: rig });
  return { rig, say: (body: object) => app.post('/api/v1/intents', body) };
}

describe('POST /api/v1/intents', () => {
  it('R3-20 R3-21 R3-26 asks, proposes and acts in the orchestrator of the profile', async () => {
    const { rig, say } = await open();
    const channelProfileId = 'slack_main';
    const asked = await say({ utterance: 'post hello world in #team every Friday', channelProfileId });
    expect(asked.body).toMatchObject({ clarify: { code: 'MISSING_TIME' }, draft: expect.any(Object) });
    const proposed = await say({ draft: asked.body.draft, answer: '9am', channelProfileId });
    expect(proposed.body).toMatchObject({
      invocation: { functionId: 'schedule.create', functionArgs: { schedule: { timezone: 'Europe/Rome' } } },
      nextRuns: ['2030-01-11T08:00:00.000Z', '2030-01-18T08:00:00.000Z', '2030-01-25T08:00:00.000Z'],
    });
    expect(rig.jobs.records.size).toBe(0);
    const done = await say({ draft: proposed.body.draft, act: true, channelProfileId });
    expect(done.body.result).toMatchObject({ orchestratorId: 'eng', targetRef: { channelId: 'C100' } });
    expect(rig.jobs.records.size).toBe(1);
  });

  it('R3-29 R3-30 requires an orchestrator or a profile', async () => {
    const { say } = await open();
    const utterance = 'list jobs';
    expect(await say({ utterance })).toMatchObject({ status: 400, body: { code: 'ORCHESTRATOR_REQUIRED' } });
    expect(await say({ utterance, orchestratorId: 'nobody' })).toMatchObject({ status: 404 });
    expect(await say({ utterance, channelProfileId: 'nobody' })).toMatchObject({ status: 404 });
    expect(await say({ utterance, orchestratorId: 'eng' })).toMatchObject({
      status: 200,
      body: { text: 'There are no jobs.' },
    });
    expect(await say({ utterance, orchestratorId: 'ops', channelProfileId: 'slack_main' })).toMatchObject({
      status: 403,
    });
  });

  it.each([{ a: 1 }, [{}], 7, null])('an answer without a draft, such as %j, is not understood', async (answer) => {
    const { say } = await open();
    const { status, body } = await say({ answer, orchestratorId: 'eng' });
    expect({ status, text: body.text }).toEqual({ status: 200, text: expect.stringContaining(' ') });
    expect(body).not.toHaveProperty('invocation');
  });

  it('rejects unknown fields by name', async () => {
    const { say } = await open();
    expect(await say({ utterance: 'list jobs', orchestratorId: 'eng', speed: 'fast' })).toMatchObject({
      status: 400,
      body: { code: 'FUNCTION_ARGUMENTS', detail: expect.stringContaining('speed') },
    });
  });
});
