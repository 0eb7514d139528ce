import { expect, it } from 'vitest';
import { problem } from '../../../src/base/problems/problem.js';
import { pipelineCommand } from '../../../src/cli/pipeline/pipeline-subcommands.js';
import type { Config } from '../../../src/config/config-types.js';
import { loadConfig } from '../../../src/config/load-config.js';
import type { PipelineEntry } from '../../../src/service/library-interface.js';
import { FakePipelines, pipelineShown } from '../gateway/fake-pipelines.js';

class Deploying extends FakePipelines {
  override async deploy(entry?: PipelineEntry): Promise<never> {
    return { name: entry!.definition.name, version: '1.0.0', result: 'created', schedules: ['poll'] } as never;
  }

  override async removeOthers(deployer?: string, kept?: readonly string[]): Promise<never> {
    this.calls.push(['removeOthers', deployer, kept]);
    return [{ name: 'old' }, { name: 'sealed', problem: problem('PAYLOAD_KEY_UNKNOWN', 'It is locked.') }] as never;
  }
}

async function run(args: string[], pipelines: FakePipelines = new FakePipelines(), findings: object[] = []) {
  let printed = '';
  let errors = '';
  const command = pipelineCommand({
    out: { write: (text) => (printed += text) },
    errors: { write: (text) => (errors += text) },
    open: async () => ({
      config: loadConfig({ env: { JOURNEYMAN_PIPELINES_DEPLOYER: 'ci' } }) as Config,
      pipelines,
      close: async () => undefined,
    }),
    read: async () =>
      ({ pipelines: () => [{ definition: { name: 'inbox' }, hash: 'h' }], findings, names: () => [] }) as never,
  });
  await command.exitOverride().parseAsync(args, { from: 'user' });
  return { printed, errors, pipelines };
}

it('shows a pipeline as a page, and as JSON', async () => {
  const { printed } = await run(['show', 'inbox']);
  expect(printed).toMatch(/Status +running/);
  // GAP-19: bytes and remaining space of each topic.
  expect(printed).toMatch(/mails +1 +0 +71 +9999 events, 999929 bytes +answer/);
  expect(printed).toMatch(/poll +idle +every 5 minutes +2030-01-01T00:05:00.000Z/);
  expect(JSON.parse((await run(['show', 'inbox', '--format', 'json'])).printed)).toEqual(pipelineShown('inbox'));
  expect((await run(['list'])).printed).toMatch(/inbox +1.0.0 +running/);
});

it('untrusted text cannot control the terminal', async () => {
  const pipelines = new FakePipelines();
  pipelines.show = async () =>
    pipelineShown('inbox', { pauses: [{ reason: 'user', at: '2030-01-01T00:00:00.000Z', text: '\u001b[2Jgone' }] });
  expect((await run(['show', 'inbox'], pipelines)).printed).toContain('\\u001b[2Jgone');
});

it('GAP-4 a document that is deployed to a paused pipeline is reported as paused', async () => {
  const text =
    'Paused since 2030-01-01T00:00:00.000Z: answer failed. Fix the cause, then run: journeyman pipeline resume inbox';
  const pipelines = new FakePipelines();
  Object.assign(pipelines, {
    deploy: async () => ({ name: 'inbox', version: '1.0.0', result: 'changed', schedules: [], pause: text }),
    removeOthers: async () => [],
    list: async () => [
      {
        name: 'inbox',
        version: '1',
        status: 'paused',
        deployer: 'd',
        startedAt: '',
        pause: { reason: 'failed', text },
      },
    ],
  });
  const { printed } = await run(['deploy'], pipelines);
  expect(printed).toContain(`inbox is deployed, but it stays paused. ${text}`);
  expect((await run(['list'], pipelines)).printed).toContain(`inbox: ${text}`);
});

it('publishes, triggers, pauses and resolves', async () => {
  const pipelines = new FakePipelines();
  expect((await run(['publish', 'inbox', 'mails', '--id', 'm-1', '--input', '{"n":1}'], pipelines)).printed).toBe(
    'm-1 accepted\n',
  );
  await run(['trigger', 'inbox', 'poll', '--request-id', 'r'], pipelines);
  await run(['pause', 'inbox', '--reason', 'later'], pipelines);
  await run(['resume', 'inbox'], pipelines);
  await run(['resolve', 'inbox', 'answer-1', 'did_not_happen'], pipelines);
  expect(pipelines.calls).toEqual([
    ['publish', 'inbox', { topic: 'mails', id: 'm-1', payload: { n: 1 } }],
    ['trigger', 'inbox', 'poll', 'r'],
    ['pause', 'inbox', expect.stringMatching(/^Paused by .*: later$/)],
    ['resume', 'inbox'],
    ['resolve', 'inbox', 'answer-1', 'did_not_happen'],
  ]);
  await expect(run(['resolve', 'inbox', 'answer-1', 'maybe'])).rejects.toMatchObject({
    problem: { code: 'PIPELINE_MESSAGE_INVALID' },
  });
});

it('deploys as its own deployer and prints the result of each document', async () => {
  const pipelines = new Deploying();
  const { printed } = await run(['deploy'], pipelines);
  expect(printed).toBe(
    'inbox is deployed; Schedules set for poll\nold is paused: its document was removed\n' +
      'sealed could not be paused after its document was removed. PAYLOAD_KEY_UNKNOWN: It is locked.\n',
  );
  expect(pipelines.calls).toEqual([['removeOthers', 'ci', ['inbox']]]);
});

it('pauses nothing if a document is unreadable or only some are deployed', async () => {
  const broken = [{ file: 'x.pipeline.yaml', severity: 'error', code: 'DOC_PARSE', message: 'no', pointer: '' }];
  for (const [args, findings] of [
    [['deploy', '--format', 'json'], broken] as const,
    [['deploy', 'inbox'], []] as const,
  ]) {
    const pipelines = new Deploying();
    await run([...args], pipelines, [...findings]);
    expect(pipelines.calls).toEqual([]);
  }
  await expect(run(['deploy', 'outbox'])).rejects.toMatchObject({ problem: { code: 'PIPELINE_UNKNOWN' } });
});

it('prints why a document was not deployed', async () => {
  const pipelines = new Deploying();
  const { ProblemError } = await import('../../../src/base/problems/problem.js');
  pipelines.deploy = async () => {
    throw new ProblemError(problem('PIPELINE_TOPIC_IN_USE', 'It drops mails.'));
  };
  const before = process.exitCode;
  const { printed } = await run(['deploy', 'inbox'], pipelines);
  expect(printed).toContain('inbox was not deployed. PIPELINE_TOPIC_IN_USE: It drops mails.');
  expect(process.exitCode).toBe(1);
  process.exitCode = before;
});
