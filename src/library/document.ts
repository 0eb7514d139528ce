import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import { apiMethod, apiPath } from '../definition/api-path.js';
import type { Definition } from '../definition/definition.js';
import { acknowledged } from '../document/allowances.js';
import { lineColumnAt } from '../document/locate.js';
import { parseSource } from '../document/parse.js';
import type { LineColumn } from '../document/positions.js';
import { canonical, type Json } from '../json/value.js';
import type { JourneySource, Loaded } from '../language/load.js';
import type { PipelineDefinition } from '../pipelines/definition.js';
import { registry } from '../problems/registry.js';
import { type FileFinding, unreadable } from './files.js';

/** A document that loaded, where it came from, and the hash that names its content. */
export interface LoadedDocument<D extends Definition | PipelineDefinition> {
  file: string;
  definition: D;
  hash: string;
}

/** What a file came to. */
export interface ReadDocument<D extends Definition | PipelineDefinition> {
  /** With a memory, a file that has errors now is still what it was before them. */
  document?: LoadedDocument<D>;
  findings: FileFinding[];
  /** The name of a document that has errors, as far as it can be told. */
  broken?: string;
}

/** What files came to before: one that has not changed is not read again, and the last good content of each is kept. */
export class DocumentMemory<D extends Definition | PipelineDefinition> {
  private readonly files = new Map<
    string,
    { text: string | undefined; read: ReadDocument<D>; good?: LoadedDocument<D> }
  >();

  known(file: string, text: string): ReadDocument<D> | undefined {
    const before = this.files.get(file);
    return before?.text === text ? before.read : undefined;
  }

  /** Takes what a file came to, and gives what it stands for. */
  keep(file: string, text: string, read: ReadDocument<D>): ReadDocument<D> {
    const good = read.document ?? this.files.get(file)?.good;
    const kept = good ? { ...read, document: good } : read;
    this.files.set(file, { text, read: kept, ...(good && { good }) });
    return kept;
  }

  /** Files that are not there any more have no last good content. */
  retain(files: readonly string[]): void {
    const left = new Set(files);
    for (const file of this.files.keys()) if (!left.has(file)) this.files.delete(file);
  }

  /** Whatever documents refer to has changed: all are read again. */
  forgetTexts(): void {
    for (const entry of this.files.values()) entry.text = undefined;
  }
}

/** Reads one file with `load`. */
export function readDocument<D extends Definition | PipelineDefinition>(
  file: string,
  load: (source: JourneySource) => Loaded<D>,
  memory?: DocumentMemory<D>,
): ReadDocument<D> {
  let text: string;
  try {
    // Loading holds this thread up anyway, and waiting for a thousand small files takes longer than reading them.
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { findings: [unreadable(file, (error as Error).message)] };
  }
  const known = memory?.known(file, text);
  if (known) return known;
  const { definition, findings } = load({ text, path: file });
  const told = isJson(file) ? findings : acknowledged(text, findings);
  const placed = told.map((finding) => ({ file, ...finding }));
  const read: ReadDocument<D> = definition
    ? { document: { file, definition, hash: definitionHash(definition) }, findings: placed }
    : { findings: placed, broken: nameIn(text, file) };
  return memory ? memory.keep(file, text, read) : read;
}

/** JSON has no comments. */
function isJson(file: string): boolean {
  return /\.json$/i.test(file);
}

/** The name that a document with errors has, or seems to have. */
function nameIn(text: string, file: string): string {
  const written = /\bname["']?\s*:\s*["']?([A-Za-z0-9][\w.-]*)/.exec(text)?.[1];
  return written ?? basename(file).split('.')[0]!;
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
  const message = `${name} ${version} is already defined in ${relative(dirname(file), other.file)}.`;
  return besideOthers(file, 'JOURNEY_DUPLICATE', '/metadata/version', message);
}

/** A second Api with the method and path of another. */
export function duplicateRoute(
  { file, definition }: LoadedDocument<Definition>,
  other: LoadedDocument<Definition>,
): FileFinding {
  const route = `${apiMethod(definition)} ${apiPath(definition)}`;
  const message = `${route} is already answered by the Api ${other.definition.name} (${basename(other.file)}).`;
  const pointer = definition.http.route ? '/spec/bindings/http/route/path' : '/metadata/name';
  return besideOthers(file, 'ROUTE_DUPLICATE', pointer, message);
}

/** An error that a document has only because of others. */
function besideOthers(
  file: string,
  code: 'JOURNEY_DUPLICATE' | 'ROUTE_DUPLICATE',
  pointer: string,
  message: string,
): FileFinding {
  return { file, code, severity: 'error', pointer, message, ...placeIn(file, pointer), hint: registry[code].hint };
}

/** Where a part of a file stands, if the file is still there. */
function placeIn(file: string, pointer: string): Partial<LineColumn> {
  try {
    return lineColumnAt(parseSource(readFileSync(file, 'utf8'), file), pointer);
  } catch {
    return {};
  }
}
