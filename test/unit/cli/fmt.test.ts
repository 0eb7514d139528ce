import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { costCommand } from '../../../src/cli/cost.js';
import { fmtCommand } from '../../../src/cli/fmt.js';

const messy = `kind: Journey
apiVersion: v1 # always
metadata: {version: 1.0.0, name: tea}
spec: { states: { a: { type: succeed } }, start: a }
`;
const tidy = `apiVersion: v1 # always
kind: Journey
metadata: { name: tea, version: 1.0.0 }
spec: { start: a, states: { a: { type: succeed } } }
`;

describe('journeyman fmt and cost', () => {
  let folder: string;
  let file: string;
  let printed: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fmt-'));
    file = join(folder, 'tea.journey.yaml');
    printed = '';
    for (const to of ['log', 'error'] as const)
      vi.spyOn(console, to).mockImplementation((text) => {
        printed += `${String(text)}\n`;
      });
    vi.stubEnv('NO_COLOR', '1');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
    await rm(folder, { recursive: true });
  });
  const run = async (...args: string[]) => {
    await fmtCommand().parseAsync(args, { from: 'user' });
    return process.exitCode;
  };

  it('--check names what would change, and changes nothing', async () => {
    await writeFile(file, messy);
    expect(await run('--check', folder)).toBe(1);
    expect(printed).toContain('tea.journey.yaml is not in its layout\n1 file, 1 would change.');
    expect(await readFile(file, 'utf8')).toBe(messy);
  });

  it('writes the layout once', async () => {
    await writeFile(file, messy);
    expect(await run(folder)).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(tidy);
    expect(await run('--check', folder)).toBe(0);
    expect(printed).toContain('1 file, 0 would change.');
  });

  it('leaves a text alone that is not YAML, and says why', async () => {
    await writeFile(file, 'a: [1\nb: 2\n');
    expect(await run(folder)).toBe(1);
    expect(printed).toContain('tea.journey.yaml:2:1 error DOC_PARSE A ] is missing before this line.');
    expect(await readFile(file, 'utf8')).toBe('a: [1\nb: 2\n');
  });

  it('cost prints a table, or JSON', async () => {
    await writeFile(file, tidy);
    await costCommand().parseAsync([folder], { from: 'user' });
    expect(printed).toMatch(/events +activities +local +calls +timers +steps +bytes +way\n7 +0 +0 +0 +0 +0 +\d+ +a/);
    printed = '';
    await costCommand().parseAsync([folder, '--format', 'json'], { from: 'user' });
    expect(JSON.parse(printed)).toMatchObject({ journeys: [{ name: 'tea', paths: [{ states: ['a'] }], loops: [] }] });
  });
});
