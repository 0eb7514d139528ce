import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { jsonText, type Output, paint, safe } from '../app/terminal.js';
import { formatOption } from './options.js';
import { packageName, version } from './package.js';
import { schemas } from './schema.js';
import { type NewFile, schemaOf, templateFiles, withSchema, writeNew } from './templates.js';

/** What a folder may have already, and keeps: it is the folder's own more than ours. */
const kept = new Set(['package.json', 'README.md', '.gitignore']);

const schemaFile = (name: string) => `schemas/${name}.schema.json`;

/** What can be run in such a folder by name. */
const scripts = {
  start: 'journeyman up',
  test: 'journeyman validate && journeyman test',
  schemas: Object.keys(schemas)
    .map((it) => `journeyman schema ${it} > ${schemaFile(it)}`)
    .join(' && '),
};

/** `journeyman init`: makes a folder that works. */
export function initCommand(out: Output = process.stdout): Command {
  return new Command('init')
    .description(
      'Make a folder that works: configuration, a journey with its scenario and the API it calls, settings for editors, a check for GitHub, .gitignore, package.json.',
    )
    .argument('[folder]', 'where; made if it is not there', '.')
    .addOption(formatOption())
    .addHelpText(
      'after',
      `
Nothing is overwritten: package.json, README.md and .gitignore are kept where they exist, any other file in the way refuses it all.

Examples:
  $ journeyman init
  $ journeyman init my-journeys`,
    )
    .action(async (folder: string, options: { format: 'text' | 'json' }) => {
      const all = [...templateFiles('init').map(withItsSchema), packageFile(folder), ...(await schemaFiles())];
      const keeps = all.filter(({ path }) => kept.has(path) && existsSync(join(folder, path)));
      const added = all.filter((file) => !keeps.includes(file));
      const written = writeNew(added.map(({ path, text }) => ({ path: resolve(folder, path), text })));
      const left = keeps.map(({ path }) => relative('.', resolve(folder, path)));
      if (options.format === 'json') out.write(`${jsonText({ written, kept: left }, 2)}\n`);
      else out.write(told(folder, written, left, out));
    });
}

function withItsSchema({ path, text }: NewFile): NewFile {
  const schema = schemaOf({ path, text });
  if (schema === undefined) return { path, text };
  return { path, text: withSchema(text, relative(dirname(path), schemaFile(schema))) };
}

/** The dependency is exactly what wrote the folder. */
function packageFile(folder: string): NewFile {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const content = { name: name || 'journeys', private: true, scripts, dependencies: { [packageName]: version } };
  return { path: 'package.json', text: `${JSON.stringify(content, null, 2)}\n` };
}

async function schemaFiles(): Promise<NewFile[]> {
  return Promise.all(
    Object.entries(schemas).map(async ([name, schema]) => ({
      path: schemaFile(name),
      text: `${JSON.stringify(await schema({}), null, 2)}\n`,
    })),
  );
}

function told(folder: string, written: readonly string[], left: readonly string[], out: Output): string {
  const colours = paint(out);
  const installed = existsSync(join(folder, 'node_modules', packageName));
  const ownPackage = left.some((path) => basename(path) === 'package.json');
  const steps = [
    ...(resolve(folder) === process.cwd() ? [] : [`cd ${safe(folder)}`]),
    ...(installed ? [] : [ownPackage ? `npm install --save-exact ${packageName}@${version}` : 'npm install']),
    'npx journeyman test     # plays the scenarios, in virtual time',
    'npx journeyman up       # runs it; prints what to try',
    'npx journeyman new --list',
  ];
  return [
    ...written.map((path) => `  ${colours.green('+')} ${safe(path)}`),
    ...left.map((path) => `  ${colours.dim('=')} ${safe(path)} ${colours.dim('(kept as it is)')}`),
    '',
    'Next:',
    ...steps.map((step) => `  ${step}`),
    '',
    ...(ownPackage ? ['package.json is kept. If you like, add scripts to it:', ...scriptLines(), ''] : []),
  ].join('\n');
}

function scriptLines(): string[] {
  return Object.entries(scripts).map(([name, run]) => `  ${JSON.stringify(name)}: ${JSON.stringify(run)},`);
}
