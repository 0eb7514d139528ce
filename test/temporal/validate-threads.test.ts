import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readJourneys } from '../../src/library/journeys.js';

const journey = (i: number) => `apiVersion: v1
kind: Journey
metadata: { name: tea-${i % 400}, version: 1.0.0 }
spec:
  start: a
  states:
    a: { type: ${i % 7 === 0 ? 'sucede' : 'succeed'} }
    ${i % 5 === 0 ? 'lost: { type: succeed }' : '# fine'}
`;

// Here because threads run what was built.
it('R15-VALIDATE many files are shared among threads, and give the same findings in the same order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'journeyman-threads-'));
  try {
    for (let i = 0; i < 450; i++) writeFileSync(join(folder, `${i}.journey.yaml`), journey(i));
    const args = [resolve('dist/src/cli/main.js'), 'validate', folder, '--json'];
    const { stdout, code } = await new Promise<{ stdout: string; code: unknown }>((done) => {
      execFile(process.execPath, args, { maxBuffer: 50_000_000 }, (error, out) =>
        done({ stdout: out, code: error?.code }),
      );
    });
    const alone = await readJourneys([folder]);
    const shared = JSON.parse(stdout) as {
      findings: unknown;
      files: unknown;
      journeys: { name: string; hash: string }[];
    };
    expect(code).toBe(1);
    expect(alone.findings.length).toBeGreaterThan(100);
    expect(shared.findings).toEqual(alone.findings);
    expect(shared.files).toEqual(alone.files);
    const hashes = [...alone.byName.values()].flat().map(({ definition: { name }, hash }) => ({ name, hash }));
    expect(shared.journeys).toMatchObject(hashes);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
