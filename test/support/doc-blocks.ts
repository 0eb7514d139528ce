import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly lang: string;
  readonly text: string;
  /** The reason why it is not executed, from a preceding `<!-- not executed: … -->`. */
  readonly notExecuted?: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The pages whose examples are executed; decisions and figures describe the past. */
export const pages: readonly string[] = [
  'README.md',
  ...readdirSync(`${root}docs`)
    .filter((name) => name.endsWith('.md') && name !== 'benchmarks.md')
    .map((name) => `docs/${name}`),
];

/** The text of a page. */
export function pageText(page: string): string {
  return readFileSync(`${root}${page}`, 'utf8');
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const text = pageText(page);
  return [...text.matchAll(/(?:^<!-- not executed: (.+?) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm)].map((it) => {
    const [, notExecuted, lang = '', body = ''] = it;
    const line = text.slice(0, it.index).split('\n').length;
    return { page, line, lang, text: body, ...(notExecuted !== undefined && { notExecuted }) };
  });
}

/** A command of a block, with its documented output. */
export interface DocCommand {
  readonly command: string;
  readonly prints: string;
}

/** The commands of a `sh` or `console` block: in `console`, or if the first line starts with `$`, other lines are output. */
export function commandsOf({ lang, text }: Block): DocCommand[] {
  if (lang === 'sh' && !text.startsWith('$ ')) return [{ command: text, prints: '' }];
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const lines = part.trimEnd().split('\n');
      let end = 1;
      while (lines[end - 1]!.endsWith('\\')) end += 1;
      return { command: lines.slice(0, end).join('\n'), prints: lines.slice(end).join('\n') };
    });
}
