import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { jsonValue, withInput } from '../../../src/cli/input.js';
import { jobCommand } from '../../../src/cli/job.js';
import { pipelineCommand } from '../../../src/cli/pipeline.js';
import { queueCommand } from '../../../src/cli/queue.js';
import { runCommand } from '../../../src/cli/run.js';
import { simulateCommand } from '../../../src/cli/simulate.js';

const named = (command: Command, name: string) => command.commands.find((it) => it.name() === name)!;

describe('what a command is given', () => {
  it.each([
    ['run start', named(runCommand(), 'start')],
    ['run submit', named(runCommand(), 'submit')],
    ['simulate', simulateCommand()],
    ['pipeline publish', named(pipelineCommand(), 'publish')],
    ['job create', named(jobCommand(), 'create')],
    ['queue add', named(queueCommand(), 'add')],
  ])(
    'R15-RUNS is called --input in %s; the older names work there, and the help does not dwell on them',
    (_, command) => {
      const shown = command.createHelp().visibleOptions(command);
      expect(shown.map(({ long }) => long)).toContain('--input');
      for (const flag of ['--data', '--payload']) {
        expect(shown.map(({ long }) => long)).not.toContain(flag);
        expect(command.options.find(({ long }) => long === flag)?.attributeName()).toBe('input');
      }
    },
  );

  it.each(['--input', '--data', '--payload'])('R15-RUNS %s takes JSON and the name of a file', (flag) => {
    const read = (text: string) =>
      withInput(new Command(), 'it', jsonValue)
        .exitOverride()
        .configureOutput({ writeErr: () => undefined })
        .parse([flag, text], { from: 'user' })
        .opts();
    const file = join(mkdtempSync(join(tmpdir(), 'input-')), 'it.json');
    writeFileSync(file, '[2]');
    expect(read('{"n":1}')).toEqual({ input: { n: 1 } });
    expect(read(`@${file}`)).toEqual({ input: [2] });
    expect(() => read('{')).toThrow(/It is not JSON/);
    expect(() => read('@/not/there')).toThrow(/cannot be read/);
  });
});
