import type { Command } from 'commander';
import { jsonText, type Output, paint, safeLines } from '../app/terminal.js';
import { loadConfig } from '../config/load.js';
import { type Check, examine } from './doctor-checks.js';
import { configured, formatOption } from './options.js';

interface Options {
  config?: string;
  format: 'text' | 'json';
}

/** `journeyman doctor`: what would be used, what is missing, and what to do about it. */
export function doctorCommand(output: Output = process.stdout): Command {
  return configured('doctor')
    .summary('check this machine and the configuration')
    .description('Check everything Journeyman needs and say what is missing. Changes and installs nothing.')
    .addOption(formatOption())
    .addHelpText(
      'after',
      `
Examples:
  $ journeyman doctor
  $ journeyman doctor --json

Exit codes: 0 ready, 1 something essential is missing.`,
    )
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      const checks = await examine({
        load: () => loadConfig(options.config === undefined ? {} : { file: options.config }),
        env: process.env,
      });
      const ok = checks.every(({ status }) => status !== 'bad');
      output.write(options.format === 'json' ? `${jsonText({ ok, checks }, 2)}\n` : render(checks, output));
      process.exitCode = ok ? 0 : 1;
    });
}

const marks = { ok: '✓', bad: '✗', warn: '!', info: '·' } as const;

function render(checks: readonly Check[], output: Output): string {
  const colours = paint(output);
  const colour = { ok: colours.green, bad: colours.red, warn: colours.yellow, info: colours.dim };
  const lines = checks.flatMap(({ id, status, name, detail, hint }) => [
    `${id.startsWith('way.') ? '  ' : ''}${colour[status](marks[status])} ${colours.bold(name)}: ${safeLines(detail).replaceAll('\n', '\n    ')}`,
    ...(hint === undefined ? [] : hint.split('\n').map((line) => `    ${colours.dim(line)}`)),
  ]);
  return `${lines.join('\n')}\n\n${verdict(checks)}\n`;
}

function verdict(checks: readonly Check[]): string {
  const count = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted).length;
  const [bad, warnings] = [count('bad'), count('warn')];
  if (bad > 0) return `${bad} essential ${bad === 1 ? 'thing is' : 'things are'} missing.`;
  return warnings === 0 ? 'Ready.' : `Ready, with ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`;
}
