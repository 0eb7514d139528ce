import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Definition } from '../definition/definition.js';
import { canonical, type Json } from '../json/value.js';
import type { JourneySource, Loaded } from '../language/load.js';
import type { PipelineDefinition } from '../pipelines/definition.js';
import { type FileFinding, unreadable } from './files.js';

/** A document that loaded, where it came from, and the hash that names its content. */
export interface LoadedDocument<D extends Definition | PipelineDefinition> {
  file: string;
  definition: D;
  hash: string;
}

/** Reads one file with `load`. */
export async function readDocument<D extends Definition | PipelineDefinition>(
  file: string,
  load: (source: JourneySource) => Loaded<D>,
): Promise<{ document?: LoadedDocument<D>; findings: FileFinding[] }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return { findings: [unreadable(file, (error as Error).message)] };
  }
  const { definition, findings } = load({ text, path: file });
  const placed = findings.map((finding) => ({ file, ...finding }));
  if (!definition) return { findings: placed };
  return { document: { file, definition, hash: definitionHash(definition) }, findings: placed };
}

/** The content hash of a definition: the same document gives the same hash, however it is written. */
export function definitionHash(definition: Definition | PipelineDefinition): string {
  return createHash('sha256')
    .update(canonical(definition as unknown as Json))
    .digest('hex');
}

/** A second file with the name and version of another. */
export function duplicate(
  { file, definition: { name, version } }: LoadedDocument<Definition | PipelineDefinition>,
  other: { file: string },
): FileFinding {
  return {
    file,
    code: 'JOURNEY_DUPLICATE',
    severity: 'error',
    pointer: '/metadata/version',
    message: `${name} ${version} is already defined in ${other.file}.`,
    hint: 'Raise the version of one of them.',
  };
}
