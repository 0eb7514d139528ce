import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { simulateCommand } from '../../../src/cli/author/simulate/simulate.js';
import { jobCommand } from '../../../src/cli/job/job-subcommands.js';
import { queueCommand } from '../../../src/cli/job/queue-command.js';
import { jsonValue, withInput } from '../../../src/cli/json-input-option.js';
import { pipelineCommand } from '../../../src/cli/pipeline/pipeline-subcommands.js';
import { runCommand } from '../../../src/cli/run/run-subcommands.js';

const named = (command: Command, name: string) => command.commands.find((it) => it.name() === name)!;

describe('input of commands', () => {
  it.each([
    ['run start', named(runCommand(), 'start')],
    ['run submit', named(runCommand(), 'submit')],
    ['simulate', simulateCommand()],
    ['pipeline publish', named(pipelineCommand(), 'publish')],
    ['job create', named(jobCommand(), 'create')],
    ['queue add', named(queueCommand(), 'add')],
  ])('R15-RUNS is called --input in %s', (_, command) => {
    expect(command.options.map(({ long }) => long)).toContain('--input');
  });

  it('R15-RUNS --input accepts JSON and the name of a file', () => {
    const read = (text: string) =>
      withInput(new Command(), 'it', jsonValue)
        .exitOverride()
        .configureOutput({ writeErr: () => undefined })
        .parse(['--input', text], { from: 'user' })
        .opts();
    const file = join(mkdtempSync(join(tmpdir(), 'input-')), 'it.json');
    writeFileSync(file, '[2]');
    expect(read('{"n":1}')).toEqual({ input: { n: 1 } });
    expect(read(`@${file}`)).toEqual({ input: [2] });
    expect(() => read('{')).toThrow(/Not valid JSON/);
    expect(() => read('@/not/there')).toThrow(/cannot be read/);
  });
});
