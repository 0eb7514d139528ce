import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { describe, expect, inject, it } from 'vitest';
import { blocksOf } from '../support/doc-blocks.js';

const path = (file: string) => (isAbsolute(file) ? file : fileURLToPath(new URL(file, import.meta.url)));

/** Plays a file on the shared server. */
async function play(file: string, more: NodeJS.ProcessEnv = {}) {
  const args = [path('../../dist/src/cli/main.js'), 'test', path(file), '--temporal', '--format', 'json'];
  const env = { ...process.env, TEMPORAL_ADDRESS: inject('temporalAddress'), ...more };
  // A failed scenario causes an exit code of 1, and is in the report.
  const { stdout } = await promisify(execFile)(process.execPath, args, { env }).catch((error) => error);
  const report = JSON.parse(stdout) as { scenarios: { name: string; passed: boolean; mismatches?: unknown[] }[] };
  return {
    report,
    mismatches: report.scenarios.flatMap(({ name, mismatches = [] }) => mismatches.map((it) => ({ name, it }))),
  };
}

// Plays mostly wait, so the longest runs concurrently with the others.
describe.concurrent('scenarios on a real server', () => {
  it('every scenario of the examples passes on a real server: journeys, their schedules and pipelines', async () => {
    const { report, mismatches } = await play('../../specs');
    expect(mismatches).toEqual([]);
    expect(report).toMatchObject({ failed: 0, skipped: 0 });
  });

  describe.sequential('of one file', () => {
    it('the scenarios of a file pass on a real server as in virtual time', async () => {
      const { report, mismatches } = await play('../unit/scenarios/fixtures/refund.scenario.yaml');
      expect(mismatches).toEqual([]);
      expect(report).toMatchObject({ passed: 6, failed: 0, skipped: 0 });
    });

    it('FLT-1 a scenario with a slow reply shows its calls, without a time scale', async () => {
      const { report, mismatches } = await play('fixtures/slow-get.scenario.yaml');
      expect(mismatches).toEqual([]);
      expect(report).toMatchObject({ passed: 3, failed: 0, skipped: 0 });
    });

    it('a scenario does not see cache entries of another one, as in virtual time', async () => {
      const { report, mismatches } = await play('fixtures/cached.scenario.yaml');
      expect(mismatches).toEqual([]);
      expect(report).toMatchObject({ passed: 2, failed: 0, skipped: 0 });
    });

    it('R15 a failed scenario names the missing secret, and so does the call', async () => {
      const { report } = await play('fixtures/signed.scenario.yaml');
      expect(report.scenarios).toMatchObject([
        { passed: true },
        { passed: false, missingSecrets: ['The secret secret://nobody/knows is not configured'] },
      ]);
    });

    it('NEW-26 foreign activities and workflows, and other journeys, return scripted results instead of running', async () => {
      const allowed = {
        JOURNEYMAN_TASKS_ACTIVITIES: '{ "payments": ["ChargeCard"] }',
        JOURNEYMAN_TASKS_WORKFLOWS: '{ "shipping": ["ShipOrder"] }',
      };
      const folder = mkdtempSync(join(tmpdir(), 'journeyman-activities-'));
      const blocks = blocksOf('docs/activities.md').filter(({ text }) => /^(apiVersion|given):/.test(text));
      expect(blocks).toHaveLength(6);
      let name = '';
      for (const { text } of blocks) {
        name = /metadata: \{ name: ([\w-]+)/.exec(text)?.[1] ?? name;
        const kind = text.startsWith('given:') ? 'scenario' : 'journey';
        writeFileSync(join(folder, `${name}.${kind}.yaml`), text);
      }
      const { report, mismatches } = await play(folder, allowed);
      rmSync(folder, { recursive: true });
      expect(mismatches).toEqual([]);
      expect(report).toMatchObject({ passed: 8, failed: 0, skipped: 0 });
    });

    it('a pipeline follows its calendars on a real server, on the clock of the scenario', async () => {
      const { report, mismatches } = await play('fixtures/harbour/tides.scenario.yaml');
      expect(mismatches).toMatchObject([
        {
          name: 'what is wrong is said',
          it: { subject: 'producers.sweep.state', message: 'expected "idle", got "running"' },
        },
      ]);
      expect(report).toMatchObject({ passed: 2, failed: 1, skipped: 1 });
    });

    it('a schedule that a run creates starts its runs on a real server, each from the previous one', async () => {
      const { report, mismatches } = await play('fixtures/harbour/nightly.scenario.yaml');
      expect(mismatches).toMatchObject([
        { name: 'what is wrong is said', it: { subject: 'schedules[0].context.nights' } },
      ]);
      expect(report).toMatchObject({ passed: 2, failed: 1, skipped: 0 });
    });

    it('values that handlers generate and the time of checks do not affect a play on a real server, which leaves nothing behind', async ({
      expect,
    }) => {
      const [pipeline, journey] = await Promise.all([
        play('fixtures/harbour/dredger.scenario.yaml'),
        play('fixtures/harbour/dues.scenario.yaml'),
      ]);
      expect([...pipeline.mismatches, ...journey.mismatches]).toEqual([]);
      expect([pipeline.report, journey.report]).toMatchObject([{ passed: 1 }, { passed: 3 }]);
      const connection = await Connection.connect({ address: inject('temporalAddress') });
      const { workflowService } = connection;
      const left = async () => {
        // Not with the SDK's lists, which decode every memo: those of other tests may be encrypted.
        const { schedules } = await workflowService.listSchedules({ namespace: 'default', maximumPageSize: 1_000 });
        const { executions } = await workflowService.listWorkflowExecutions({
          namespace: 'default',
          query: `ExecutionStatus = 'Running'`,
          pageSize: 1_000,
        });
        const ids = [...schedules.map((it) => it.scheduleId), ...executions.map((it) => it.execution?.workflowId)];
        return ids.filter((id) => /dredger|nightly|dues/.test(id ?? ''));
      };
      await expect.poll(left).toEqual([]);
      await connection.close();
    });
  });
});
