import { describe, expect, it, vi } from 'vitest';
import { reportFailure } from '../../../src/cli/failure.js';
import { programFor } from '../../../src/cli/program.js';
import { ProblemError, problem } from '../../../src/problems/problem.js';

/** What the program prints for these arguments, and the code it leaves with. */
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
  it('lists every command', async () => {
    const { printed } = await called('--help');
    for (const name of ['up', 'worker', 'gateway', 'validate', 'test', 'eval', 'schema', 'schedule', 'doctor'])
      expect(printed).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  });

  it('explains a command, asked either way', async () => {
    const { printed } = await called('schedule', '--help');
    expect(printed).toContain('preview [options]');
    expect((await called('help', 'schedule')).printed).toBe(printed);
  });

  it.each([
    ['an unknown command', ['shedule'], 'Did you mean schedule?'],
    ['an unknown option', ['validate', '--strct'], 'Did you mean --strict?'],
    ['an unknown command below another', ['schedule', 'puase'], 'Did you mean pause?'],
    ['an argument too many', ['up', 'now'], 'too many arguments'],
    ['a missing argument', ['schedule', 'show'], "missing required argument 'id'"],
  ])('refuses %s and says where help is', async (_, args, said) => {
    const { code, printed } = await called(...args);
    expect(code).toMatch(/^commander\./);
    expect(printed).toContain(said);
    expect(printed).toContain('(try --help)');
  });
});

describe('what stopped a command', () => {
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

  it('is said once, each finding with its place', () => {
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

  it('has its detail and hint where there are no findings', () => {
    const it_ = problem('SCHEDULE_UNKNOWN', 'There is no schedule "x".', { hint: 'List them.' });
    expect(reported(new ProblemError(it_))).toBe('SCHEDULE_UNKNOWN: There is no schedule "x".\n  List them.');
  });
});
