import type { Command } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { paint } from '../../../src/app/safe-terminal-text.js';
import { wantsJson } from '../../../src/cli/options.js';
import { everyCommand, examplesIn, helpOf, programFor, wholeProgram } from '../../../src/cli/program.js';
import { journeymanCalls } from '../../support/shell-words.js';

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : 'journeyman';

/** Parses a call without running it; returns the command that it reaches. */
async function parsed(args: string[]): Promise<string> {
  let reached = '';
  const program = await wholeProgram();
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    const reach = () => {
      reached = pathOf(command);
    };
    if (command.commands.length === 0) command.action(reach);
  }
  await program.parseAsync(args, { from: 'user' });
  return reached;
}

describe('the help', async () => {
  const program = await wholeProgram();
  const commands = everyCommand(program).map((command) => [pathOf(command), command] as const);
  const examples = commands.flatMap(([path, command]) =>
    examplesIn(helpOf(command)).map((line) => [path, line] as const),
  );

  it.each(commands)('of %s has an example', (path, command) => {
    expect(examplesIn(helpOf(command)).filter((line) => line.includes(path))).not.toEqual([]);
  });

  it.each(examples.filter(([, line], i) => examples.findIndex((it) => it[1] === line) === i))(
    '%s: %s can be called',
    async (_, line) => {
      const calls = journeymanCalls(line);
      expect(calls).not.toEqual([]);
      for (const args of calls) expect(await parsed(args)).not.toBe('');
    },
  );

  it.each(commands.filter(([, { commands: subs }]) => subs.length === 0))('of %s has a description', (_, command) => {
    expect(command.description()).not.toBe('');
  });
});

describe('--json', () => {
  afterEach(() => vi.restoreAllMocks());

  it('exists wherever --format json does, with the same meaning', async () => {
    const all = everyCommand(await wholeProgram());
    const has = (command: Command, flag: string) => command.options.find(({ long }) => long === flag);
    const printing = all.filter((it) => has(it, '--format')?.argChoices?.includes('json'));
    expect(printing.length).toBeGreaterThan(20);
    expect(printing.filter((it) => !has(it, '--json'))).toEqual([]);
    const written = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    await (await programFor(['new'])).parseAsync(['new', '--list', '--json'], { from: 'user' });
    expect(JSON.parse(String(written.mock.calls[0]![0]))).toContainEqual({
      name: 'approval',
      summary: expect.any(String),
    });
    expect(wantsJson(['new', '--json'])).toBe(true);
  });
});

describe('colours', () => {
  const terminal = { isTTY: true, write: () => undefined };
  const pipe = { write: () => undefined };
  it.each([
    ['on a terminal', terminal, {}, true],
    ['not in a pipe', pipe, {}, false],
    ['not with NO_COLOR', terminal, { NO_COLOR: '1' }, false],
    ['not on a dumb terminal', terminal, { TERM: 'dumb' }, false],
    ['with FORCE_COLOR, also in a pipe and despite NO_COLOR', pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['not with FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, false],
  ])('%s', (_, output, env, coloured) => {
    expect(paint(output, env).red('x') !== 'x').toBe(coloured);
  });
});
