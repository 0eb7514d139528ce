import type { TaskKind } from '../kind.js';
import { read } from './read.js';
import { schema } from './schema.js';

/** Turns XML into JSON. */
export const xmlDecode: TaskKind = { kind: 'xmlDecode:v1', schema, read };
