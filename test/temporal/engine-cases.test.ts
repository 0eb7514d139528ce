import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, inject, it } from 'vitest';
import { document, languages, readCases, topics } from '../unit/engine/harness.js';

const cli = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'cases-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every engine case as a journey and a scenario file, in one of the languages. */
function writeCases(): void {
  for (const topic of topics) {
    readCases(topic).forEach((it, i) => {
      const lang = it.lang ?? languages[i % languages.length]!;
      const name = join(folder, `${topic}-${String(i).padStart(2, '0')}`);
      writeFileSync(`${name}.journey.json`, JSON.stringify(document(it.spec, lang, it)));
      const scenarios = Object.entries(it.scenarios).map(([scenario, fields]) => [`${it.name}: ${scenario}`, fields]);
      writeFileSync(`${name}.scenario.json`, JSON.stringify({ scenarios: Object.fromEntries(scenarios) }));
    });
  }
}

interface Report {
  passed: number;
  scenarios: { file: string; name: string; mismatches?: { subject: string; message: string }[] }[];
}

it('every engine case ends on Temporal as in virtual time', { timeout: 900_000 }, async () => {
  writeCases();
  const env = { ...process.env, TEMPORAL_ADDRESS: inject('temporalAddress') };
  const stdout = await new Promise<string>((resolve) => {
    const options = { env, maxBuffer: 1e8 };
    execFile(process.execPath, [cli, 'test', folder, '--temporal', '--format', 'json'], options, (_, out) =>
      resolve(out),
    );
  });
  const { passed, scenarios } = JSON.parse(stdout) as Report;
  const wrong = scenarios.flatMap(({ name, mismatches = [] }) =>
    mismatches.map(({ subject, message }) => `${name}: ${subject}: ${message}`),
  );
  expect(wrong).toEqual([]);
  expect(passed).toBeGreaterThan(100);
});
