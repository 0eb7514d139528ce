import { parentPort } from 'node:worker_threads';
import { type Block, playBlock } from './block.js';

// Interruptions are errors, and nobody reads where most of them were thrown.
Error.stackTraceLimit = 0;

parentPort!.on('message', async (block: Block) => {
  parentPort!.postMessage(await playBlock(block));
});
