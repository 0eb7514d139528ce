import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/config.js';
import { scenarioFile, scenarioFiles } from '../scenarios/files.js';
import { catalogueFolders } from './options.js';
import type { SessionOptions, SessionResult } from './test-session.js';

/** Editors write a file in several steps; what comes within this time is one change. */
const togetherMs = 60;

const documents = /\.(ya?ml|json)$/i;

/** Plays everything once, then again what each change touches. Ends with Ctrl-C. */
export async function watchTests(
  paths: readonly string[],
  config: Config,
  options: SessionOptions,
  play: (paths: readonly string[]) => Promise<SessionResult>,
): Promise<void> {
  const about = new Map((await play(paths)).about);
  const { root, overlays = [] } = catalogueFolders(config, options);
  const apis = [...(root === undefined ? [] : [root]), ...overlays].map((it) => resolve(it));
  let [running, again] = [false, new Set<string>()];
  const changed = async (file: string): Promise<void> => {
    again.add(file);
    if (running) return;
    running = true;
    while (again.size > 0) {
      await new Promise((done) => setTimeout(done, togetherMs));
      const files = [...again];
      again = new Set();
      const touched = await touchedBy(files, paths, about);
      if (touched.length === 0) continue;
      process.stdout.write('\n');
      for (const [scenarios, document] of (await play(touched)).about) about.set(scenarios, document);
    }
    running = false;
  };
  const watchers = await Promise.all([...paths, ...apis].map((path) => watching(path, changed)));
  process.stderr.write('Watching for changes; Ctrl-C ends.\n');
  await new Promise<void>((ended) => process.once('SIGINT', ended).once('SIGTERM', ended));
  for (const watcher of watchers) watcher?.close();
}

/**
 * The files of scenarios that changed files concern: themselves, those about a journey or a pipeline, those of pipelines beside a journey.
 * An OpenAPI document may concern all.
 */
export async function touchedBy(
  changed: readonly string[],
  paths: readonly string[],
  about: ReadonlyMap<string, string | undefined>,
): Promise<string[]> {
  const files = new Set(changed.map((it) => resolve(it)));
  const all = (await Promise.all(paths.map((path) => scenarioFiles(path).catch(() => [])))).flat();
  const isOther = (file: string) => documents.test(file) && !/\.(journey|pipeline|scenario)\./i.test(file);
  if ([...files].some(isOther)) return all;
  return all.filter((file) => {
    const document = about.get(file);
    // One whose document is not known yet may be about a file that is new.
    if (files.has(resolve(file)) || document === undefined) return true;
    if (files.has(resolve(document))) return true;
    return /\.pipeline\./i.test(document) && [...files].some((it) => it.startsWith(resolve(dirname(document))));
  });
}

async function watching(path: string, changed: (file: string) => Promise<void>): Promise<FSWatcher | undefined> {
  const info = await stat(path).catch(() => undefined);
  if (!info) return undefined;
  const folder = info.isDirectory() ? path : dirname(path);
  return watch(folder, { recursive: info.isDirectory() }, (_, name) => {
    if (name === null || !documents.test(name)) return;
    const file = join(folder, name);
    if (info.isDirectory() || !scenarioFile.test(file) || resolve(file) === resolve(path)) void changed(file);
  });
}
