import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { type Output, paint, safe, safeJson } from '../../app/safe-terminal-text.js';
import { packageName, version } from '../../config/package-info.js';
import { formatOption } from '../options.js';
import { publishedSchemas } from './print-schema.js';
import { type NewFile, schemaOf, templateFiles, withSchema, writeNewFiles } from './templates.js';

/** Files that are kept if they exist. */
const kept = new Set(['package.json', 'README.md', '.gitignore']);

const schemaFile = (name: string) => `schemas/${name}.schema.json`;

/** npm scripts of the project. */
const scripts = {
  start: 'journeyman up',
  test: 'journeyman validate && journeyman test',
  schemas: Object.keys(publishedSchemas)
    .map((it) => `journeyman schema ${it} > ${schemaFile(it)}`)
    .join(' && '),
};

/**
 * Install scripts that npm 11 asks about, denied. The workflow bundles are prebuilt, so @swc/core, a dependency of Temporal, is never
 * loaded; the script of protobufjs only checks a version.
 */
const allowScripts = { '@swc/core': false, protobufjs: false };

/** `journeyman init`: scaffolds a project. */
export function initCommand(out: Output = process.stdout): Command {
  return new Command('init')
    .description(
      'Scaffold a project: configuration, a journey with its scenario and the API it calls, editor settings, a GitHub workflow, .gitignore, package.json.',
    )
    .argument('[folder]', 'target folder; created if it does not exist', '.')
    .addOption(formatOption())
    .addHelpText(
      'after',
      `
Nothing is overwritten: an existing package.json, README.md or .gitignore is kept; any other existing file is an error.

Examples:
  $ journeyman init
  $ journeyman init my-journeys`,
    )
    .action(async (folder: string, options: { format: 'text' | 'json' }) => {
      const all = [...templateFiles('init').map(withItsSchema), packageFile(folder), ...(await schemaFiles())];
      const keeps = all.filter(({ path }) => kept.has(path) && existsSync(join(folder, path)));
      const added = all.filter((file) => !keeps.includes(file));
      const written = writeNewFiles(added.map(({ path, text }) => ({ path: resolve(folder, path), text })));
      const left = keeps.map(({ path }) => relative('.', resolve(folder, path)));
      if (options.format === 'json') out.write(`${safeJson({ written, kept: left }, 2)}\n`);
      else out.write(writtenText(folder, written, left, out));
    });
}

function withItsSchema({ path, text }: NewFile): NewFile {
  const schema = schemaOf({ path, text });
  if (schema === undefined) return { path, text };
  return { path, text: withSchema(text, relative(dirname(path), schemaFile(schema))) };
}

/** Pins the dependency to the version that scaffolds the project. */
function packageFile(folder: string): NewFile {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const content = {
    name: name || 'journeys',
    private: true,
    scripts,
    dependencies: { [packageName]: version },
    allowScripts,
  };
  return { path: 'package.json', text: `${JSON.stringify(content, null, 2)}\n` };
}

async function schemaFiles(): Promise<NewFile[]> {
  return Promise.all(
    Object.entries(publishedSchemas).map(async ([name, schema]) => ({
      path: schemaFile(name),
      text: `${JSON.stringify(await schema({}), null, 2)}\n`,
    })),
  );
}

function writtenText(folder: string, written: readonly string[], left: readonly string[], out: Output): string {
  const colours = paint(out);
  const installed = existsSync(join(folder, 'node_modules', packageName));
  const ownPackage = left.some((path) => basename(path) === 'package.json');
  const steps = [
    ...(resolve(folder) === process.cwd() ? [] : [`cd ${safe(folder)}`]),
    ...(installed ? [] : [ownPackage ? `npm install --save-exact ${packageName}@${version}` : 'npm install']),
    'npx journeyman test     # runs the scenarios in virtual time',
    'npx journeyman up       # runs everything and prints a command to try',
    'npx journeyman new --list',
  ];
  return [
    ...written.map((path) => `  ${colours.green('+')} ${safe(path)}`),
    ...left.map((path) => `  ${colours.dim('=')} ${safe(path)} ${colours.dim('(kept)')}`),
    '',
    'Next:',
    ...steps.map((step) => `  ${step}`),
    '',
    ...(ownPackage ? ['package.json was kept. You can add these scripts to it:', ...scriptLines(), ''] : []),
  ].join('\n');
}

function scriptLines(): string[] {
  return Object.entries(scripts).map(([name, run]) => `  ${JSON.stringify(name)}: ${JSON.stringify(run)},`);
}
