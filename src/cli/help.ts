import type { Command } from 'commander';

/** What `--help` of a command prints. */
export function helpOf(command: Command): string {
  let text = '';
  const { writeOut } = command.configureOutput();
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  command.configureOutput({ ...(writeOut && { writeOut }) });
  return text;
}

/** The commands that a help text shows. */
export function examplesIn(help: string): string[] {
  return [...help.matchAll(/^ +\$ (.+)$/gm)].map(([, line]) => line!);
}
