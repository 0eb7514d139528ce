import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyCommand, wholeProgram } from '../../../src/cli/program.js';
import { commandWords, completionCommand } from '../../../src/cli/shell-completion.js';

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

describe('shell completion', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'completion-'));
    for (const shell of ['bash', 'zsh', 'fish']) {
      const write = (text: string) => writeFileSync(join(folder, `script.${shell}`), text);
      await completionCommand(wholeProgram, { write }).parseAsync([shell], { from: 'user' });
    }
    writeFileSync(join(folder, 'order.journey.yaml'), '');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (shell: string, script: string): string => {
    const { stdout, stderr, status } = spawnSync(shell, ['-c', script], { cwd: folder, encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    return stdout;
  };

  /** The completions of each shell after these words; the last word is being typed. */
  const offers: Record<string, (words: readonly string[]) => string[]> = {
    bash: (words) => {
      const list = words.map((word) => `'${word}'`).join(' ');
      const script = `source script.bash; COMP_WORDS=(journeyman ${list}); COMP_CWORD=${words.length}; _journeyman`;
      return run('bash', `${script}; printf '%s\\n' "\${COMPREPLY[@]}"`).split('\n');
    },
    fish: (words) =>
      run('fish', `source script.fish; complete -C 'journeyman ${words.join(' ')}'`)
        .split('\n')
        .map((line) => line.split('\t')[0]!),
    // The input of its completion system only: the system itself needs a terminal.
    zsh: (words) => {
      const completion = `compdef() { }; _files() { print -l -- *; }; compadd() { shift; print -l -- "$@"; }
        _describe() { print -l -- \${\${(P)2}%%:*}; }; source ./script.zsh
        words=(journeyman ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _journeyman`;
      return run('zsh', completion).split('\n');
    },
  };

  describe.each(['bash', 'zsh', 'fish'])('of %s', (shell) => {
    it.skipIf(!isInstalled(shell))('knows commands, options, their values and files', async () => {
      const offered = offers[shell]!;
      const names = (await wholeProgram()).commands.map((it) => it.name());
      expect(offered([''])).toEqual(expect.arrayContaining(names));
      expect(offered(['schedule', ''])).toEqual(expect.arrayContaining(['list', 'preview']));
      expect(offered(['schedule', '--config', 'x', 'list', '--'])).toEqual(
        expect.arrayContaining(['--subject', '--json']),
      );
      expect(offered(['schedule', 'list', '--state', ''])).toEqual(expect.arrayContaining(['active', 'paused']));
      expect(offered(['new', ''])).toEqual(expect.arrayContaining(['approval', 'pipeline']));
      expect(offered(['validate', ''])).toContain('order.journey.yaml');
      expect(offered(['validate', '--config', ''])).toContain('order.journey.yaml');
      expect(offered(['schedule', 'show', ''])).not.toContain('order.journey.yaml');
    });
  });

  it('has every command and every option', async () => {
    const program = await wholeProgram();
    const words = commandWords(program);
    const flags = words.flatMap(({ path, options }) =>
      options.flatMap((it) => it.flags.map((flag) => `${path} ${flag}`)),
    );
    for (const command of everyCommand(program)) {
      const path = command.parent ? [command.parent.parent && command.parent.name(), command.name()] : [];
      const at = path.flatMap((it) => it ?? []).join(' ');
      for (const { long, hidden } of command.options) if (!hidden) expect(flags).toContain(`${at} ${long}`);
    }
  });
});
