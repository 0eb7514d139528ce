import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { importsOf, type Sources } from '../unit/house/sources.js';
import { strayTypeNames } from '../unit/house/type-names.js';

/** A measure of the organisation of the sources. `found` lists the places behind the value, worst first. */
export interface Figure {
  readonly value: number;
  readonly found: readonly string[];
}

/** Measures the sources. Lower is better for every figure. */
export function measure(sources: Sources): Record<FigureName, Figure> {
  const loose = byCount(groupBy([...sources.keys()], dirname));
  const functions = functionsIn('workflows');
  return {
    rooms: count([...new Set([...sources.keys()].map(topFolder))].sort()),
    looseFiles: largest(loose),
    crowdedFolders: count(loose.filter(([, files]) => files.length > 20).map(([folder]) => folder)),
    singleImporter: count(filesWithOneImporter(sources)),
    singleCaller: count(
      filesWithOneImporter(sources).filter(
        (it) => !it.endsWith('.tsx') && !lists.some((list) => it.endsWith(` ← ${list}`)),
      ),
    ),
    sharedNames: count(namesExportedTwice(sources)),
    typeNames: count(strayTypeNames(sources).map(({ file, line, text }) => `${file}:${line} ${text}`)),
    longestFunction: worst(functions, 'noExcessiveLinesPerFunction'),
    mostComplexFunction: worst(functions, 'noExcessiveCognitiveComplexity'),
    journeyInputs: count(matches(sources, /\binterpreter(?:: [\w.]+)?,[^;]*\binfo: [^;]*\blimits\b/g)),
    scheduleFiles: count([...sources.keys()].filter((file) => scheduleCode.test(file))),
    scheduleLines: lines(sources, scheduleCode),
    whatComments: count(matches(sources, /\/\*\*\s*(?:\*\s*)?What\b.*/g)),
  };
}

/** The figures, each with its label in the table. */
export const labels = {
  rooms: 'top-level folders (src/*, workflows, activities)',
  looseFiles: 'files directly in one folder, at most',
  crowdedFolders: 'folders with more than 20 files',
  singleImporter: 'files with exactly one importer',
  singleCaller: 'of these, not entries of a list (commands, routes, …) or parts of a page',
  sharedNames: 'names exported by two or more files',
  typeNames: 'names of state types and task kinds elsewhere',
  longestFunction: 'longest function in workflows (lines)',
  mostComplexFunction: 'most complex function in workflows (cognitive)',
  journeyInputs: 'places that assemble a JourneyInput',
  scheduleFiles: 'files that manage Temporal Schedules',
  scheduleLines: 'lines that manage Temporal Schedules',
  whatComments: 'doc comments that begin with "What"',
};

export type FigureName = keyof typeof labels;

/** Files that list entries of one kind, each with its own file: commands, routes, state types, error codes, library modules, … */
const lists = [
  'src/base/problems/registry.ts',
  'src/cli/program.ts',
  'src/console/playground/worker/worker.ts',
  'src/expressions/dataweave/compile/compiler.ts',
  'src/expressions/dataweave/library/module-registry.ts',
  'src/gateway/create-gateway.ts',
  'src/graph/drawing-formats.ts',
  'src/language/read-document.ts',
  'src/language/states/registry.ts',
  'src/language/tasks/registry.ts',
  'workflows/index.ts',
  'activities/index.ts',
];

const scheduleCode = /^src\/temporal\/schedules\//;

function topFolder(file: string): string {
  const [first, second] = file.split('/');
  return first === 'src' ? `src/${second}` : first!;
}

function filesWithOneImporter(sources: Sources): string[] {
  const imports = [...sources].flatMap(([file, text]) => importsOf(file, text));
  const importers = groupBy(imports, ({ to }) => to);
  return [...sources.keys()].flatMap((file) => {
    const [only, ...others] = new Set(importers.get(file)?.map(({ from }) => from));
    return only !== undefined && others.length === 0 ? [`${file} ← ${only}`] : [];
  });
}

function namesExportedTwice(sources: Sources): string[] {
  const declaration =
    /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|interface|type|const|let|enum) (\w+)/gm;
  const exported = [...sources].flatMap(([file, text]) =>
    [...new Set([...text.matchAll(declaration)].map(([, name]) => name!))].map((name) => ({ name, file })),
  );
  return byCount(groupBy(exported, ({ name }) => name))
    .filter(([, where]) => where.length > 1)
    .map(([name, where]) => `${name}: ${where.map(({ file }) => file).join(', ')}`);
}

interface Diagnostic {
  readonly category: string;
  readonly message: string;
  readonly location: { readonly path: string; readonly start: { readonly line: number } };
}

/** Every function of a folder as reported by two Biome rules with a limit of one. */
function functionsIn(folder: string): Diagnostic[] {
  const args = ['lint', '--config-path=test/house/functions.biome.json', '--reporter=json', '--max-diagnostics=none'];
  const { stdout, stderr } = spawnSync('node_modules/.bin/biome', [...args, folder], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (!stdout.startsWith('{')) throw new Error(`Biome did not report:\n${stderr}`);
  return (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics;
}

function worst(diagnostics: readonly Diagnostic[], rule: string): Figure {
  const found = diagnostics
    .filter(({ category }) => category.endsWith(rule))
    .map(({ message, location }) => ({
      value: Number(/\d+/.exec(message)?.[0]),
      at: `${location.path}:${location.start.line}`,
    }))
    .sort((a, b) => b.value - a.value);
  return { value: found[0]?.value ?? 0, found: found.map(({ value, at }) => `${value} ${at}`) };
}

function largest(groups: readonly (readonly [string, readonly unknown[]])[]): Figure {
  return { value: groups[0]?.[1].length ?? 0, found: groups.map(([name, members]) => `${members.length} ${name}`) };
}

function lines(sources: Sources, files: RegExp): Figure {
  const sizes = [...sources]
    .filter(([file]) => files.test(file))
    .map(([file, text]) => ({ file, size: text.split('\n').length - 1 }))
    .sort((a, b) => b.size - a.size);
  return {
    value: sizes.reduce((sum, { size }) => sum + size, 0),
    found: sizes.map(({ file, size }) => `${size} ${file}`),
  };
}

function matches(sources: Sources, pattern: RegExp): string[] {
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(pattern)].map((it) => `${file}:${lineOf(text, it.index)} ${it[0].trim()}`),
  );
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function count(found: readonly string[]): Figure {
  return { value: found.length, found };
}

function groupBy<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

function byCount<T>(groups: ReadonlyMap<string, readonly T[]>): (readonly [string, readonly T[]])[] {
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
}
