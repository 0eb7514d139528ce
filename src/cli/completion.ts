import { Argument, Command } from 'commander';
import type { Output } from '../app/terminal.js';
import { bashScript } from './completion-bash.js';
import { fishScript } from './completion-fish.js';
import { wordsOf } from './completion-words.js';
import { zshScript } from './completion-zsh.js';

const shells = { bash: bashScript, fish: fishScript, zsh: zshScript } as const;

/** `journeyman completion`: a script that completes commands, options, their values and file names. */
export function completionCommand(program: () => Promise<Command>, out: Output = process.stdout): Command {
  return new Command('completion')
    .description('Print a script that lets a shell complete commands, options, values and file names.')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(shells)))
    .addHelpText(
      'after',
      `
Add this to the file that your shell reads when it starts:
  bash   source <(journeyman completion bash)
  zsh    source <(journeyman completion zsh)      # after compinit
  fish   journeyman completion fish | source

Examples:
  $ journeyman completion bash
  $ journeyman completion fish > ~/.config/fish/completions/journeyman.fish`,
    )
    .action(async (shell: keyof typeof shells) => void out.write(shells[shell](wordsOf(await program()))));
}
