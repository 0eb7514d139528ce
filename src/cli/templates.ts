import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { refuse } from '../problems/problem.js';
import { packageRoot } from './package.js';

/** The folder of templates: `init` is what `journeyman init` makes, each of the others is one that `journeyman new` adds. */
const root = join(packageRoot, 'templates');

/** A file to be written: where, and what. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** The templates that `journeyman new` knows, each with the sentence that its document begins with. */
export function templates(): { name: string; summary: string }[] {
  return readdirSync(root)
    .filter((name) => name !== 'init')
    .sort()
    .map((name) => ({ name, summary: summaryOf(name) }));
}

function summaryOf(name: string): string {
  const files = templateFiles(name);
  const endingIn = (ending: string) => files.find(({ path }) => path.endsWith(ending));
  const main = (endingIn('.pipeline.yaml') ?? endingIn('.journey.yaml'))!;
  return main.text.slice(2, main.text.indexOf('\n'));
}

/** The files of a template. A name that begins with a dot is kept as `dot-…`: npm would not pack `.gitignore`. */
export function templateFiles(name: string): NewFile[] {
  const folder = join(root, name);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()
    .map((path) => ({
      path: path.replaceAll(/(^|[\\/])dot-/g, '$1.'),
      text: readFileSync(join(folder, path), 'utf8'),
    }));
}

/** Writes files that are not there yet: all of them, or none where one is in the way. Answers with their paths as people read them. */
export function writeNew(files: readonly NewFile[]): string[] {
  const shown = files.map(({ path }) => relative('.', path));
  const taken = shown.filter((_, i) => existsSync(files[i]!.path));
  if (taken.length > 0) {
    refuse(
      'FILE_EXISTS',
      `${taken.join(', ')} ${taken.length === 1 ? 'is' : 'are'} there already. Nothing was written.`,
    );
  }
  for (const { path, text } of files) {
    mkdirSync(dirname(path), { recursive: true });
    // Never over a file that somebody made meanwhile.
    writeFileSync(path, text, { flag: 'wx' });
  }
  return shown;
}

/** The name of the schema that a file has, if it has one. */
export function schemaOf({ path, text }: NewFile): string | undefined {
  if (/journeyman\.config\.yaml$/.test(path)) return 'config';
  const kind = /\.(journey|scenario|pipeline)\.yaml$/.exec(path)?.[1];
  return kind === 'scenario' && text.startsWith('pipeline: ') ? 'pipeline-scenario' : kind;
}

/** The text with the comment that tells editors which schema a document has. */
export function withSchema(text: string, schema: string): string {
  return `# yaml-language-server: $schema=${schema.replaceAll('\\', '/')}\n${text}`;
}
