import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { costCommand } from '../../../src/cli/author/cost.js';
import { fmtCommand } from '../../../src/cli/author/fmt.js';
import { captured } from './capture.js';

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
  const { folder, printed, run } = captured(fmtCommand);
  const file = () => join(folder(), 'tea.journey.yaml');

  it('--check lists files that would change, without changing them', async () => {
    await writeFile(file(), messy);
    expect(await run('--check', folder())).toBe(1);
    expect(printed()).toContain('tea.journey.yaml is not formatted\n1 file, 1 would change.');
    expect(await readFile(file(), 'utf8')).toBe(messy);
  });

  it('is idempotent', async () => {
    await writeFile(file(), messy);
    expect(await run(folder())).toBe(0);
    expect(await readFile(file(), 'utf8')).toBe(tidy);
    expect(await run('--check', folder())).toBe(0);
    expect(printed()).toContain('1 file, 0 would change.');
  });

  it('--long and --short write the other form, and --check compares with it', async () => {
    const states = (end: string) => tidy.replace('{ a: { type: succeed } }', end);
    const polled = 'a: { timer: { duration: { expr: context.pause } }, next: b }';
    await writeFile(
      file(),
      states(`{ ${polled}, b: { type: fail, errorCode: { expr: context.code }, reason: none } }`),
    );
    await run(folder());
    expect(await run('--short', '--check', folder())).toBe(0);
    expect(await run('--long', '--check', folder())).toBe(1);
    expect(await run('--long', folder())).toBe(0);
    expect(await readFile(file(), 'utf8')).toContain('{ mapper: { lang: dataweave, expr: context.pause } }');
    expect(printed()).toContain('tea.journey.yaml keeps extensions without a long form: FAIL_EXTENSION');
    expect(await run('--long', '--check', folder())).toBe(0);
    expect(await run('--short', folder())).toBe(0);
    expect(await readFile(file(), 'utf8')).toContain('duration: { expr: context.pause }');
  });

  it('--long leaves a document with errors unchanged, and prints them', async () => {
    const broken = messy.replace('start: a', 'start: c');
    await writeFile(file(), broken);
    expect(await run('--long', folder())).toBe(1);
    expect(printed()).toContain('START_UNKNOWN');
    expect(await readFile(file(), 'utf8')).toBe(broken);
  });

  it('leaves invalid YAML unchanged and prints the reason', async () => {
    await writeFile(file(), 'a: [1\nb: 2\n');
    expect(await run(folder())).toBe(1);
    expect(printed()).toContain('tea.journey.yaml:2:1 error DOC_PARSE A ] is missing before this line.');
    expect(await readFile(file(), 'utf8')).toBe('a: [1\nb: 2\n');
  });

  it('cost finds a journey of the configured folder by name', async () => {
    await writeFile(file(), tidy);
    await writeFile(join(folder(), 'cup.journey.yaml'), tidy.replace('tea', 'cup'));
    vi.stubEnv('JOURNEYMAN_SPECS', folder());
    await costCommand().parseAsync(['tea', '--format', 'json'], { from: 'user' });
    expect(JSON.parse(printed()).journeys).toMatchObject([{ name: 'tea' }]);
    await expect(costCommand().parseAsync(['taa'], { from: 'user' })).rejects.toMatchObject({
      problem: { code: 'JOURNEY_UNKNOWN', hint: 'Did you mean "tea"?' },
    });
  });

  it('cost prints a table, or JSON', async () => {
    await writeFile(file(), tidy);
    await costCommand().parseAsync([folder()], { from: 'user' });
    const table = printed();
    expect(table).toMatch(/events +activities +local +calls +timers +steps +bytes +path\n7 +0 +0 +0 +0 +0 +\d+ +a/);
    await costCommand().parseAsync([folder(), '--format', 'json'], { from: 'user' });
    expect(JSON.parse(printed().slice(table.length))).toMatchObject({
      journeys: [{ name: 'tea', paths: [{ states: ['a'] }], loops: [] }],
    });
  });
});
