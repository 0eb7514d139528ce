import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import { lineColumnAt } from '../base/document/locate-pointer.js';
import { parseSource } from '../base/document/parse-yaml.js';
import type { LineColumn } from '../base/document/source-positions.js';
import { applySuppressions } from '../base/document/warning-suppressions.js';
import { canonical, type Json } from '../base/json/value.js';
import { registry } from '../base/problems/registry.js';
import { apiMethod, apiPath } from '../engine/definition/api-routes.js';
import type { Definition } from '../engine/definition/definition.js';
import type { JourneySource, Loaded } from '../language/load-journey.js';
import type { PipelineDefinition } from '../pipelines/definition.js';
import { type FileFinding, unreadable } from './find-files.js';

/** A valid document with its file and its content hash. */
export interface LoadedDocument<D extends Definition | PipelineDefinition> {
  file: string;
  text: string;
  definition: D;
  hash: string;
}

/** The result of reading a file. */
export interface ReadDocument<D extends Definition | PipelineDefinition> {
  /** With a memory, a file with errors keeps its last valid document. */
  document?: LoadedDocument<D>;
  findings: FileFinding[];
  /** The probable name of a document with errors. */
  broken?: string;
}

/** Results of earlier reads: an unchanged file is not loaded again, and the last valid content of each file is kept. */
export class DocumentMemory<D extends Definition | PipelineDefinition> {
  private readonly files = new Map<
    string,
    { text: string | undefined; read: ReadDocument<D>; good?: LoadedDocument<D> }
  >();

  known(file: string, text: string): ReadDocument<D> | undefined {
    const before = this.files.get(file);
    return before?.text === text ? before.read : undefined;
  }

  /** Stores the result of a file; returns it with the last valid document. */
  keep(file: string, text: string, read: ReadDocument<D>): ReadDocument<D> {
    const good = read.document ?? this.files.get(file)?.good;
    const kept = good ? { ...read, document: good } : read;
    this.files.set(file, { text, read: kept, ...(good && { good }) });
    return kept;
  }

  /** Drops files that no longer exist. */
  retain(files: readonly string[]): void {
    const left = new Set(files);
    for (const file of this.files.keys()) if (!left.has(file)) this.files.delete(file);
  }

  /** Forces all files to be loaded again, after a change in the documents they refer to. */
  invalidateAll(): void {
    for (const entry of this.files.values()) entry.text = undefined;
  }
}

/** Reads one file with `load`. */
export function readDocumentFile<D extends Definition | PipelineDefinition>(
  file: string,
  load: (source: JourneySource) => Loaded<D>,
  memory?: DocumentMemory<D>,
): ReadDocument<D> {
  let text: string;
  try {
    // Loading blocks this thread anyway, and waiting for a thousand small files takes longer than reading them.
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { findings: [unreadable(file, (error as Error).message)] };
  }
  const known = memory?.known(file, text);
  if (known) return known;
  const { definition, findings } = load({ text, path: file });
  const reported = isJson(file) ? findings : applySuppressions(text, findings);
  const placed = reported.map((finding) => ({ file, ...finding }));
  const read: ReadDocument<D> = definition
    ? { document: { file, text, definition, hash: definitionHash(definition) }, findings: placed }
    : { findings: placed, broken: nameIn(text, file) };
  return memory ? memory.keep(file, text, read) : read;
}

/** JSON has no comments. */
function isJson(file: string): boolean {
  return /\.json$/i.test(file);
}

/** The probable name of a document with errors. */
function nameIn(text: string, file: string): string {
  const written = /\bname["']?\s*:\s*["']?([A-Za-z0-9][\w.-]*)/.exec(text)?.[1];
  return written ?? basename(file).split('.')[0]!;
}

/** The content hash of a definition; layout and key order do not matter. */
export function definitionHash(definition: Definition | PipelineDefinition): string {
  return createHash('sha256')
    .update(canonical(definition as unknown as Json))
    .digest('hex');
}

/** The finding for a second file with the same name and version. */
export function duplicate(
  { file, definition: { name, version } }: LoadedDocument<Definition | PipelineDefinition>,
  other: { file: string },
): FileFinding {
  const message = `${name} ${version} is already defined in ${relative(dirname(file), other.file)}.`;
  return besideOthers(file, 'JOURNEY_DUPLICATE', '/metadata/version', message);
}

/** The finding for a second Api with the same method and path. */
export function duplicateRoute(
  { file, definition }: LoadedDocument<Definition>,
  other: LoadedDocument<Definition>,
): FileFinding {
  const route = `${apiMethod(definition)} ${apiPath(definition)}`;
  const message = `${route} is already the route of the Api ${other.definition.name} (${basename(other.file)}).`;
  const pointer = definition.http.route ? '/spec/bindings/http/route/path' : '/metadata/name';
  return besideOthers(file, 'ROUTE_DUPLICATE', pointer, message);
}

/** An error that arises only in combination with other documents. */
function besideOthers(
  file: string,
  code: 'JOURNEY_DUPLICATE' | 'ROUTE_DUPLICATE',
  pointer: string,
  message: string,
): FileFinding {
  return { file, code, severity: 'error', pointer, message, ...placeIn(file, pointer), hint: registry[code].hint };
}

/** Line and column of a part of a file, if the file still exists. */
function placeIn(file: string, pointer: string): Partial<LineColumn> {
  try {
    return lineColumnAt(parseSource(readFileSync(file, 'utf8'), file), pointer);
  } catch {
    return {};
  }
}
