import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json/value.js';
import { requestOf } from '../../../src/gateway/routes/channels.js';
import type { Channel } from '../../../src/service/channel-interface.js';
import { channelPostFunction } from '../../../src/service/functions/channel-post-function.js';
import { type SayResult, sayFunction } from '../../../src/service/functions/plain-english-function.js';
import { callerOf } from '../../../src/service/job-automation.js';
import { automation, twoScopes } from '../../support/automation.js';
import { bot, slackHeaders } from '../../support/slack.js';
import { openSlack, signingSecret } from '../gateway/channels/harness.js';

const create = {
  functionId: 'schedule.create',
  functionArgs: {
    orchestratorId: 'eng',
    scheduleType: 'cron',
    schedule: { expression: '0 9 * * 5', timezone: 'Europe/Rome' },
    targetAction: { type: 'workflow_start', workflowId: 'post-message', inputs: { text: 'hello' } },
    targetRef: { channel: 'slack', channelProfileId: 'slack_main', channelId: 'C100', postingMode: 'channel_post' },
  },
};

async function open(granted = ['schedule.*', 'channel.post']) {
  const { slack, adapter } = await openSlack();
  const { orchestrators: scopes, channelProfiles } = twoScopes;
  const rig = automation({
    orchestrators: { ...scopes, eng: { ...scopes.eng!, functions: granted } },
    channelProfiles: { ...channelProfiles, slack_main: { ...channelProfiles.slack_main!, timezone: 'Europe/Rome' } },
  });
  const { functions, orchestrators, jobs, targets } = rig;
  const channels = { slack: adapter };
  functions.register(
    sayFunction({ ...rig, library: targets.library, channels }),
    channelPostFunction(channels, orchestrators),
  );
  const say = (args: JsonObject, requestId = 'request-1') =>
    rig.invoke<SayResult>('schedule.say', { channelProfileId: 'slack_main', ...args }, { requestId });
  /** Handles a message like a dispatch: invokes the function, then posts the output to the same conversation. */
  const send = async (text: string, thread?: string, user?: string) => {
    const mention = thread === undefined ? `<@${bot.user}> ${text}` : text;
    const body = JSON.stringify(
      slack.say(mention, { ...(thread !== undefined && { thread }), ...(user !== undefined && { user }) }),
    );
    const request = { headers: slackHeaders(body, signingSecret), body: Buffer.from(body) };
    const reception = await adapter.receive('slack_main', request);
    if (reception.kind !== 'message') return undefined;
    const envelope = requestOf(orchestrators.profile('slack_main'), reception.message, new Date(rig.clock));
    if (envelope.targetAction.type !== 'command_invoke') throw new Error('not a command');
    const { functionId, functionArgs = {} } = envelope.targetAction;
    const caller = callerOf(envelope, orchestrators.get(envelope.orchestratorId));
    const result = (await functions.invoke(functionId, functionArgs, caller)) as SayResult;
    const { executionId, targetRef } = envelope;
    await adapter.post({
      executionId,
      targetRef: targetRef!,
      text: result.text,
      ...(result.draft && { note: result.draft }),
    });
    return result;
  };
  return { slack, adapter, made: jobs.records, say, send, rig };
}

describe('schedule.say in a thread of Slack', () => {
  it('R3-20 R3-21 R3-28 asks, proposes with the next three times, and creates after a yes; all state is in the thread', async () => {
    const { slack, made, send } = await open();
    await send('post hello in #team every Friday');
    const thread = slack.messages[0]!.ts;
    expect(slack.said.at(-1)).toMatchObject({ thread_ts: thread, text: expect.stringMatching(/time/i) });
    const proposed = await send('9am', thread);
    expect(proposed?.nextRuns).toEqual([
      '2030-01-11T08:00:00.000Z',
      '2030-01-18T08:00:00.000Z',
      '2030-01-25T08:00:00.000Z',
    ]);
    expect(slack.said.at(-1)?.text).toContain('schedule.create');
    expect(slack.said.at(-1)?.text).toContain('2030-01-11 09:00 (UTC+01:00)');
    expect(made.size).toBe(0);
    await send('yes', thread);
    expect(slack.said.at(-1)?.text).toContain('The job was created');
    expect([...made.values()]).toMatchObject([
      {
        orchestratorId: 'eng',
        createdBy: { caller: 'slack_main', channelProfileId: 'slack_main', senderId: 'U42' },
        targetRef: { channelId: 'C100' },
      },
    ]);
    // The last message has no metadata: the conversation has ended.
    expect(await send('thanks', thread)).toBeUndefined();
  });

  it('GAP-17 R3-09 a job records its requester, not the person who confirmed', async () => {
    const { slack, made, send } = await open();
    slack.names.set('U1', 'Ann');
    slack.names.set('U2', 'Bob');
    await send('post hello in #team every Friday', undefined, 'U1');
    const thread = slack.messages[0]!.ts;
    await send('9am', thread, 'U2');
    await send('yes', thread, 'U2');
    const createdBy = {
      caller: 'slack_main',
      channelProfileId: 'slack_main',
      senderId: 'U1',
      sender: 'Ann',
      requestMessageId: `C100.${thread}`,
    };
    expect([...made.values()]).toMatchObject([{ createdBy }]);
    expect(slack.callsOf('users.info')).toHaveLength(2);
  });

  it('confirming twice at the same time creates one job', async () => {
    const { slack, made, send } = await open();
    await send('post hello in #team every Friday at 9am');
    const thread = slack.messages[0]!.ts;
    await Promise.all([send('yes', thread), send('Yes, please!', thread)]);
    expect(made.size).toBe(1);
  });

  it('a no creates nothing; other answers repeat the question', async () => {
    const { slack, made, send } = await open();
    await send('post hello in #team every Friday at 9am');
    const thread = slack.messages[0]!.ts;
    expect((await send('hmm', thread))?.text).toBe('Please answer yes or no.');
    expect((await send('no', thread))?.text).toBe('OK, nothing was changed.');
    expect(made.size).toBe(0);
  });

  it.each([
    [
      'R3-22 a journey that waits for a submission',
      'run the ask workflow every day at 9am',
      'may wait for a submission',
    ],
    ['something else', 'good morning', 'I manage scheduled jobs'],
    ['a request that only reads', 'list jobs', 'There are no jobs.'],
  ])('%s is answered in the thread', async (_, utterance, answer) => {
    const { slack, send } = await open();
    const first = await send(utterance);
    const last = first?.draft ? await send('yes', slack.messages[0]!.ts) : first;
    expect(last?.text).toContain(answer);
    expect(slack.said.at(-1)?.text).toContain(answer);
    expect(slack.said.at(-1)?.metadata?.event_payload).not.toHaveProperty('note');
  });

  it('R3-22 a function that the orchestrator may not use is rejected in plain English', async () => {
    const { made, send } = await open(['schedule.say', 'schedule.list']);
    const result = await send('post hello in #team every Friday at 9am');
    expect(result?.text).toContain('may not use the function schedule.create');
    expect(result?.draft).toBeUndefined();
    expect(made.size).toBe(0);
  });

  it('R3-26 R3-27 only considers the journeys of its orchestrator', async () => {
    const { send } = await open();
    const result = await send('run the secret workflow every day at 9am');
    expect(result?.clarify).toMatchObject({ code: 'UNKNOWN_WORKFLOW' });
    expect(JSON.stringify(result?.clarify)).not.toContain('"secret"');
  });

  it('a channel mentioned in Slack’s syntax needs no entry in the profile', async () => {
    const { send } = await open();
    const result = await send('post hello in <#C200|ops> every Friday at 9am');
    expect(result?.invocation).toMatchObject({ functionArgs: { targetRef: { channelId: 'C200' } } });
  });
});

describe('schedule.say without a thread', () => {
  it('GAP-16 names the job from its text and cadence; questions show both', async () => {
    const { rig, say, made } = await open();
    await say({ utterance: 'post hello world in #team every Friday at 9am', act: true }, 'request-1');
    const { name: _, ...weekly } = { ...create.functionArgs, name: '' };
    await rig.invoke('schedule.create', { ...weekly, name: 'weekly note' }, { requestId: 'request-2' });
    expect([...made.values()].map(({ name }) => name)).toEqual(['hello world, Fridays 09:00', 'weekly note']);
    const asked = await say({ utterance: 'stop the Friday one' }, 'request-3');
    expect(asked.text).toBe('Which job?\n1. hello world, Fridays 09:00\n2. weekly note (hello, Fridays 09:00)');
    const proposed = await say({ draft: asked.draft!, answer: '1' }, 'request-4');
    expect(proposed.text).toContain('schedule.pause');
    await say({ draft: proposed.draft!, answer: 'yes' }, 'request-5');
    expect([...made.values()].map(({ state }) => state)).toEqual(['paused', 'enabled']);
  });

  it('GAP-14 an answer that is neither yes nor no corrects the proposal', async () => {
    const { made, say } = await open();
    const first = await say({ utterance: 'post hello in #team every Saturday at 9am' }, 'request-1');
    const second = await say({ draft: first.draft!, answer: 'no, Sunday' }, 'request-2');
    expect(second.invocation).toMatchObject({
      functionArgs: { name: 'hello, Sundays 09:00', schedule: { expression: '0 9 * * 0' } },
    });
    expect((await say({ draft: second.draft!, answer: 'hmm' }, 'request-3')).text).toBe('Please answer yes or no.');
    await say({ draft: second.draft!, answer: 'yes' }, 'request-4');
    expect([...made.values()].map(({ schedule }) => schedule.expression)).toEqual(['0 9 * * 0']);
  });

  it('GAP-13 the history of a job lists its runs, each with its outcome', async () => {
    const { say, made } = await open();
    const first = await say({ utterance: 'post hello in #team every Saturday at 9am' }, 'request-1');
    await say({ draft: first.draft!, answer: 'yep go ahead' }, 'request-2');
    const [{ jobId } = { jobId: '' }] = [...made.values()];
    const { text, draft } = await say({ utterance: 'show me the history of the hello job' }, 'request-3');
    expect(text).toMatch(new RegExp(`^${jobId}-1, failed, triggered \\S+, ended \\S+$`));
    expect(draft).toBeUndefined();
  });

  it('GAP-11 an option is chosen by its number', async () => {
    const { say } = await open();
    const asked = await say({ utterance: 'post hello in #team every day at 5' });
    expect(asked.text).toContain('2. 5:00 PM');
    const proposed = await say({ draft: asked.draft!, answer: '2' });
    expect(proposed.invocation).toMatchObject({ functionArgs: { schedule: { expression: '0 17 * * *' } } });
  });

  it('GAP-12 a finished single run is enabled with its new time', async () => {
    const { rig, made, say } = await open();
    const { name: _, scheduleType: __, schedule: ___, ...rest } = { ...create.functionArgs, name: '' };
    const runAt = new Date(rig.clock + 60_000).toISOString();
    await rig.invoke('schedule.create', { ...rest, name: 'cake order', scheduleType: 'once', schedule: { runAt } });
    const [job] = [...made.values()];
    made.set(job!.jobId, {
      ...job!,
      state: 'disabled',
      schedule: { type: 'once', runAt: new Date(rig.clock - 60_000).toISOString() },
    });
    const proposed = await say({ utterance: 'move the cake order to tomorrow at 9am' }, 'request-2');
    expect(proposed.text).toContain('The job is disabled and will be enabled.');
    await say({ draft: proposed.draft!, answer: 'yes' }, 'request-3');
    expect([...made.values()][0]).toMatchObject({ state: 'enabled', schedule: { runAt: expect.any(String) } });
  });

  it('R3-21 the draft is sent back and forth; the same request returns the same answer', async () => {
    const { made, say } = await open();
    const utterance = 'post hello in #team every Friday';
    const asked = await say({ utterance });
    expect(await say({ utterance })).toEqual(asked);
    expect(asked.clarify).toMatchObject({ code: 'MISSING_TIME' });
    const proposed = await say({ utterance, draft: asked.draft!, answer: '9am' }, 'request-2');
    expect(proposed.invocation).toEqual({
      ...create,
      functionArgs: { ...create.functionArgs, name: 'hello, Fridays 09:00' },
    });
    expect(made.size).toBe(0);
    const done = await say({ draft: proposed.draft!, act: true }, 'request-3');
    await say({ draft: proposed.draft!, answer: 'yes' }, 'request-4');
    expect(done.result).toMatchObject({ orchestratorId: 'eng', createdBy: { caller: 'key:ann' } });
    expect(made.size).toBe(1);
  });

  it('SCH-D16 acts without confirmation if requested', async () => {
    const { made, say } = await open();
    await say({ utterance: 'post hello in #team every Friday at 9am', act: true });
    expect(made.size).toBe(1);
  });

  it('finds one of many jobs by a word of its name, and the previous question in the thread', async () => {
    const { rig, say, made } = await open();
    for (let i = 0; i < 40; i++) {
      const { name, ...args } = { ...create.functionArgs, name: i === 33 ? 'flour order' : `number ${i}` };
      await rig.invoke('schedule.create', { ...args, name }, { requestId: `made-${i}` });
    }
    const asked = await say({ utterance: 'move the flour order to 10' });
    expect(asked.clarify).toMatchObject({ code: 'AMBIGUOUS_MERIDIEM' });
    await say({ draft: asked.draft!, answer: '10am' }).then(({ draft }) => say({ draft: draft!, act: true }));
    const [changed] = [...made.values()].filter(({ schedule }) => schedule.expression !== '0 9 * * 5');
    expect(changed).toMatchObject({ name: 'flour order', schedule: { expression: '0 10 * * 5' } });
  });

  it('R3-22 SCH-D19 proposes nothing that would be rejected after the confirmation', async () => {
    const { made, say } = await open();
    const refused = say({ utterance: 'run report with day=7 every Friday at 9am' });
    await expect(refused).rejects.toMatchObject({ problem: { code: 'INPUT_INVALID' } });
    expect(made.size).toBe(0);
  });

  it('R3-22 a modified draft is checked in the same way', async () => {
    const { say } = await open();
    const forged = (functionArgs: JsonObject) => ({
      kind: 'proposal',
      key: 'k',
      invocation: { ...create, functionArgs },
    });
    const foreign = { ...create.functionArgs, orchestratorId: 'ops' };
    await expect(say({ draft: forged(foreign), act: true })).rejects.toMatchObject({
      problem: { code: 'ACCESS_DENIED' },
    });
    const secret = { ...create.functionArgs, targetAction: { type: 'workflow_start', workflowId: 'secret' } };
    await expect(say({ draft: forged(secret), act: true })).rejects.toMatchObject({
      problem: { code: 'ACCESS_DENIED' },
    });
    const other = { ...forged({}), invocation: { functionId: 'channel.post', functionArgs: {} } };
    await expect(say({ draft: other, act: true })).rejects.toMatchObject({ problem: { code: 'FUNCTION_ARGUMENTS' } });
    await expect(say({ draft: { kind: 'x' }, answer: 'yes' })).rejects.toMatchObject({
      problem: { code: 'FUNCTION_ARGUMENTS', pointer: '/draft' },
    });
  });

  it('R3-26 R3-27 a profile of another orchestrator is rejected', async () => {
    const { say } = await open();
    await expect(say({ utterance: 'list jobs', channelProfileId: 'slack_ops' })).rejects.toMatchObject({
      problem: { code: 'ACCESS_DENIED' },
    });
  });
});

describe('channel.post', () => {
  const targetRef = create.functionArgs.targetRef;

  it('R3-48 posts once per request, in addition to the run’s output', async () => {
    const { slack, adapter, rig } = await open();
    const args = { text: 'hello', targetRef };
    for (let i = 0; i < 2; i++) await rig.invoke('channel.post', args, { requestId: 'exec-9' });
    await (adapter as Channel).post({ executionId: 'exec-9', targetRef, text: 'output' });
    expect(slack.said.map((it) => it.text)).toEqual(['hello', 'output']);
  });

  it.each([
    ['R3-48 an invalid target', { ...targetRef, postingMode: 'shout' }, 'TARGET_REF_INVALID'],
    ['R3-49 a reply without a thread', { ...targetRef, postingMode: 'thread_reply' }, 'TARGET_REF_INVALID'],
    ['another orchestrator’s profile', { ...targetRef, channelProfileId: 'slack_ops' }, 'ACCESS_DENIED'],
    ['no profile', { ...targetRef, channelProfileId: 'nobody' }, 'CHANNEL_PROFILE_UNKNOWN'],
    ['null', null, 'TARGET_REF_INVALID'],
  ])('rejects %s before anything is posted', async (_, ref, code) => {
    const { slack, rig } = await open();
    expect(await rig.refused('channel.post', { text: 'hello', targetRef: ref })).toMatchObject({ code });
    expect(slack.calls).toEqual([]);
  });
});
