import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { refuse } from '../base/problems/problem.js';
import type { DocumentVocabulary } from '../language/read/document-reading-state.js';
import { vocabulary } from '../language/state-types-and-task-kinds.js';
import { type Plugin, type PluginModule, pluginFault } from '../language/tasks/plugin/plugin-interface.js';
import { pluginReader } from '../language/tasks/plugin/plugin-task.js';
import { taskKinds } from '../language/tasks/registry.js';

const known = new Map<string, Promise<readonly Plugin[]>>();

/** Loads the configured plugins, each module once. Throws PLUGIN_INVALID for a faulty one. */
export async function readPlugins(names: readonly string[], baseDir = process.cwd()): Promise<readonly Plugin[]> {
  const all = (await Promise.all(names.map((name) => loadOnce(name, baseDir)))).flat();
  const seen = new Set<string>(taskKinds.keys());
  for (const { kind } of all) {
    if (seen.has(kind)) refuse('PLUGIN_INVALID', `There are two task kinds ${kind}.`);
    seen.add(kind);
  }
  return all;
}

/** The vocabulary of documents: state types, and task kinds of the language and of plugins. */
export function vocabularyWith(plugins: readonly Plugin[]): DocumentVocabulary {
  const readers = plugins.map((plugin) => [plugin.kind, pluginReader(plugin)] as const);
  return { states: vocabulary.states, tasks: new Map([...taskKinds, ...readers]) };
}

function loadOnce(name: string, baseDir: string): Promise<readonly Plugin[]> {
  const file = fileOf(name, baseDir);
  const loading = known.get(file) ?? loadModule(name, file);
  known.set(file, loading);
  return loading;
}

/** A path is relative to the configuration file; a package is resolved from there, too. */
function fileOf(name: string, baseDir: string): string {
  if (name.startsWith('.') || name.startsWith('/')) return resolve(baseDir, name);
  try {
    return createRequire(join(baseDir, 'package.json')).resolve(name);
  } catch {
    return refuse('PLUGIN_INVALID', `The plugin ${name} is not installed.`, {
      hint: 'Install it beside the configuration file.',
    });
  }
}

async function loadModule(name: string, file: string): Promise<readonly Plugin[]> {
  const module = await (import(pathToFileURL(file).href) as Promise<Partial<PluginModule>>).catch((error) =>
    refuse('PLUGIN_INVALID', `The plugin ${name} cannot be loaded: ${(error as Error).message}.`),
  );
  const exported = module.default;
  const plugins = (Array.isArray(exported) ? exported : [exported]) as Plugin[];
  for (const plugin of plugins) {
    const fault = pluginFault(plugin);
    if (fault !== undefined) refuse('PLUGIN_INVALID', `The plugin ${name} cannot be used: ${fault}.`);
  }
  return plugins;
}
