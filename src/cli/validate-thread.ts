import { parentPort, workerData } from 'node:worker_threads';
import './plain-environment.js';
import { loadingOf, readShare, type Share } from './validate-threads.js';

/** A further thread of `validate`: it takes files as long as there are any, and hands back what they came to. */
const { files, next, sources } = workerData as Share;
const { options } = await loadingOf(sources);
parentPort!.postMessage(readShare(files, next, options));
