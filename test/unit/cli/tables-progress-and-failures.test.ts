import { expect, it, vi } from 'vitest';
import { type Output, paint } from '../../../src/app/safe-terminal-text.js';
import { ProblemError, problem } from '../../../src/base/problems/problem.js';
import { ProgressLine, reportFailure, table } from '../../../src/cli/tables-progress-and-failures.js';

function screen(isTTY: boolean, columns = 80): Output & { text: string } {
  return {
    isTTY,
    columns,
    text: '',
    write(text) {
      this.text += text;
    },
  };
}
const esc = '\u001b';

it('a terminal shows a bar that changes in place', () => {
  const output = screen(true);
  const line = new ProgressLine(output, () => 0);
  line.update({ message: 'downloading x', bytes: 5_000_000, total: 20_000_000 });
  expect(output.text).toBe(`\r${esc}[Kdownloading x █████░░░░░░░░░░░░░░░  25 % of 20.0 MB`);
  line.clear();
  expect(output.text.endsWith(`\r${esc}[K`)).toBe(true);
});

it('without a total it shows the time that passed', () => {
  let now = 0;
  const output = screen(true);
  const line = new ProgressLine(output, () => now);
  line.update({ message: 'building' });
  now = 61_000;
  line.update({ message: 'building' });
  expect(output.text).toMatch(/building 61 s$/);
});

it('a line never wraps', () => {
  const output = screen(true, 20);
  new ProgressLine(output, () => 0).update({ message: 'm'.repeat(100) });
  expect(output.text.replace(`\r${esc}[K`, '')).toHaveLength(19);
});

it('a pipe gets one line for each message', () => {
  const output = screen(false);
  const line = new ProgressLine(output);
  for (const bytes of [1, 2, 3]) line.update({ message: 'downloading', bytes, total: 3 });
  line.update({ message: 'unpacking' });
  line.clear();
  expect(output.text).toBe('downloading …\nunpacking …\n');
});

it('an error about several files names the file of each finding', () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const finding = { code: 'DOC_PARSE', severity: 'error', message: 'No.', pointer: '', line: 3, column: 7 } as const;
  const errors = [{ file: 'specs/a.journey.yaml', ...finding }];
  reportFailure(new ProblemError(problem('DIFF_SOURCE_INVALID', 'Documents of main have errors.', { errors })));
  const lines = printed.mock.calls.map(([line]) => String(line));
  printed.mockRestore();
  expect(lines[1]).toBe('  specs/a.journey.yaml:3:7  DOC_PARSE  No.');
});

it.each([
  [true, {}, true],
  [true, { NO_COLOR: '1' }, false],
  [true, { TERM: 'dumb' }, false],
  [false, {}, false],
])('colours: terminal %s with %o', (isTTY, env, coloured) => {
  expect(paint(screen(isTTY), env).red('x').includes(esc)).toBe(coloured);
});

it('a table is aligned and has no trailing blanks', () => {
  const rows = [
    ['a', 'bb', 'c'],
    ['ccc', 'd', ''],
  ];
  expect(table(rows)).toBe('a    bb  c\nccc  d');
});
