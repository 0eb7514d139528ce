import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Definition } from '../definition/definition.js';
import { type LoadOptions, load } from '../language/load.js';
import { type ApiCatalogueFolders, type ReadApiCatalogue, readApiCatalogue } from '../library/api-documents.js';
import { type ReadDocument, readDocument } from '../library/document.js';
import { readPlugins, wordsWith } from '../library/plugins.js';

/** What loading depends on, in a form that another thread can be given. */
export interface LoadingSources
  extends Pick<LoadOptions, 'compat' | 'minScheduleIntervalSec' | 'metadata' | 'profiles'> {
  folders: ApiCatalogueFolders;
  plugins: readonly string[];
  baseDir: string;
}

/** What threads share: the files, and the index of the first that nobody has taken yet. */
export interface Share {
  files: readonly string[];
  next: Int32Array;
  sources: LoadingSources;
}

type Read = [index: number, read: ReadDocument<Definition>];

/** A thread takes as long to start as this many files to check. */
const worthAThread = 200;
const mostThreads = 4;

/** Reads what loading needs. */
export async function loadingOf({
  folders,
  plugins,
  baseDir,
  ...rest
}: LoadingSources): Promise<{ options: LoadOptions; findings: ReadApiCatalogue['findings'] }> {
  const { catalogue, findings } = await readApiCatalogue(folders);
  return { options: { ...rest, catalogue, words: wordsWith(await readPlugins(plugins, baseDir)) }, findings };
}

/** What each file came to, read by as many threads as the machine and the number of files are worth. */
export async function readInThreads(
  files: readonly string[],
  sources: LoadingSources,
  options: LoadOptions,
  onFile?: () => void,
): Promise<ReadDocument<Definition>[]> {
  const next = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: Share = { files, next, sources };
  const threads = Math.min(availableParallelism(), mostThreads, Math.ceil(files.length / worthAThread));
  const others = Array.from({ length: threads - 1 }, async () => {
    const [read] = await once(new Worker(new URL('./validate-thread.js', import.meta.url), { workerData }), 'message');
    return read as Read[];
  });
  const all = [readShare(files, next, options, onFile), ...(await Promise.all(others))].flat();
  return all.sort(([a], [b]) => a - b).map(([, read]) => read);
}

/** Takes one file after another until all are taken. */
export function readShare(
  files: readonly string[],
  next: Int32Array,
  options: LoadOptions,
  onFile: () => void = () => undefined,
): Read[] {
  const read: Read[] = [];
  for (let i = Atomics.add(next, 0, 1); i < files.length; i = Atomics.add(next, 0, 1)) {
    read.push([i, readDocument(files[i]!, (source) => load(source, options))]);
    onFile();
  }
  return read;
}
