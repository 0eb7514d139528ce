import { parentPort } from 'node:worker_threads';
import { type Block, playBlock } from './block.js';

// Interruptions are errors, and most of their stack traces are never read.
Error.stackTraceLimit = 0;

parentPort!.on('message', async (block: Block) => {
  parentPort!.postMessage(await playBlock(block));
});
