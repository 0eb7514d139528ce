import { brief, type Words } from './completion-words.js';

/** The completion for fish. */
export function fishScript(words: readonly Words[]): string {
  const paths = words.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# fish completion of journeyman; made by \`journeyman completion fish\`
function __journeyman_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim "$at $word")
        contains -- $next ${paths.join(' ')}; and set at $next
    end
    test "$at" = "$argv[1]"
end
complete -c journeyman -f
${words.flatMap(lines).join('\n')}
`;
}

function lines({ path, commands, options, argument }: Words): string[] {
  const here = `complete -c journeyman -n ${quoted(`__journeyman_at ${quoted(path)}`)}`;
  return [
    ...commands.map(({ name, summary }) => `${here} -a ${quoted(name)} -d ${quoted(brief(summary))}`),
    ...(commands.length === 0 && argument === 'file' ? [`${here} -F`] : []),
    ...(typeof argument === 'object' ? [`${here} -a ${quoted(argument.choices.join(' '))}`] : []),
    ...options.map(({ flags, summary, takes }) => {
      const names = flags
        .map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
        .join(' ');
      const value =
        takes === undefined
          ? ''
          : takes === 'file'
            ? ' -rF'
            : takes === 'text'
              ? ' -x'
              : ` -xa ${quoted(takes.choices.join(' '))}`;
      return `${here} ${names}${value} -d ${quoted(brief(summary))}`;
    }),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
