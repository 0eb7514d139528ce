import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Output, paint, safe, safeJson, safeLines } from '../../../src/app/safe-terminal-text.js';
import { createLog } from '../../../src/app/telemetry/log.js';
import { ProblemError, problem } from '../../../src/base/problems/problem.js';
import { withCaret } from '../../../src/cli/author/eval/eval.js';
import { printFindings } from '../../../src/cli/author/print-findings.js';
import { testCommand } from '../../../src/cli/author/test/test.js';
import { doctorCommand } from '../../../src/cli/doctor/doctor.js';
import {
  previewText,
  scheduleDetailsText,
  scheduledRunsText,
  scheduleListText,
} from '../../../src/cli/schedule/schedule-text.js';
import { reportFailure, table } from '../../../src/cli/tables-progress-and-failures.js';
import { scheduleView } from '../gateway/fake-schedules.js';

/** Clears the screen, rings, ends the line, starts another, reverses the text; in seven and in eight bits. */
const hostile = 'a\u001b[2J\u0007\r\nb\u009b31m\u202ec\u2028';
const shown = 'a\\u001b[2J\\u0007\\r\\nb\\u009b31m\\u202ec\\u2028';

/** Everything that a terminal would interpret, except line breaks and our colours. */
function controlsIn(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const painted = text.replace(/\u001b\[(0|1|2|31|32|33)m/g, '');
  return painted.match(/[^\P{Cc}\n]|[\u202a-\u202e\u2028\u2029]/gu) ?? [];
}

let printed: string;
const output: Output = { isTTY: true, write: (text) => (printed += text) };
let cwd: string;
beforeEach(() => {
  printed = '';
  cwd = mkdtempSync(join(tmpdir(), 'terminal-'));
  vi.spyOn(console, 'error').mockImplementation((text) => void output.write(`${text}\n`));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(cwd, { recursive: true });
});

describe('FLT-21 untrusted text on a terminal', () => {
  it('is escaped like JSON, in one line or several; harmless text is unchanged', () => {
    expect(safe(hostile)).toBe(shown);
    expect(safeLines('one\n\ttwo\u0007')).toBe('one\n\ttwo\\u0007');
    expect(safe('Größe 👩‍💻 日本 \\n "x"')).toBe('Größe 👩‍💻 日本 \\n "x"');
    expect(JSON.parse(safeJson({ hostile }, 2))).toEqual({ hostile });
    expect(controlsIn(safeJson({ hostile }))).toEqual([]);
    expect(paint(output, {}).red(hostile)).toBe(`\u001b[31m${shown}\u001b[0m`);
  });

  it('cannot break a table', () => {
    expect(
      table([
        ['A', 'B'],
        [hostile, 'b'],
      ]),
    ).toBe(`A${' '.repeat(shown.length + 1)}B\n${shown}  b`);
  });

  it('is harmless in the output of `schedule`', () => {
    const view = scheduleView(hostile, {
      subjectId: hostile,
      note: hostile,
      cadence: hostile,
      activeRuns: [hostile],
      lastContext: { [hostile]: hostile },
    });
    const run = {
      journeyId: hostile,
      phase: 'FAILED' as const,
      terminationKind: null,
      scheduledAt: '',
      startedAt: '',
      endedAt: null,
    };
    const texts = [
      scheduleListText([view]),
      scheduleDetailsText(view),
      scheduledRunsText([run]),
      previewText({ cadence: hostile, runs: [] }),
    ];
    expect(texts.map(controlsIn)).toEqual(texts.map(() => []));
    expect(texts[0]).toContain(shown);
  });

  it('is harmless in problems, findings, an expression and the log', () => {
    const finding = { code: 'X', severity: 'error' as const, message: hostile, pointer: hostile, hint: hostile };
    reportFailure(new ProblemError(problem('RUN_UNKNOWN', hostile, { hint: hostile })));
    reportFailure(new ProblemError(problem('RUN_UNKNOWN', hostile, { errors: [finding] })));
    reportFailure(new Error(hostile));
    printFindings({ findings: [{ ...finding, file: hostile }] });
    output.write(withCaret(problem('RUN_UNKNOWN', hostile, { line: 1, column: 3, hint: hostile }), hostile));
    const log = createLog({ log: { level: 'info', format: 'pretty' } }, output);
    log.error({ err: new Error(hostile), reason: hostile }, hostile);
    expect(controlsIn(printed)).toEqual([]);
    expect(printed).toContain('\\u001b[2J');
  });

  it('is harmless in the output of `doctor` and `test`', async () => {
    mkdirSync(join(cwd, 'specs'));
    writeFileSync(join(cwd, 'specs', 'a.scenario.yaml'), `journey: "none\\e[2J"\nscenarios: [{ name: "x\\a" }]\n`);
    writeFileSync(join(cwd, 'journeyman.config.yaml'), `"gate\\e[2Jway": {}\n`);
    const doctor = doctorCommand(output);
    await doctor.parseAsync(['--config', join(cwd, 'journeyman.config.yaml')], { from: 'user' });
    writeFileSync(join(cwd, 'empty.yaml'), 'specs: specs\n');
    const test = testCommand({ out: output, error: output });
    await test.parseAsync(['--config', join(cwd, 'empty.yaml')], { from: 'user' });
    process.exitCode = undefined;
    expect(controlsIn(printed)).toEqual([]);
    expect(printed).toContain('\\u001b[2J');
  });
});
