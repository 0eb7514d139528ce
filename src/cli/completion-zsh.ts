import { brief, optionCases, places, quoted, type Value, type Words } from './completion-words.js';

/** The completion for zsh. */
export function zshScript(words: readonly Words[]): string {
  return `#compdef journeyman
# zsh completion of journeyman; made by \`journeyman completion zsh\`
_journeyman() {
  local cur=$words[CURRENT] prev=$words[CURRENT-1] at= word i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word="\${at:+$at }$words[i]"
    case $word in
      ${places(words)}) at=$word ;;
    esac
  done
  case "$at $prev" in
${optionCases(words, complete)}
  esac
  case $at in
${words.map(wordCase).join('\n')}
  esac
}
compdef _journeyman journeyman
`;
}

function wordCase({ path, commands, options, argument }: Words): string {
  const flags = options.flatMap((it) => it.flags.map((flag) => described(flag, it.summary)));
  const names = commands.map(({ name, summary }) => described(name, summary));
  const describe = (what: string, list: readonly string[]) => `found=(${list.join(' ')}); _describe ${what} found`;
  const other = names.length > 0 ? describe('command', names) : argument === undefined ? ':' : complete(argument);
  return `    ${quoted(path)}) if [[ $cur == -* ]]; then ${describe('option', flags)}; else ${other}; fi ;;`;
}

function described(word: string, summary: string): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${brief(summary)}`);
}

function complete(value: Value): string {
  if (value === 'text') return ':';
  return value === 'file' ? '_files' : `compadd -- ${value.choices.map(quoted).join(' ')}`;
}
