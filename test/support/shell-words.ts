/** The words of a command as a shell splits them: quotes are removed, what follows a redirection or a comment is left out. */
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

/** The calls of `journeyman` in a line, each as its arguments. */
export function journeymanCalls(line: string): string[][] {
  const starts = [...line.matchAll(/(?:^|[|;&(] *|[A-Z_]+=\S+ )(?:npx )?journeyman(?= |$)/g)];
  return starts.map((it) => shellWords(line.slice(it.index + it[0].length)));
}
