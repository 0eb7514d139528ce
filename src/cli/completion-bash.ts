import { optionCases, places, quoted, type Value, type Words } from './completion-words.js';

/** The completion for bash (3.2, as macOS has it, and newer). */
export function bashScript(words: readonly Words[]): string {
  return `# bash completion of journeyman; made by \`journeyman completion bash\`
_journeyman() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at= word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${at:+$at }\${COMP_WORDS[i]}"
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
complete -o filenames -F _journeyman journeyman
`;
}

function wordCase({ path, commands, options, argument }: Words): string {
  const flags = options.flatMap((it) => it.flags.filter((flag) => flag.startsWith('--'))).join(' ');
  const names = commands.map(({ name }) => name);
  const other = names.length > 0 ? complete({ choices: names }) : argument === undefined ? ':' : complete(argument);
  return `    ${quoted(path)}) if [[ $cur == -* ]]; then ${complete({ choices: [flags] })}; else ${other}; fi ;;`;
}

function complete(value: Value): string {
  if (value === 'text') return ':';
  const how = value === 'file' ? '-f' : `-W ${quoted(value.choices.join(' '))}`;
  return `while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen ${how} -- "$cur")`;
}
