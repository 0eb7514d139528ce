import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { refuse } from '../../base/problems/problem.js';
import { packageRoot } from '../../config/package-info.js';

/** The folder of templates: `init` for `journeyman init`, the others for `journeyman new`. */
const root = join(packageRoot, 'templates');

/** A file to write. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** Lists the templates of `journeyman new`, each with the first comment of its document. */
export function listTemplates(): { name: string; summary: string }[] {
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

/** The files of a template. Dotfiles are stored as `dot-…` because npm does not pack `.gitignore`. */
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

/** Writes new files: all, or none if one exists. Returns their relative paths. */
export function writeNewFiles(files: readonly NewFile[]): string[] {
  const shown = files.map(({ path }) => relative('.', path));
  const taken = shown.filter((_, i) => existsSync(files[i]!.path));
  if (taken.length > 0) {
    refuse(
      'FILE_EXISTS',
      `${taken.join(', ')} already ${taken.length === 1 ? 'exists' : 'exist'}. Nothing was written.`,
    );
  }
  for (const { path, text } of files) {
    mkdirSync(dirname(path), { recursive: true });
    // Fails if the file was created in the meantime.
    writeFileSync(path, text, { flag: 'wx' });
  }
  return shown;
}

/** The name of a file's schema, if it has one. */
export function schemaOf({ path, text }: NewFile): string | undefined {
  if (/journeyman\.config\.yaml$/.test(path)) return 'config';
  const kind = /\.(journey|scenario|pipeline)\.yaml$/.exec(path)?.[1];
  return kind === 'scenario' && text.startsWith('pipeline: ') ? 'pipeline-scenario' : kind;
}

/** Adds the comment that names the schema for editors. */
export function withSchema(text: string, schema: string): string {
  return `# yaml-language-server: $schema=${schema.replaceAll('\\', '/')}\n${text}`;
}
