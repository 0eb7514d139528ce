import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { FileAudit } from '../../../src/app/telemetry/audit-file.js';
import { orchestratorsOf } from '../../../src/service/orchestrators.js';

function scope(root: string) {
  return orchestratorsOf({
    orchestrators: { eng: { root, journeys: [], functions: [], shared: [] } },
    channelProfiles: {},
  });
}

const folder = () => mkdtempSync(join(tmpdir(), 'jm-audit-'));
const silent = pino({ level: 'silent' });

describe('R3-56 SCH-D18 the audit log', () => {
  it('has a line of JSON for each event, in order, below the root of the orchestrator', async () => {
    const root = folder();
    const audit = new FileAudit(scope(root), silent, { now: () => new Date('2030-01-07T12:00:00Z') });
    await Promise.all(
      ['a', 'b', 'c'].map((jobId) =>
        audit.record({ event: 'scheduler.job.created', orchestratorId: 'eng', jobId, by: { caller: 'key:ann' } }),
      ),
    );
    const lines = readFileSync(join(root, 'automation/audit.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      ['a', 'b', 'c'].map((jobId) => ({
        at: '2030-01-07T12:00:00.000Z',
        event: 'scheduler.job.created',
        orchestratorId: 'eng',
        jobId,
        by: { caller: 'key:ann' },
      })),
    );
  });

  it('is rotated when it is full, and the newest files are kept', async () => {
    const root = folder();
    let second = 0;
    const now = () => new Date(Date.UTC(2030, 0, 1, 0, 0, ++second));
    const audit = new FileAudit(scope(root), silent, { rotateBytes: 10, keep: 2, now });
    for (let i = 0; i < 5; i++)
      await audit.record({ event: 'scheduler.job.paused', orchestratorId: 'eng', jobId: `job-${i}` });
    const files = readdirSync(join(root, 'automation')).sort();
    expect(files).toEqual([
      'audit-2030-01-01T00-00-04.000Z.jsonl',
      'audit-2030-01-01T00-00-05.000Z.jsonl',
      'audit.jsonl',
    ]);
    const ids = files.map((name) => JSON.parse(readFileSync(join(root, 'automation', name), 'utf8')).jobId);
    expect(ids).toEqual(['job-2', 'job-3', 'job-4']);
  });

  it('survives disk errors, and logs how many entries were lost', async () => {
    const root = join(folder(), 'file');
    writeFileSync(root, 'not a folder');
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const audit = new FileAudit(scope(root), log);
    await audit.record({ event: 'scheduler.job.deleted', orchestratorId: 'eng', jobId: 'job-1' });
    await audit.record({ event: 'scheduler.started', orchestratorId: 'gone' });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'The audit log cannot be written', audit: { event: 'scheduler.job.deleted', jobId: 'job-1' } },
      { audit: { event: 'scheduler.started', orchestratorId: 'gone' } },
    ]);
  });
});
