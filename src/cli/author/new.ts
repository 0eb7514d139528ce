import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import { type Output, paint, safe, safeJson } from '../../app/safe-terminal-text.js';
import { refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { isDocumentName, isReservedName } from '../../language/blocks/read-kind-and-metadata.js';
import { readJourneys } from '../../library/read-journeys.js';
import { commandWithConfig, configOf, formatOption } from '../options.js';
import { table } from '../tables-progress-and-failures.js';
import { listTemplates, type NewFile, schemaOf, templateFiles, withSchema, writeNewFiles } from './templates.js';

interface Options {
  config?: string;
  format: 'text' | 'json';
  list?: true;
}

/** `journeyman new`: adds a journey from a template, with its scenario and the API it calls. */
export function newCommand(out: Output = process.stdout): Command {
  const known = listTemplates();
  return commandWithConfig('new')
    .description('Add a journey from a template to the specs folder, with its scenario and the API it calls.')
    .addArgument(new Argument('[template]', 'name of the template').choices(known.map(({ name }) => name)))
    .argument('[name]', 'name of the journey (default: that of the template)')
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
        out.write(`${options.format === 'json' ? safeJson(known, 2) : text()}\n`);
        return;
      }
      if (template === undefined) {
        refuse('USAGE_INVALID', 'No template is specified.', { hint: 'See journeyman new --list.' });
      }
      const config = configOf(options);
      const files = filesOf(template, name ?? template, config);
      await requireFreeNames(files, config);
      const written = writeNewFiles(files);
      if (options.format === 'json') out.write(`${safeJson({ written }, 2)}\n`);
      else out.write(writtenText(written, files, out));
    });
}

/** Rejects names that are invalid or used by another file. Documents are named like their files. */
async function requireFreeNames(files: readonly NewFile[], { specs }: Config): Promise<void> {
  const names = files.flatMap(({ path }) => /([^\\/]+)\.(?:journey|pipeline)\.yaml$/.exec(path)?.[1] ?? []);
  for (const name of names) {
    if (!isDocumentName(name)) refuse('META_NAME', `"${name}" is not a valid name for a journey.`);
    if (isReservedName(name)) refuse('META_NAME_RESERVED', `"${name}" is a reserved name.`);
  }
  if (!existsSync(specs)) return;
  const { byName } = await readJourneys([specs]);
  const same = names
    .flatMap((name) => byName.get(name) ?? [])
    .find(({ file }) => !files.some(({ path }) => path === file));
  if (same) {
    refuse(
      'FILE_EXISTS',
      `${relative('.', same.file)} already has the name ${same.definition.name}. Nothing was written.`,
    );
  }
}

/** The template's files with the given name and their target paths. Templates contain `my-<template>` as a placeholder for the name. */
function filesOf(template: string, name: string, { specs, catalogue }: Config): NewFile[] {
  const named = (text: string) => text.replaceAll(`my-${template}`, name);
  return templateFiles(template).map(({ path, text }) => {
    const isApi = path.startsWith('apis');
    const target = resolve(isApi ? (catalogue.root ?? specs) : specs, named(path));
    return { path: target, text: isApi ? named(text) : withKnownSchema(target, named(text)) };
  });
}

/** Adds the schema comment if `journeyman init` created schemas for editors. */
function withKnownSchema(path: string, text: string): string {
  const kind = schemaOf({ path, text });
  const schema = resolve('schemas', `${kind}.schema.json`);
  return kind !== undefined && existsSync(schema) ? withSchema(text, relative(dirname(path), schema)) : text;
}

function writtenText(written: readonly string[], files: readonly NewFile[], out: Output): string {
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
