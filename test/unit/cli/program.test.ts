import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { paint } from '../../../src/app/safe-terminal-text.js';
import { ProblemError, problem } from '../../../src/base/problems/problem.js';
import { wantsJson } from '../../../src/cli/options.js';
import { programFor } from '../../../src/cli/program.js';
import { reportFailure, table, withHead } from '../../../src/cli/tables-progress-and-failures.js';

/** The output and exit code of the program for these arguments. */
async function called(...args: string[]): Promise<{ code: string; printed: string }> {
  let printed = '';
  const output = {
    writeOut: (text: string) => {
      printed += text;
    },
    writeErr: (text: string) => {
      printed += text;
    },
  };
  const program = await programFor(args);
  const every = [program, ...program.commands, ...program.commands.flatMap((it) => it.commands)];
  for (const command of every) command.exitOverride().configureOutput(output);
  const error = await program.parseAsync(args, { from: 'user' }).then(
    () => undefined,
    (thrown: { code: string }) => thrown,
  );
  return { code: error?.code ?? 'ran', printed };
}

describe('the command line', () => {
  it('exits silently when the reader closes the pipe', async () => {
    const shell = `node dist/src/cli/main.js test specs | head -n 1 >/dev/null; echo "$\{PIPESTATUS[0]}"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', shell]);
    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
  });

  it('lists every command', async () => {
    const { printed } = await called('--help');
    for (const name of ['up', 'worker', 'gateway', 'validate', 'test', 'eval', 'schema', 'schedule', 'doctor'])
      expect(printed).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  });

  it('prints the help of a command, by --help or help', async () => {
    const { printed } = await called('schedule', '--help');
    expect(printed).toContain('preview [options]');
    expect((await called('help', 'schedule')).printed).toBe(printed);
  });

  it.each([
    ['an unknown command', ['shedule'], 'Did you mean schedule?'],
    ['an unknown option', ['validate', '--strct'], 'Did you mean --strict?'],
    ['an unknown command below another', ['schedule', 'puase'], 'Did you mean pause?'],
    ['an extra argument', ['up', 'now'], 'too many arguments'],
    ['a missing argument', ['schedule', 'show'], "missing required argument 'id'"],
  ])('rejects %s with a hint about help', async (_, args, message) => {
    const { code, printed } = await called(...args);
    expect(code).toMatch(/^commander\./);
    expect(printed).toContain(message);
    expect(printed).toContain('(try --help)');
  });
});

describe('FLT-22 exit codes', () => {
  /** The exit code and standard error. */
  async function ended(...args: string[]): Promise<{ exit: number; stderr: string }> {
    let stderr = '';
    const take = (text: unknown) => {
      stderr += `${String(text)}\n`;
      return true;
    };
    const spies = [
      vi.spyOn(console, 'error').mockImplementation(take),
      vi.spyOn(process.stderr, 'write').mockImplementation(take),
      vi.spyOn(process.stdout, 'write').mockImplementation(() => true),
    ];
    try {
      await (await programFor(args)).parseAsync(args, { from: 'user' });
      return { exit: 0, stderr };
    } catch (error) {
      return { exit: reportFailure(error, wantsJson(args)), stderr };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  it.each([[['--help']], [['schedule', '--help']], [['--version']]])('%j: 0', async (args) => {
    expect((await ended(...args)).exit).toBe(0);
  });

  it.each([
    [['shedule']],
    [['validate', '--strct']],
    [['schedule', 'show']],
    [['schedule', 'list', '--limit', '0']],
    [['schedule', 'preview']],
    [['eval', '--mode', 'x']],
  ])('%j: called wrongly, 64', async (args) => {
    const { exit, stderr } = await ended(...args);
    expect(exit).toBe(64);
    expect(stderr).toContain('error: ');
  });

  it('with --format json errors are JSON, and nothing else is printed', async () => {
    const wrong = await ended('schedule', 'list', '--limit', '0', '--format', 'json');
    expect(wrong.exit).toBe(64);
    expect(JSON.parse(wrong.stderr)).toMatchObject({
      code: 'USAGE_INVALID',
      detail: expect.stringContaining('--limit'),
    });
    const missing = await ended('schedule', 'list', '--format=json', '--config', '/none.yaml');
    expect(missing.exit).toBe(1);
    expect(JSON.parse(missing.stderr)).toMatchObject({ code: 'CONFIG_FILE_MISSING' });
  });

  it('rejects a reason that HTTP rejects', async () => {
    const { exit, stderr } = await ended('schedule', 'pause', 's-1', '--reason', 'x'.repeat(501));
    expect(exit).toBe(1);
    expect(stderr).toContain('SCHEDULE_INVALID: The reason must be a text of at most 500 characters.');
  });

  it('tables are coloured on a terminal and aligned by visible width', () => {
    const colours = paint({ isTTY: true, write: () => undefined }, {});
    const rows = [
      ['A', 'STATE', 'C'],
      ['b', 'active', 'c'],
    ];
    expect(table(rows, withHead(colours))).toBe(
      '\u001b[1mA\u001b[0m  \u001b[1mSTATE\u001b[0m   \u001b[1mC\u001b[0m\nb  \u001b[32mactive\u001b[0m  c',
    );
  });
});

describe('errors of a command', () => {
  const reported = (error: unknown): string => {
    const spy = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    reportFailure(error);
    const lines = spy.mock.calls.map(([line]) => String(line));
    spy.mockRestore();
    return lines.join('\n');
  };
  const finding = {
    code: 'CONFIG_UNKNOWN_KEY',
    severity: 'error',
    message: 'Unknown key "prot"',
    pointer: '/prot',
  } as const;

  it('are printed once, each finding with its location', () => {
    const it_ = problem('CONFIG_FILE_INVALID', 'a.yaml:2:1: Unknown key "prot".', {
      instance: 'a.yaml',
      errors: [
        { ...finding, line: 2, column: 1, hint: 'Did you mean "port"?' },
        { ...finding, variable: 'JOURNEYMAN_X' } as typeof finding,
        finding,
      ],
    });
    expect(reported(new ProblemError(it_)).split('\n')).toEqual([
      'CONFIG_FILE_INVALID: The configuration has errors',
      '  a.yaml:2:1  CONFIG_UNKNOWN_KEY  Unknown key "prot" (Did you mean "port"?)',
      '  JOURNEYMAN_X  CONFIG_UNKNOWN_KEY  Unknown key "prot"',
      '  /prot  CONFIG_UNKNOWN_KEY  Unknown key "prot"',
    ]);
  });

  it('have detail and hint if there are no findings', () => {
    const it_ = problem('SCHEDULE_UNKNOWN', 'The schedule "x" does not exist.', { hint: 'List them.' });
    expect(reported(new ProblemError(it_))).toBe('SCHEDULE_UNKNOWN: The schedule "x" does not exist.\n  List them.');
  });
});

it('GAP-23 wrong usage exits with 64 and no stack', async () => {
  const main = new URL('../../../dist/src/cli/main.js', import.meta.url).pathname;
  const ran = promisify(execFile)(process.execPath, [main, 'run', 'start', '--filed', 'x']);
  const error = (await ran.catch((it: unknown) => it)) as { code: number; stderr: string };
  expect(error.code).toBe(64);
  expect(error.stderr).toContain('Did you mean --field?');
  expect(error.stderr).not.toContain('    at ');
});
