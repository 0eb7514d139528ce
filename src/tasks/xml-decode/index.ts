import type { TaskKind } from '../kind.js';
import { read, type XmlDecodeTask } from './read.js';
import { run } from './run.js';
import { schema } from './schema.js';

/** Turns XML into JSON. */
export const xmlDecode: TaskKind<XmlDecodeTask> = { kind: 'xmlDecode:v1', schema, read, run };
