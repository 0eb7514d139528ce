import type { TaskHost } from '../../engine/task-host.js';
import { readsWellFormed } from '../../engine/version.js';
import type { TaskRunner } from '../../engine/vocabulary.js';
import { own } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { decodeXml } from './decode.js';
import type { XmlDecodeTask } from './read.js';

/** So many characters are one unit of work. */
const charactersPerUnit = 500;

/** Decodes within the run: it asks nothing of the world. */
export const run: TaskRunner<XmlDecodeTask> = {
  compute({ sourceVar, target }: XmlDecodeTask, host: TaskHost): void {
    const text = own(host.context, sourceVar);
    const xml = typeof text === 'string' ? text : refuse('XML_DECODE_PARSE', `context.${sourceVar} is not a text.`);
    host.spend(xml.length / charactersPerUnit);
    host.writeTarget(target, decodeXml(xml, !readsWellFormed(host.interpreter)));
  },
};
