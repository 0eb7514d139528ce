/** The words of a command as split by a shell: quotes are removed; redirections and comments are dropped. */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  for (const [whole, part] of line.matchAll(/((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+)/g)) {
    if (/^[|<>#]/.test(whole) || /^\d?>/.test(whole)) break;
    words.push(
      part!.replaceAll(
        /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
        (_, single, double, escaped) => single ?? double ?? escaped,
      ),
    );
  }
  return words;
}

/** The arguments of each call of `journeyman` in a line. */
export function journeymanCalls(line: string): string[][] {
  const starts = [...line.matchAll(/(?:^|[|;&(] *|[A-Z_]+=\S+ )(?:npx )?journeyman(?= |$)/g)];
  return starts.map((it) => shellWords(line.slice(it.index + it[0].length)));
}
