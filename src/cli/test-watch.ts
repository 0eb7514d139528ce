import { dirname, resolve } from 'node:path';
import type { Config } from '../config/config.js';
import { watchPaths } from '../library/watch.js';
import { scenarioFiles } from '../scenarios/files.js';
import { catalogueFolders } from './options.js';
import type { SessionOptions, SessionResult } from './test-session.js';

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
  const apis = [...(root === undefined ? [] : [root]), ...overlays];
  const watcher = watchPaths([...paths, ...apis], async (files) => {
    const written = files.filter((it) => documents.test(it));
    const touched = await touchedBy(written, paths, about);
    if (touched.length === 0) return;
    process.stdout.write('\n');
    for (const [scenarios, document] of (await play(touched)).about) about.set(scenarios, document);
  });
  process.stderr.write('Watching for changes; Ctrl-C ends.\n');
  await new Promise<void>((ended) => process.once('SIGINT', ended).once('SIGTERM', ended));
  watcher.close();
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
