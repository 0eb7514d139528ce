import type { Command, Option } from 'commander';

/** What can follow in one place of the command line. */
export interface Words {
  /** The commands so far, without `journeyman`. */
  readonly path: string;
  readonly commands: readonly { name: string; summary: string }[];
  readonly options: readonly { flags: readonly string[]; summary: string; takes?: Value }[];
  /** What an argument may be. */
  readonly argument?: Value;
}

/** What a value may be: one of a few, a file, or anything. */
export type Value = { readonly choices: readonly string[] } | 'file' | 'text';

/** Every place of the command line, the outermost first. */
export function wordsOf(command: Command, path = ''): Words[] {
  const help = command.createHelp();
  const subs = help.visibleCommands(command);
  const argument = command.registeredArguments[0];
  const here: Words = {
    path,
    commands: subs.map((it) => ({ name: it.name(), summary: it.summary() || it.description() })),
    options: help.visibleOptions(command).map((option) => ({
      flags: [option.short, option.long].flatMap((flag) => flag ?? []),
      summary: option.description,
      ...(option.required || option.optional ? { takes: valueFor(option.argChoices, nameOf(option)) } : {}),
    })),
    ...(argument && { argument: valueFor(argument.argChoices, argument.name()) }),
  };
  const below = subs.filter((it) => command.commands.includes(it));
  return [here, ...below.flatMap((it) => wordsOf(it, `${path} ${it.name()}`.trim()))];
}

function nameOf({ flags }: Option): string {
  return /[<[]([^\]>]+)/.exec(flags)?.[1] ?? '';
}

/** What is called like a file or a folder is one. */
function valueFor(choices: readonly string[] | undefined, name: string): Value {
  if (choices !== undefined) return { choices };
  return /^(files?|path|dir|folder|journeys)\b/.test(name) ? 'file' : 'text';
}

/** In single quotes for bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The first words of a sentence: shells show them beside a word, in one line. */
export function brief(summary: string): string {
  return summary
    .split('\n')[0]!
    .replaceAll(/[`"$\\]/g, '')
    .slice(0, 80);
}

/** The commands that lead somewhere, in the way the scripts of bash and zsh find where they are. */
export function places(words: readonly Words[]): string {
  return words
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join(' | ');
}

/** The cases that complete the value of an option, for bash and zsh; `complete` is how the shell does it. */
export function optionCases(words: readonly Words[], complete: (value: Value) => string): string {
  return words
    .flatMap(({ path, options }) =>
      options.flatMap(({ flags, takes }) =>
        takes === undefined
          ? []
          : [`    ${flags.map((flag) => quoted(`${path} ${flag}`)).join(' | ')}) ${complete(takes)}; return ;;`],
      ),
    )
    .join('\n');
}
