import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import { jsonText, type Output, paint, safe } from '../app/terminal.js';
import type { Config } from '../config/config.js';
import { isDocumentName } from '../language/blocks/document.js';
import { readJourneys } from '../library/journeys.js';
import { refuse } from '../problems/problem.js';
import { configOf, configured, formatOption } from './options.js';
import { table } from './output.js';
import { type NewFile, schemaOf, templateFiles, templates, withSchema, writeNew } from './templates.js';

interface Options {
  config?: string;
  format: 'text' | 'json';
  list?: true;
}

/** `journeyman new`: adds a journey of a known shape, with everything it needs, to the folder of specs. */
export function newCommand(out: Output = process.stdout): Command {
  const known = templates();
  return configured('new')
    .description('Add a journey of a known shape to the folder of specs, with its scenario and the API it calls.')
    .addArgument(new Argument('[template]', 'which shape').choices(known.map(({ name }) => name)))
    .argument('[name]', 'what it is called (default: like the template)')
    .option('--list', 'list the templates')
    .addOption(formatOption())
    .addHelpText(
      'after',
      `
Templates:
${indented(table(known.map(({ name, summary }) => [name, summary])))}

Examples:
  $ journeyman new --list
  $ journeyman new approval
  $ journeyman new poller fetch-report`,
    )
    .action(async (template: string | undefined, name: string | undefined, options: Options) => {
      if (options.list) {
        const text = () => table(known.map((it) => [it.name, it.summary]));
        out.write(`${options.format === 'json' ? jsonText(known, 2) : text()}\n`);
        return;
      }
      if (template === undefined) {
        refuse('USAGE_INVALID', 'Which template?', { hint: 'journeyman new --list names them.' });
      }
      const config = configOf(options);
      const files = filesOf(template, name ?? template, config);
      await requireFreeNames(files, config);
      const written = writeNew(files);
      if (options.format === 'json') out.write(`${jsonText({ written }, 2)}\n`);
      else out.write(told(written, files, out));
    });
}

/** Documents are called like their files: a name must be possible, and no other file may have it. */
async function requireFreeNames(files: readonly NewFile[], { specs }: Config): Promise<void> {
  const names = files.flatMap(({ path }) => /([^\\/]+)\.(?:journey|pipeline)\.yaml$/.exec(path)?.[1] ?? []);
  for (const name of names) {
    if (!isDocumentName(name)) refuse('META_NAME', `"${name}" cannot be the name of a journey.`);
  }
  if (!existsSync(specs)) return;
  const { byName } = await readJourneys([specs]);
  const same = names
    .flatMap((name) => byName.get(name) ?? [])
    .find(({ file }) => !files.some(({ path }) => path === file));
  if (same) {
    refuse(
      'FILE_EXISTS',
      `${relative('.', same.file)} is called ${same.definition.name} already. Nothing was written.`,
    );
  }
}

/** The template's files under the name, where this folder keeps such files. In templates `my-<template>` stands for the name. */
function filesOf(template: string, name: string, { specs, catalogue }: Config): NewFile[] {
  const named = (text: string) => text.replaceAll(`my-${template}`, name);
  return templateFiles(template).map(({ path, text }) => {
    const isApi = path.startsWith('apis');
    const target = resolve(isApi ? (catalogue.root ?? specs) : specs, named(path));
    return { path: target, text: isApi ? named(text) : withKnownSchema(target, named(text)) };
  });
}

/** Where `journeyman init` made schemas for editors, a document names its own. */
function withKnownSchema(path: string, text: string): string {
  const kind = schemaOf({ path, text });
  const schema = resolve('schemas', `${kind}.schema.json`);
  return kind !== undefined && existsSync(schema) ? withSchema(text, relative(dirname(path), schema)) : text;
}

function told(written: readonly string[], files: readonly NewFile[], out: Output): string {
  const colours = paint(out);
  const scenarios = files.filter(({ path }) => path.endsWith('.scenario.yaml')).map(({ path }) => relative('.', path));
  return [
    ...written.map((path) => `  ${colours.green('+')} ${safe(path)}`),
    '',
    'Next:',
    `  journeyman test ${safe(scenarios.join(' '))}`,
    '',
  ].join('\n');
}

const indented = (text: string) => text.replaceAll(/^/gm, '  ');
